import numpy as np
import pytest
import torch

from regard.model import build, joined
from regard.text import START
from tests.tiny import KINDS, model_of, settings_of, sources, vocabularies

LOOKING = [kind for kind in KINDS if "none" not in kind]


def inputs_for(source, length=5):
    return torch.randint(4, 12, (len(source.tokens), length)).index_fill_(
        1, torch.tensor([0]), START
    )


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_forward_is_the_chain_of_steps(kind, tags):
    model = model_of(kind, tags)
    source = sources(3, 6, 1, tags=tags)
    inputs = inputs_for(source)
    encoding = model.encode(source)
    decoded = model.decoder(inputs, encoding)
    state = model.decoder.start(encoding)
    for place, tokens in enumerate(inputs.unbind(1)):
        step = model.decoder.step(tokens, state)
        torch.testing.assert_close(step.logits, decoded.logits[:, place], atol=1e-4, rtol=1e-4)
        if decoded.weights is not None:
            torch.testing.assert_close(
                step.weights, decoded.weights[:, place], atol=1e-5, rtol=1e-4
            )
        state = step.state


@pytest.mark.parametrize("kind", KINDS)
def test_rows_kept_dropped_or_repeated_go_on_as_they_were(kind):
    model = model_of(kind)
    source = sources(3, 6, 2)
    inputs = inputs_for(source)
    encoding = model.encode(source)
    state = model.decoder.start(encoding)
    chosen = torch.tensor([2, 0, 2])
    first = model.decoder.step(inputs[:, 0], state)
    after = model.decoder.step(inputs[:, 1], first.state)
    other = model.decoder.step(inputs[chosen, 1], first.state.select(chosen))
    torch.testing.assert_close(other.logits, after.logits[chosen], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_symbol_changes_nothing_before_it(kind):
    model = model_of(kind)
    source = sources(4, 4)
    inputs = inputs_for(source)
    encoding = model.encode(source)
    changed = inputs.clone()
    changed[:, 3] = 4 + (changed[:, 3] - 3) % 8
    before, after = model.decoder(inputs, encoding), model.decoder(changed, encoding)
    torch.testing.assert_close(before.logits[:, :3], after.logits[:, :3])
    assert not torch.allclose(before.logits[:, 3:], after.logits[:, 3:])


@pytest.mark.parametrize("kind", KINDS)
def test_the_output_layer_gives_the_steps_logits(kind):
    model = model_of(kind)
    source = sources(4, 2)
    step = model.decoder.step(inputs_for(source)[:, 0], model.decoder.start(model.encode(source)))
    torch.testing.assert_close(model.decoder.logits(step.hidden, step.context), step.logits)
    other = model.decoder.logits(step.hidden, step.context + torch.randn_like(step.context))
    assert not torch.allclose(other, step.logits)


@pytest.mark.parametrize("kind", LOOKING)
def test_weights_that_are_given_take_the_place_of_the_looks_own(kind):
    model = model_of(kind)
    source = sources(4, 2)
    state = model.decoder.start(model.encode(source))
    tokens = inputs_for(source)[:, 0]
    own = model.decoder.step(tokens, state)
    if "transformer" not in kind and "ensemble" not in kind:
        same = model.decoder.step(tokens, state, own.weights)
        torch.testing.assert_close(same.logits, own.logits, atol=1e-5, rtol=1e-5)
    forced = torch.zeros_like(own.weights)
    forced[:, 0] = 1
    other = model.decoder.step(tokens, state, forced)
    assert torch.equal(other.weights, forced)
    assert not torch.allclose(other.logits, own.logits)


@pytest.mark.parametrize("kind", LOOKING)
def test_weights_are_a_distribution_over_real_positions(kind):
    model = model_of(kind)
    source = sources(4, 1, 7)
    encoding = model.encode(source)
    weights = model.decoder(inputs_for(source), encoding).weights
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-6, rtol=0)
    assert (weights.masked_select(~encoding.mask[:, None]) == 0).all()


@pytest.mark.parametrize("kind", LOOKING)
def test_scores_are_what_the_weights_were_made_of(kind):
    model = model_of(kind)
    source = sources(3)
    state = model.decoder.start(model.encode(source))
    step = model.decoder.step(inputs_for(source)[:, 0], state)
    scores = model.decoder.scores(step.hidden, state)
    normalize = model.decoder.attention.normalize if kind == "sparsemax" else torch.softmax
    weights = normalize(scores, None) if kind == "sparsemax" else normalize(scores, -1)
    torch.testing.assert_close(weights.mean(1), step.weights, atol=1e-5, rtol=1e-5)


def test_the_baseline_never_looks_back():
    decoder = model_of("none").decoder
    source = sources(3)
    model = model_of("none")
    decoded = model(source, inputs_for(source))
    assert decoded.weights is None
    assert decoded.looks == ()
    assert decoder.alignment is None
    state = model.decoder.start(model.encode(source))
    assert model.decoder.scores(torch.zeros(1, 8), state) is None


