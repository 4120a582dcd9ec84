"""Erasing and substituting, by another route: step by step with weights that are given."""

import numpy as np
import pytest
import torch

from regard.inspection import InspectionSettings, erase, substitute
from regard.text import Batch, Source
from tests.inspection.test_checks import LOOKING, batch_of
from tests.tiny import model_of

SETTINGS = InspectionSettings(permutations=3, substitutes=2)


def examined(model, batch: Batch, numbers=(0, 1, 2)):
    encoding = model.encode(batch.source)
    return erase(model.decoder, encoding, batch.inputs, batch.target, batch.mask,
                 settings=SETTINGS, numbers=list(numbers), is_apart=True)  # fmt: skip


def alone(batch: Batch, row: int) -> Batch:
    from regard.inspection.checks import _alone

    return _alone(batch, row)


@torch.no_grad()
@pytest.mark.parametrize("kind", ["lstm", "additive", "sparsemax", "two layers", "residual"])
def test_an_effect_is_that_of_one_step_with_other_weights(kind):
    """Loops over steps and positions: weights zeroed, divided by what is left, mixed anew."""
    model, batch = model_of(kind), batch_of()
    for row, found in enumerate(examined(model, batch)):
        one = alone(batch, row)
        state = model.decoder.start(model.encode(one.source))
        for place, (tokens, target) in enumerate(zip(one.inputs[0], one.target[0], strict=True)):
            step = model.decoder.step(tokens[None], state)
            base = step.logits.log_softmax(-1)[0, target]
            assert found.log_probs[place] == pytest.approx(float(base), abs=1e-4)
            np.testing.assert_allclose(found.weights[place], step.weights[0].detach(), atol=1e-5)
            for position in range(step.weights.shape[1]):
                weights = step.weights.clone()
                weights[0, position] = 0
                left = weights.sum()
                if left > 0:
                    weights = weights / left
                else:
                    weights = torch.ones_like(weights) / (weights.shape[1] - 1)
                    weights[0, position] = 0
                erased = model.decoder.step(tokens[None], state, weights)
                effect = base - erased.logits.log_softmax(-1)[0, target]
                assert found.effects[place, position] == pytest.approx(float(effect), abs=2e-4)
            even = torch.full_like(step.weights, 1 / step.weights.shape[1])
            uniform = model.decoder.step(tokens[None], state, even).logits.log_softmax(-1)
            assert found.uniform[place] == pytest.approx(float(base - uniform[0, target]), abs=2e-4)
            keeps = int(uniform.argmax()) == int(step.logits.argmax())
            assert bool(found.keeps_uniform[place]) == keeps
            state = step.state


@pytest.mark.parametrize("kind", LOOKING)
def test_what_is_found_does_not_depend_on_the_batch(kind):
    model, batch = model_of(kind), batch_of()
    for row, among in enumerate(examined(model, batch)):
        (own,) = examined(model, alone(batch, row), [row])
        for name in ("log_probs", "weights", "effects", "uniform", "permuted", "heads"):
            np.testing.assert_allclose(
                vars(own)[name], vars(among)[name], atol=3e-4, err_msg=f"{name} of row {row}"
            )


@pytest.mark.parametrize("kind", ["transformer", "ensemble", "ensemble of transformers"])
def test_heads_and_members_are_tested_apart_as_well(kind):
    model, batch = model_of(kind), batch_of()
    for found in examined(model, batch):
        count = len(found.heads)
        assert count > 1
        assert found.head_effects.shape == (count, *found.effects.shape)
        np.testing.assert_allclose(found.heads.mean(0), found.weights, atol=1e-5)
        assert np.isfinite(found.head_effects).all()


def test_an_ensemble_of_alike_members_is_tested_as_one_of_them():
    from regard.model import build, joined
    from tests.tiny import settings_of, vocabularies

    single, batch = model_of("lstm"), batch_of()
    both = build(settings_of({"members": 2}), vocabularies()).eval()
    both.load_state_dict(joined([single.state_dict()] * 2))
    for one, other in zip(examined(single, batch), examined(both, batch), strict=True):
        np.testing.assert_allclose(one.effects, other.effects, atol=1e-4)
        np.testing.assert_allclose(one.permuted, other.permuted, atol=1e-4)


