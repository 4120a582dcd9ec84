import itertools

import pytest
import torch

from regard import SettingsError
from regard.search import beam, forced, greedy
from regard.text import END, PADDING, START, UNKNOWN
from tests.tiny import KINDS, model_of, one_of, sources


def limits(source, length=6):
    count = len(source.tokens)
    return torch.full((count,), length), torch.ones(count, dtype=torch.bool)


def score_of(model, source, row, tokens):
    target = torch.tensor([tokens])
    inputs = torch.cat([torch.tensor([[START]]), target[:, :-1]], 1)
    encoding = model.encode(one_of(source, row))
    return forced(model.decoder, encoding, inputs, target, target != PADDING)[0]


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", KINDS)
class TestEveryDecoder:
    def test_a_beam_of_one_is_greedy(self, kind, tags):
        model = model_of(kind, tags)
        source = sources(3, 6, 1, 4, tags=tags)
        encoding = model.encode(source)
        first = greedy(model.decoder, encoding, *limits(source))
        second = beam(model.decoder, encoding, *limits(source), size=1)
        for one, (other,) in zip(first, second, strict=True):
            assert one.tokens == other.tokens
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)
            assert one.is_complete == other.is_complete

    def test_batch_mates_change_nothing(self, kind, tags):
        model = model_of(kind, tags)
        source = sources(3, 9, 1, 4, tags=tags)
        among = beam(model.decoder, model.encode(source), *limits(source), size=3)
        for row in range(4):
            single = one_of(source, row)
            alone = beam(model.decoder, model.encode(single), *limits(single), size=3)[0]
            assert [one.tokens for one in alone] == [one.tokens for one in among[row]]
            for one, other in zip(alone, among[row], strict=True):
                assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)
                if one.weights is not None:
                    kept = model.encode(source).mask[row].numpy()
                    torch.testing.assert_close(
                        torch.tensor(one.weights),
                        torch.tensor(other.weights[:, kept]),
                        atol=1e-5,
                        rtol=1e-4,
                    )

    def test_forcing_a_hypothesis_gives_back_its_score_and_alignment(self, kind, tags):
        model = model_of(kind, tags)
        source = sources(3, 6, tags=tags)
        found = beam(model.decoder, model.encode(source), *limits(source), size=3)
        for row, hypotheses in enumerate(found):
            for one in hypotheses:
                again = score_of(model, source, row, list(one.tokens))
                assert again.log_prob == pytest.approx(one.log_prob, abs=1e-4)
                if one.weights is not None:
                    kept = model.encode(source).mask[row].numpy()
                    torch.testing.assert_close(
                        torch.tensor(again.weights),
                        torch.tensor(one.weights[:, kept]),
                        atol=1e-5,
                        rtol=1e-4,
                    )


@pytest.mark.parametrize("length_power", [0.0, 1.0])
def test_a_wide_beam_finds_what_trying_everything_finds(length_power):
    model = model_of("lstm")
    with torch.no_grad():
        model.decoder.output.write.bias[7:] = -30  # three symbols are left, and the end
    source = sources(3)
    everything = []
    for length in range(4):
        for symbols in itertools.product(range(3, 7), repeat=length):
            one = score_of(model, source, 0, [*symbols, END])
            everything.append((one.log_prob / (length + 1) ** length_power, one.tokens))
    best = [tokens for _, tokens in sorted(everything, reverse=True)[:5]]
    found = beam(
        model.decoder,
        model.encode(source),
        *limits(source, 3),
        size=300,
        length_power=length_power,
    )[0]
    assert [one.tokens for one in found[:5]] == best


def test_hypotheses_are_different_and_in_order():
    model = model_of("lstm")
    source = sources(5, 2)
    for hypotheses in beam(model.decoder, model.encode(source), *limits(source), size=5):
        ranks = [one.log_prob / len(one.tokens) for one in hypotheses]
        assert ranks == sorted(ranks, reverse=True)
        assert len({one.tokens for one in hypotheses}) == len(hypotheses) == 5


@pytest.mark.parametrize("size", [1, 3])
def test_the_length_limit_ends_with_the_end_symbol_and_says_so(size):
    model = model_of("lstm")
    with torch.no_grad():
        model.decoder.output.write.bias[END] = -1000
    source = sources(3)
    encoding = model.encode(source)
    one = (
        greedy(model.decoder, encoding, *limits(source, 4))[0]
        if size == 1
        else beam(model.decoder, encoding, *limits(source, 4), size=size)[0][0]
    )
    assert len(one.tokens) == 5
    assert one.tokens[-1] == END
    assert not one.is_complete
    assert score_of(model, source, 0, list(one.tokens)).log_prob == pytest.approx(
        one.log_prob, rel=1e-5
    )


def test_padding_and_start_are_never_written():
    model = model_of("lstm")
    with torch.no_grad():
        model.decoder.output.write.bias[[PADDING, START]] = 1000
    source = sources(3)
    encoding = model.encode(source)
    hypotheses = [
        greedy(model.decoder, encoding, *limits(source))[0],
        *beam(model.decoder, encoding, *limits(source), size=2)[0],
    ]
    assert all(PADDING not in one.tokens and START not in one.tokens for one in hypotheses)


@pytest.mark.parametrize("size", [1, 3])
def test_unknown_is_written_in_the_rows_that_may_alone(size):
    model = model_of("lstm")
    with torch.no_grad():
        model.decoder.output.write.bias[UNKNOWN] = 1000
    source = sources(3, 3)
    length, _ = limits(source)
    found = beam(
        model.decoder, model.encode(source), length, torch.tensor([True, False]), size=size
    )
    assert all(UNKNOWN in one.tokens for one in found[0][:1])
    assert all(UNKNOWN not in one.tokens for one in found[1])
    plain = greedy(model.decoder, model.encode(source), length, torch.tensor([True, False]))
    assert [UNKNOWN in one.tokens for one in plain] == [True, False]


def test_a_beam_of_nothing_is_refused():
    model = model_of("lstm")
    source = sources(3)
    with pytest.raises(SettingsError, match="at least 1"):
        beam(model.decoder, model.encode(source), *limits(source), size=0)


def test_rows_of_weights_belong_to_the_symbols_that_were_written():
    model = model_of("lstm")
    source = sources(4, 2)
    for one in greedy(model.decoder, model.encode(source), *limits(source)):
        assert one.weights.shape == (len(one.tokens), 5)


def test_a_hypothesis_with_too_few_rows_is_a_fault_of_ours():
    import numpy as np

    from regard.search import Hypothesis

    with pytest.raises(AssertionError, match="one row of weights"):
        Hypothesis((4, END), 0.0, np.ones((1, 3), np.float32))
