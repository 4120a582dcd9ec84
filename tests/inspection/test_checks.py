"""Each classic mistake, planted in a model, is found by the check that should find it."""

import pytest
import torch
from torch import nn

from regard.attention import Attended, Attention, Memory, ScaledDotScore
from regard.decoder import Decoded, Decoder, State, Step
from regard.decoder.recurrent import RecurrentDecoder
from regard.inspection import check_map
from regard.model import Seq2Seq
from regard.text import Batch
from tests.tiny import KINDS, model_of, sources

LOOKING = [kind for kind in KINDS if "none" not in kind]


def batch_of(tags: bool = False) -> Batch:
    from regard.text import END, START

    source = sources(5, 2, 1, tags=tags)
    chance = torch.Generator().manual_seed(0)
    target = torch.randint(4, 12, (3, 5), generator=chance)
    lengths = torch.tensor([5, 2, 3])
    mask = torch.arange(5) < lengths.unsqueeze(1)
    target = torch.where(mask, target, 0)
    target[torch.arange(3), lengths - 1] = END
    inputs = torch.cat([torch.full((3, 1), START), target[:, :-1]], 1)
    return Batch(source, torch.where(mask, inputs, 0), target, mask)


class Unmasked(Attention):
    def memorize(self, states, mask=None):
        return super().memorize(states, None)


class ZeroedAfterwards(Attention):
    def forward(self, query, memory, **_):
        opened = Memory(memory.keys, memory.values, torch.ones_like(memory.mask))
        weights = super().forward(query, opened).weights * memory.mask.unsqueeze(-2)
        return Attended(weights @ memory.values, weights)


class OverTheTarget(Attention):
    def forward(self, query, memory, **_):
        scores = self.score(query, memory.keys)
        weights = scores.softmax(-2) * memory.mask.unsqueeze(-2)
        return Attended(weights @ memory.values, weights)


class AfterDropout(Attention):
    def forward(self, query, memory, **_):
        weights = super().forward(query, memory).weights
        weights = nn.functional.dropout(weights, 0.5, self.training)
        return Attended(weights @ memory.values, weights)


class LastState(Attention):
    def forward(self, query, memory, **_):
        attended = super().forward(query, memory)
        last = memory.values[:, :1].expand_as(attended.context)
        return Attended(last, attended.weights)


class AlwaysDropping(Attention):
    def forward(self, query, memory, **_):
        return super().forward(nn.functional.dropout(query, 0.5), memory)


class FilledWithInfinity(Attention):
    def forward(self, query, memory, **_):
        scores = self.score(query, memory.keys).masked_fill(~memory.mask.unsqueeze(-2), -torch.inf)
        weights = scores.softmax(-1)
        return Attended(weights @ memory.values, weights)


class Peeking(RecurrentDecoder):
    def forward(self, inputs, encoding, needs_weights=True) -> Decoded:
        return super().forward(inputs.roll(-1, 1), encoding, needs_weights)


class Transposed(RecurrentDecoder):
    def forward(self, inputs, encoding, needs_weights=True) -> Decoded:
        decoded = super().forward(inputs, encoding, needs_weights)
        return decoded._replace(weights=decoded.weights.transpose(1, 2))


class ReadingAgain(RecurrentDecoder):
    encoder: nn.Module
    source: object

    def step(self, tokens: torch.Tensor, state: State, weights=None) -> Step:
        self.encoder(self.source)
        return super().step(tokens, state, weights)


def with_attention(kind: type[Attention]) -> Seq2Seq:
    model = model_of("lstm")
    model.decoder.attention = kind(ScaledDotScore())
    return model.eval()


def with_decoder(kind: type[Decoder]) -> Seq2Seq:
    model = model_of("lstm")
    model.decoder.__class__ = kind
    return model


def failed(model: Seq2Seq, batch: Batch) -> set[str]:
    return {check.name for check in check_map(model, batch) if not check.is_met}


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", LOOKING)
def test_a_right_map_passes_all_checks(kind, tags):
    checks = check_map(model_of(kind, tags), batch_of(tags))
    assert [check.name for check in checks] == [f"I{number}" for number in range(1, 9)]
    assert [check.text for check in checks if not check.is_met] == []


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        (Unmasked, {"I2", "I3"}),
        (ZeroedAfterwards, {"I1", "I3"}),
        (OverTheTarget, {"I1", "I4"}),
        (AfterDropout, {"I1"}),
        (LastState, {"I5"}),
        (AlwaysDropping, {"I4", "I8"}),
        (FilledWithInfinity, {"I7"}),
    ],
)
def test_a_planted_mistake_is_found(planted, expected):
    assert expected <= failed(with_attention(planted), batch_of())


def test_dropped_weights_are_found_by_the_row_sums_alone():
    assert failed(with_attention(AfterDropout), batch_of()) == {"I1"}


def test_a_context_from_elsewhere_is_found_by_its_identity_alone():
    assert failed(with_attention(LastState), batch_of()) == {"I5"}


def test_peeking_ahead_is_found():
    assert "I4" in failed(with_decoder(Peeking), batch_of())


def test_a_transposed_map_is_found():
    assert "I6" in failed(with_decoder(Transposed), batch_of())


def test_reading_the_source_at_every_step_is_found():
    model, batch = with_decoder(ReadingAgain), batch_of()
    object.__setattr__(model.decoder, "encoder", model.encoder)
    model.decoder.source = batch.source
    assert failed(model, batch) == {"I4"}


def test_a_model_in_training_stays_so_and_no_chance_is_used_up():
    model = model_of("lstm").train()
    before = torch.get_rng_state()
    check_map(model, batch_of())
    assert model.training
    assert torch.equal(before, torch.get_rng_state())