def test_a_permutation_keeps_the_weights_and_moves_them():
    from regard.inspection.erasure import _permuted

    heads = torch.rand(1, 2, 1, 6)
    opened = torch.tensor([[True, True, True, True, False, True]])
    for weights in _permuted(heads, opened, [2], SETTINGS, [0]):
        assert torch.equal(weights[..., 4], heads[..., 4])
        assert torch.equal(weights.sort(-1).values, heads.sort(-1).values)


@torch.no_grad()
@pytest.mark.parametrize("kind", ["tags apart", "tags apart and input feeding"])
def test_where_tags_are_apart_what_is_erased_stays_with_its_kind(kind):
    """Loops once more: a symbol's weight goes to symbols, a tag's to tags, if there are others."""
    model, batch = model_of(kind, tags=True), batch_of(tags=True)
    for row, found in enumerate(examined(model, batch)):
        one = alone(batch, row)
        assert found.blocks == (one.source.tokens.shape[1], one.source.tags.shape[1])
        state, symbols = model.decoder.start(model.encode(one.source)), one.source.tokens.shape[1]
        for place, (tokens, target) in enumerate(zip(one.inputs[0], one.target[0], strict=True)):
            step = model.decoder.step(tokens[None], state)
            base, weights = step.logits.log_softmax(-1)[0, target], step.weights[0]
            assert float(weights[symbols:].sum()) == pytest.approx(0.5, abs=1e-5)
            for position in range(len(weights)):
                own = range(symbols) if position < symbols else range(symbols, len(weights))
                others = [other for other in own if other != position]
                changed = weights.clone()
                changed[position] = 0
                if others:
                    changed[others] *= 1 + weights[position] / weights[others].sum()
                else:
                    changed /= 1 - weights[position]
                erased = model.decoder.step(tokens[None], state, changed[None])
                effect = base - erased.logits.log_softmax(-1)[0, target]
                assert found.effects[place, position] == pytest.approx(float(effect), abs=2e-4)
            even = torch.full_like(weights, 1 / len(weights))
            uniform = model.decoder.step(tokens[None], state, even[None]).logits.log_softmax(-1)
            assert found.uniform[place] == pytest.approx(float(base - uniform[0, target]), abs=2e-4)
            state = step.state


@pytest.mark.parametrize("kind", ["lstm", "transformer", "ensemble"])
@pytest.mark.parametrize("tags", [False, True])
def test_substitution_reads_the_source_anew_with_another_symbol(kind, tags):
    from regard.inspection.substitution import _others

    model, batch = model_of(kind, tags), batch_of(tags)
    found = substitute(model, batch, symbols=12, settings=SETTINGS, numbers=[5, 6, 7])
    for row, effects in enumerate(found):
        one = alone(batch, row)
        length = int(one.source.mask.sum()) - 1
        tokens = one.source.tokens[0, :length].numpy()
        tries = _others(tokens, 12, SETTINGS, 5 + row)
        assert all(token != tokens[place] and 4 <= token < 12 for place, token in tries)
        base = log_probs(model, one, one.source.tokens)
        for place in range(length):
            each = []
            for token in tries[tries[:, 0] == place, 1]:
                changed = one.source.tokens.clone()
                changed[0, place] = int(token)
                each.append(base - log_probs(model, one, changed))
            expected = torch.stack(each).mean(0).detach().numpy()
            np.testing.assert_allclose(effects[:, place], expected, atol=3e-4)


def log_probs(model, batch: Batch, tokens: torch.Tensor) -> torch.Tensor:
    source = Source(tokens, batch.source.mask, batch.source.tags, batch.source.tags_mask)
    logits = model(source, batch.inputs).logits.log_softmax(-1)
    return logits.gather(-1, batch.target.unsqueeze(-1))[0, :, 0]


def test_a_vocabulary_of_one_symbol_has_only_itself():
    from regard.inspection.substitution import _others

    assert set(_others(np.array([4, 4]), 5, SETTINGS, 0)[:, 1]) == {4}
