"""Slow: toys whose verdict is known beforehand.

Reversal of words, as healthy, untrained, hardly trained, ornamental (a guided
map whose context is cut off), guided to one place off, and read forwards only.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from regard import Predictor, RunSettings
from regard.encoder import Encoding
from regard.encoder.recurrent import RecurrentEncoder
from regard.inspection import InspectionSettings
from regard.model import Saved, build
from regard.text import BatchMaker, Columns, Pair, Sequences, make_toys
from regard.training.guide import guide_loss
from regard.training.loss import sequence_loss
from regard.training.prepare import prepare
from regard.training.sources import Split, pairs_from

SETTINGS = RunSettings().with_values({
    "encoder.embedding_size": 24, "encoder.hidden_size": 32, "decoder.embedding_size": 24,
    "decoder.hidden_size": 64, "encoder.dropout": 0.0, "decoder.dropout": 0.0,
    "training.precision": "float32", "encoder.residual": False, "decoder.relative_bias": False, "decoder.tags_apart": False,
})  # fmt: skip
INSPECTION = InspectionSettings(resamples=200, word_pairs=60)


class ForwardsOnly(RecurrentEncoder):
    """Nothing of what follows is in a state."""

    def forward(self, source) -> Encoding:
        encoding = super().forward(source)
        half = encoding.states.shape[-1] // 2
        states = torch.cat([encoding.states[..., :half], 0 * encoding.states[..., half:]], -1)
        return replace(encoding, states=states, final=0 * encoding.final)


def pairs_of(count: int, seed: int) -> list[Pair]:
    return [toy.pair for toy in make_toys("reverse", count, length=7, seed=seed)]


def trained(updates: int, *, forwards_only=False, cuts_context=False, guide: int | None = None):
    """A predictor after some updates of a plain loop."""
    torch.manual_seed(0)
    prepared = prepare(
        Split(pairs_from(pairs_of(1500, 0), Columns()), pairs_of(20, 1)), SETTINGS, is_settled=False
    )
    settings = prepared.settings.model_settings()
    model = build(settings, prepared.vocabularies)
    if forwards_only:
        model.encoder.__class__ = ForwardsOnly
    if cuts_context:
        combine = model.decoder.output.combine
        with torch.no_grad():
            combine.weight[:, model.decoder.recurrence.size :] = 0
    maker = (
        prepared.maker
        if guide is None
        else replace(prepared.maker, links=reversal(prepared.maker, guide))
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    chance = np.random.default_rng(0)
    for _ in range(updates):
        batch = maker.batch(chance.choice(len(maker.corpus), 64, replace=False))
        decoded = model(batch.source, batch.inputs)
        loss = sequence_loss(decoded.logits, batch.target)
        if batch.links is not None:
            loss = loss + guide_loss(decoded.weights, batch.links, batch.source.tokens.shape[1])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if cuts_context:
            combine.weight.grad[:, model.decoder.recurrence.size :] = 0
        optimizer.step()
    return Predictor(Saved(settings, prepared.vocabularies, model.eval()))


def reversal(maker: BatchMaker, shift: int) -> Sequences:
    """Links of each target symbol to its source symbol, so many places off."""
    codes, ends = list[int](), [0]
    for width in maker.corpus.source.lengths.tolist():
        codes += [
            place * width + min(width - 1, max(0, width - 1 - place + shift))
            for place in range(width)
        ]
        ends.append(len(codes))
    return Sequences(np.array(codes), np.array(ends))


def inspected(predictor: Predictor):
    return predictor.inspect(pairs_of(60, 2), is_forced=True, settings=INSPECTION)


@pytest.mark.slow
def test_a_healthy_map_is_supported_and_in_place():
    found = inspected(trained(500))
    assert found.verdict == "supported"
    assert found.use.labels["used"] > 0.8
    assert found.words.is_in_place
    assert found.shape.median("order") < -0.9
    assert found.use.gap.low > 1


@pytest.mark.slow
def test_hardly_trained_it_is_supported_already():
    assert inspected(trained(250)).verdict in ("supported", "partial")


@pytest.mark.slow
def test_an_untrained_map_is_not_supported():
    found = inspected(trained(0))
    assert found.verdict == "not supported"
    assert "flat" in found.shape.counts


@pytest.mark.slow
def test_a_handsome_map_of_no_use_is_not_supported():
    """Told where to look, and cut off from what it sees."""
    found = inspected(trained(400, cuts_context=True, guide=0))
    assert found.shape.median("peak") > 0.7
    assert found.shape.median("order") < -0.9
    assert found.verdict == "not supported"
    assert found.use.gap.high < 0.1


@pytest.mark.slow
def test_a_map_guided_to_one_place_off_is_found_by_substituting():
    found = inspected(trained(500, guide=1))
    assert found.verdict == "supported"
    assert found.words.is_shifted
    assert found.words.shift == 1
    assert any(modifier == "shifted by +1" for modifier in found.judgement.modifiers)


@pytest.mark.slow
def test_an_encoder_that_reads_forwards_only_is_used_beside_its_symbols():
    found = inspected(trained(900, forwards_only=True))
    assert found.verdict in ("supported", "partial")
    assert found.words.offsets[1] > 0.2
    assert found.words.agreement.value < 0.8
    assert any("+1 place" in modifier for modifier in found.judgement.modifiers)