def test_every_look_of_every_layer_and_head_is_kept():
    model = model_of("transformer")
    source = sources(3, 2)
    decoded = model(source, inputs_for(source))
    assert [look.weights.shape for look in decoded.looks] == [(2, 2, 5, 4)] * 2
    torch.testing.assert_close(decoded.looks[-1].weights.mean(1), decoded.weights)


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_the_same_whether_weights_are_wanted_or_not(kind, tags):
    model = model_of(kind, tags)
    source = sources(3, 5, tags=tags)
    inputs = inputs_for(source)
    wanted, unwanted = (model(source, inputs, needs_weights=needs) for needs in (True, False))
    torch.testing.assert_close(wanted.logits, unwanted.logits, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_reach_every_parameter(kind, tags):
    model = model_of(kind, tags)
    source = sources(3, 5, tags=tags)
    model(source, inputs_for(source)).logits.square().sum().backward()
    missing = [name for name, parameter in model.named_parameters() if parameter.grad is None]
    assert missing == []


@pytest.mark.parametrize("kind", ["ensemble", "ensemble of none", "ensemble of transformers"])
def test_an_ensemble_is_the_mean_of_its_members_in_probability_and_in_weights(kind):
    """By another route: each member as a model of its own, and numpy's mean."""
    options = {name: value for name, value in KINDS[kind].items() if name != "members"}
    whole = model_of(kind)
    members = []
    for index in range(KINDS[kind]["members"]):
        single = build(settings_of(options), vocabularies()).eval()
        key = f".members.{index}."
        single.load_state_dict(
            {
                name.replace(key, "."): tensor
                for name, tensor in whole.state_dict().items()
                if key in name
            }
        )
        members.append(single)
    source, inputs = sources(5, 3), torch.tensor([[1, 4, 5], [1, 6, 7]])
    decoded = whole(source, inputs)
    each = [single(source, inputs) for single in members]
    chances = np.mean([one.logits.softmax(-1).numpy(force=True) for one in each], axis=0)
    np.testing.assert_allclose(decoded.logits.exp().numpy(force=True), chances, atol=1e-6)
    if decoded.weights is not None:
        weights = np.mean([one.weights.numpy(force=True) for one in each], axis=0)
        np.testing.assert_allclose(decoded.weights.numpy(force=True), weights, atol=1e-6)
    joint = joined([single.state_dict() for single in members])
    assert joint.keys() == whole.state_dict().keys()
    assert all(torch.equal(joint[name], tensor) for name, tensor in whole.state_dict().items())


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_rows_selects_what_its_rows_in_a_line_select(kind, tags):
    """What belongs to a source may be kept once for its rows; nobody can tell."""
    model = model_of(kind, tags)
    source = sources(3, 6, 1, tags=tags)
    start = model.decoder.start(model.encode(source))
    tables = [[[0, 0, 0], [2, 2, 2]], [[2, 0, 1], [4, 3, 3]], [[3, 4, 5]], [[1, 0]]]
    shared, alone = start, start
    for table in tables:
        rows = torch.tensor(table)
        shared, alone = shared.select(rows), alone.select(rows.flatten())
        tokens = torch.arange(rows.numel()) % 8 + 4
        one, other = model.decoder.step(tokens, shared), model.decoder.step(tokens, alone)
        torch.testing.assert_close(one.logits, other.logits, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(one.hidden, other.hidden, atol=1e-5, rtol=1e-4)
        if one.weights is not None:
            torch.testing.assert_close(one.weights, other.weights, atol=1e-5, rtol=1e-4)
            scores = [
                model.decoder.scores(each.hidden, state)
                for each, state in ((one, shared), (other, alone))
            ]
            torch.testing.assert_close(*scores, atol=1e-3, rtol=1e-4)
        shared, alone = one.state, other.state


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_decoder_tells_of_its_look_belongs_together(kind, tags):
    """The context is that of these weights, the logits are those of this context."""
    model = model_of(kind, tags)
    source = sources(3, 6, 1, tags=tags)
    encoding = model.encode(source)
    decoded = model.decoder(inputs_for(source), encoding)
    logits = model.decoder.logits(decoded.hidden, decoded.context)
    close = {"atol": 1e-4, "rtol": 1e-4}
    torch.testing.assert_close(logits.log_softmax(-1), decoded.logits.log_softmax(-1), **close)
    if kind in LOOKING:
        contexts = model.decoder.contexts(decoded.heads, model.decoder.start(encoding))
        torch.testing.assert_close(contexts, decoded.context, **close)
        torch.testing.assert_close(decoded.heads.mean(2), decoded.weights, **close)
    else:
        assert decoded.heads is None
        assert decoded.weights is None


@pytest.mark.parametrize("kind", ["none", "ensemble of none"])
def test_a_decoder_that_never_looks_has_one_context(kind):
    model = model_of(kind)
    state = model.decoder.start(model.encode(sources(3, 2)))
    contexts = model.decoder.contexts(torch.rand(2, 5, 2, 4), state)
    torch.testing.assert_close(contexts[:, :1].expand_as(contexts), contexts)
