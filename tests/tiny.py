"""Tiny models of every kind, and sources for them."""

from collections.abc import Mapping

import numpy as np
import torch

from regard import Seq2Seq, Vocabulary
from regard.model import ModelSettings, Vocabularies, build
from regard.text import Source, source_of

SIZES: dict[str, object] = {
    "encoder.embedding_size": 6, "encoder.hidden_size": 4, "encoder.layers": 1,
    "decoder.embedding_size": 6, "decoder.hidden_size": 8, "decoder.layers": 1,
    "encoder.heads": 2, "decoder.heads": 2, "encoder.dropout": 0.0, "decoder.dropout": 0.0,
    "encoder.residual": False, "decoder.relative_bias": False, "decoder.tags_apart": False,
}  # fmt: skip

KINDS: dict[str, dict[str, object]] = {
    "lstm": {},
    "gru": {"encoder.kind": "gru", "decoder.kind": "gru"},
    "two layers": {"encoder.layers": 2, "decoder.layers": 2},
    "dot": {"decoder.attention": "dot"},
    "cosine": {"decoder.attention": "cosine"},
    "general": {"decoder.attention": "general"},
    "additive": {"decoder.attention": "additive"},
    "concat": {"decoder.attention": "concat"},
    "sparsemax": {"decoder.normalizer": "sparsemax"},
    "input feeding": {"decoder.input_feeding": True},
    "coverage": {"decoder.attention": "additive", "decoder.coverage": True},
    "none": {"decoder.attention": "none"},
    "transformer": {
        "encoder.kind": "transformer", "decoder.kind": "transformer",
        "encoder.hidden_size": 8, "encoder.layers": 2, "decoder.layers": 2,
    },
    "residual": {"encoder.residual": True},
    "relative bias": {"decoder.relative_bias": True},
    "relative bias and input feeding": {"decoder.relative_bias": True, "decoder.input_feeding": True},
    "tags apart": {"decoder.tags_apart": True, "decoder.relative_bias": True},
    "tags apart and input feeding": {"decoder.tags_apart": True, "decoder.input_feeding": True},
    "ensemble": {"members": 3},
    "ensemble with tags apart": {"members": 2, "decoder.tags_apart": True},
    "ensemble of none": {"members": 2, "decoder.attention": "none"},
    "ensemble of transformers": {
        "encoder.kind": "transformer", "decoder.kind": "transformer",
        "encoder.hidden_size": 8, "encoder.layers": 2, "decoder.layers": 2, "members": 2,
    },
    "transformer encoder": {"encoder.kind": "transformer", "encoder.hidden_size": 8},
}  # fmt: skip


def vocabularies(tags: bool = False) -> Vocabularies:
    known = Vocabulary.of(["abcdefgh"])
    return Vocabularies(known, known, Vocabulary.of(["VNX"]) if tags else None)


def settings_of(options: Mapping[str, object]) -> ModelSettings:
    table = SIZES | dict(options)
    for side in ("source", "target"):
        table |= {
            f"text.{side}.symbols": "graphemes",
            f"text.{side}.normalize": "none",
            f"text.{side}.output": "none",
        }
    return ModelSettings().with_values(table)


def model_of(kind: str, tags: bool = False, seed: int = 0) -> Seq2Seq:
    torch.manual_seed(seed)
    model = build(settings_of(KINDS[kind]), vocabularies(tags)).eval()
    # Larger numbers than at the start of training, so that faults are seen.
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3)
    return model


def sources(*lengths: int, tags: bool = False, seed: int = 0) -> Source:
    chance = np.random.default_rng(seed)
    tokens = np.zeros((len(lengths), max(lengths)), np.int64)
    for row, length in enumerate(lengths):
        tokens[row, :length] = chance.integers(4, 12, size=length)
    counts = [1 + row % 3 if tags else 0 for row in range(len(lengths))]
    rows = np.zeros((len(lengths), max(counts)), np.int64)
    for row, count in enumerate(counts):
        rows[row, :count] = chance.integers(4, 7, size=count)
    return source_of(tokens, rows)


def one_of(source: Source, row: int) -> Source:
    """One row alone, without padding."""
    length, count = int(source.mask[row].sum()), int(source.tags_mask[row].sum())
    return Source(
        source.tokens[row : row + 1, :length],
        source.mask[row : row + 1, :length],
        source.tags[row : row + 1, :count],
        source.tags_mask[row : row + 1, :count],
    )
