"""Hypothesis strategies: shapes, masks, looks, alignments, lines, predictors and their sources."""

from dataclasses import dataclass

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from regard import Predictor
from regard.alignment import Alignment, Label
from regard.model import Saved, build
from tests.tiny import settings_of, vocabularies

DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


@dataclass(frozen=True)
class Look:
    """Operands of a look.

    Attributes:
        query: (batch, target, size)
        keys: (batch, source, size)
        values: (batch, source, value)
        mask: (batch, target, source)
    """

    query: Tensor
    keys: Tensor
    values: Tensor
    mask: Tensor


@st.composite
def looks(draw: st.DrawFn, dtype: torch.dtype = torch.float64, smallest: int = 0) -> Look:
    batch = draw(st.integers(1, 3))
    target, source, size, value = (draw(st.integers(smallest, 9)) for _ in range(4))
    seed = draw(st.integers(0, 2**31 - 1))
    chance = torch.Generator().manual_seed(seed)
    spread = draw(st.sampled_from([0.1, 1.0, 10.0]))

    def normal(*shape: int) -> Tensor:
        return (torch.randn(*shape, generator=chance, dtype=torch.float64) * spread).to(dtype)

    openness = draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))
    mask = torch.rand(batch, target, source, generator=chance) < openness
    return Look(
        normal(batch, target, size),
        normal(batch, source, size),
        normal(batch, source, value),
        mask,
    )


@st.composite
def lines(draw: st.DrawFn) -> str:
    """A line of text of any script, without line ends."""
    alphabet = st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\t\0")
    scripts = st.sampled_from([*"aeéかな한글각ा्षعربيـّ 👩🏽‍🚀", "e\u0301", "\u1112\u1161\u11ab"])
    return "".join(draw(st.lists(st.one_of(alphabet, scripts), max_size=12)))


@st.composite
def alignments(draw: st.DrawFn) -> Alignment:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    weights = np.array(
        draw(st.lists(st.floats(0.01, 1), min_size=rows * columns, max_size=rows * columns)),
        np.float32,
    ).reshape(rows, columns)
    weights /= weights.sum(1, keepdims=True)
    return Alignment(_labels(draw, columns), _labels(draw, rows), weights, "a look")


def _labels(draw: st.DrawFn, count: int) -> tuple[Label, ...]:
    texts = draw(st.lists(st.text(min_size=1, max_size=3), min_size=count - 1, max_size=count - 1))
    labels = [Label(text, place, place + len(text)) for place, text in enumerate(texts)]
    return (*labels, Label("", count, count, "end"))


@st.composite
def options(draw: st.DrawFn, members: int = 3) -> dict[str, object]:
    """Settings of any model that can be built, of up to so many members."""
    kinds = st.sampled_from(["lstm", "gru", "transformer"])
    encoder, decoder = draw(kinds), draw(kinds)
    size = 4 * draw(st.integers(1, 3))
    found: dict[str, object] = {
        "encoder.kind": encoder,
        "decoder.kind": decoder,
        "encoder.hidden_size": size if encoder == "transformer" else size // 2,
        "decoder.hidden_size": size,
        "encoder.embedding_size": draw(st.integers(3, 8)),
        "decoder.embedding_size": draw(st.integers(3, 8)),
        "encoder.layers": draw(st.integers(1, 2)),
        "decoder.layers": draw(st.integers(1, 2)),
        "encoder.dropout": draw(st.sampled_from([0.0, 0.5])),
        "decoder.dropout": draw(st.sampled_from([0.0, 0.5])),
        "encoder.residual": draw(st.booleans()),
        "members": draw(st.integers(1, members)),
        "length_ratio": 1.0,
    }
    return found | ({} if decoder == "transformer" else draw(_looking_back()))


@st.composite
def _looking_back(draw: st.DrawFn) -> dict[str, object]:
    scores = ["scaled dot", "dot", "cosine", "general", "additive", "concat", "none"]
    score = draw(st.sampled_from(scores))
    return {
        "decoder.attention": score,
        "decoder.normalizer": draw(st.sampled_from(["softmax", "sparsemax"])),
        "decoder.input_feeding": score != "none" and draw(st.booleans()),
        "decoder.coverage": score in ("additive", "concat") and draw(st.booleans()),
    }


@st.composite
def predictors(draw: st.DrawFn, members: int = 3, unseen: str = "copy") -> Predictor:
    """A model of any kind, its parameters drawn at random.

    They are no larger than that: some kinds would then make much of a last bit,
    in whatever order they add.
    """
    settings = settings_of(draw(options(members))).with_values({"text.unseen": unseen})
    known = vocabularies(draw(st.booleans()))
    torch.manual_seed(draw(st.integers(0, 2**31 - 1)))
    model, spread = build(settings, known).eval(), draw(st.sampled_from([0.5, 1, 2]))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(spread)
    return Predictor(Saved(settings, known, model))


def questions(predictor: Predictor, longest: int = 8) -> st.SearchStrategy[tuple[str, str]]:
    """A source with its tags; symbols that were never seen stand in about half of them."""
    words = st.one_of(
        st.text(seen, min_size=1, max_size=longest) for seen in ("abcdefgh", "abcßé한")
    )
    tags = st.lists(st.sampled_from("VNXQ"), min_size=1, max_size=3, unique=True).map(";".join)
    return st.tuples(words, tags if predictor.has_tags else st.just(""))
