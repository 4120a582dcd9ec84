"""What is promised of any model, over models, strings and batches that are drawn at random."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import regard
from regard import Predictor, VocabularyError
from regard.decoder import EnsembleDecoder
from regard.encoder import EnsembleEncoder
from regard.model import Saved, Seq2Seq, build
from regard.search import beam, greedy
from regard.text import END, START, UNKNOWN, Pair, tags_of
from tests.strategies import predictors, questions
from tests.tiny import KINDS, settings_of, sources, vocabularies

BEAMS = st.sampled_from([1, 3])
FEW, MORE = settings(max_examples=15), settings(max_examples=25)


def assert_close(one: float, other: float) -> None:
    assert one == pytest.approx(other, rel=1e-5, abs=1e-5)


def assert_same(one, other) -> None:
    """Two predictions, or candidates, agree in all that is promised."""
    assert one.text == other.text
    assert_close(one.log_prob, other.log_prob)
    assert (one.alignment is None) == (other.alignment is None)
    if one.alignment is not None:
        assert one.alignment.source == other.alignment.source
        assert one.alignment.target == other.alignment.target
        np.testing.assert_allclose(one.alignment.weights, other.alignment.weights, atol=1e-5)


def bits(predictor: Predictor, asked: list[tuple[str, str]], beam_size: int) -> list[tuple]:
    """All that is predicted, as it can be compared bit for bit."""
    return [
        (
            one.text,
            one.log_prob,
            one.is_complete,
            None if one.alignment is None else one.alignment.weights.tobytes(),
        )
        for prediction in predictor.predict(asked, beam_size=beam_size, n_best=beam_size)
        for one in prediction.candidates
    ]


@MORE
@given(data=st.data(), predictor=predictors(), beam_size=BEAMS)
def test_a_string_is_the_same_alone_in_any_batch_and_in_any_order(data, predictor, beam_size):
    """Promises 1 and 2: as many answers as sources, in their order, each as if it were alone."""
    batch = data.draw(st.lists(questions(predictor, longest=15), min_size=1, max_size=5))
    order = data.draw(st.permutations(range(len(batch))))
    together = predictor.predict(batch, beam_size=beam_size)
    turned = predictor.predict([batch[place] for place in order], beam_size=beam_size)
    assert [one.source for one in together] == [source for source, _ in batch]
    assert len(turned) == len(batch)
    for place, one in zip(order, turned, strict=True):
        assert_same(one, together[place])
    place = data.draw(st.sampled_from(range(len(batch))))
    (alone,) = predictor.predict([batch[place]], beam_size=beam_size)
    assert_same(alone, together[place])
    assert alone.unseen == together[place].unseen


@FEW
@given(data=st.data(), predictor=predictors())
def test_a_beam_of_one_is_greedy_search(data, predictor):
    batch = data.draw(st.lists(questions(predictor), min_size=1, max_size=4))
    asked = [predictor.reader.read(Pair(source, "", tags_of(tags))) for source, tags in batch]
    source = predictor.reader.batch(asked, torch.device("cpu"))
    encoding = predictor.model.encode(source)
    given = (
        torch.tensor([predictor.reader.limit(one) for one in asked]),
        (source.tokens == UNKNOWN).any(1),
    )
    first = greedy(predictor.model.decoder, encoding, *given)
    for one, (other,) in zip(
        first, beam(predictor.model.decoder, encoding, *given, size=1), strict=True
    ):
        assert (one.tokens, one.is_complete) == (other.tokens, other.is_complete)
        assert_close(one.log_prob, other.log_prob)
        if one.weights is not None:
            np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)


@MORE
@given(data=st.data(), predictor=predictors(), beam_size=BEAMS)
def test_what_is_written_and_then_forced_is_the_same(data, predictor, beam_size):
    """Promises 3 and 4, for each candidate: its log-probability, and the map it is shown with."""
    source, tags = data.draw(questions(predictor))
    (found,) = predictor.predict([(source, tags)], beam_size=beam_size, n_best=beam_size)
    pairs = [Pair(source, one.text, tags_of(tags)) for one in found.candidates]
    for pair, one, hypothesis in zip(pairs, found.candidates, predictor.forced(pairs), strict=True):
        assert_close(one.log_prob, hypothesis.log_prob)
        alignment = predictor.alignment_of(pair, hypothesis)
        assert (alignment is None) == (one.alignment is None)
        if alignment is not None:
            np.testing.assert_allclose(alignment.weights, one.alignment.weights, atol=1e-5)


@FEW
@torch.no_grad()
@given(data=st.data(), predictor=predictors())
def test_a_log_probability_is_the_sum_of_its_symbols(data, predictor):
    """By another route: each symbol's probability, one step after the other."""
    source, tags = data.draw(questions(predictor, longest=4))
    pair = Pair(source, data.draw(st.text("abcdefghß", max_size=4)), tags_of(tags))
    encoding = predictor.model.encode(
        predictor.reader.batch([predictor.reader.read(pair)], torch.device("cpu"))
    )
    state, tokens, total = predictor.model.decoder.start(encoding), torch.tensor([START]), 0.0
    for token in [*predictor.reader.target_tokens(pair), END]:
        step = predictor.model.decoder.step(tokens, state)
        total += math.log(step.logits[0].double().softmax(-1)[token].item())
        state, tokens = step.state, torch.tensor([token])
    assert_close(next(predictor.forced([pair])).log_prob, total)


@FEW
@given(predictor=predictors(), lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_rows_sum_to_one_and_padding_gets_nothing(predictor, lengths):
    """Promise 5; a model with dropout among the others, which must not be in what is shown."""
    source = sources(*lengths, tags=predictor.has_tags)
    inputs = torch.randint(4, 12, (len(lengths), 5))
    encoding = predictor.model.encode(source)
    weights = predictor.model.decoder(inputs, encoding).weights
    if weights is not None:
        assert (weights >= 0).all()
        torch.testing.assert_close(
            weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-6, rtol=0
        )
        assert (weights.masked_select(~encoding.mask[:, None]) == 0).all()


@FEW
@given(data=st.data(), predictor=predictors(members=1), count=st.integers(1, 3))
def test_an_ensemble_of_one_is_its_member_however_often(data, predictor, count):
    model = predictor.model
    joint = Seq2Seq(
        EnsembleEncoder([model.encoder] * count), EnsembleDecoder([model.decoder] * count)
    )
    whole = Predictor(Saved(predictor.settings, predictor.saved.vocabularies, joint))
    batch = data.draw(st.lists(questions(predictor), min_size=1, max_size=3))
    beam_size = data.draw(BEAMS)
    for one, other in zip(
        predictor.predict(batch, beam_size=beam_size),
        whole.predict(batch, beam_size=beam_size),
        strict=True,
    ):
        assert_same(one, other)


@settings(max_examples=8)
@given(data=st.data(), predictor=predictors(), beam_size=BEAMS)
def test_saved_and_loaded_is_the_same_bit_for_bit(tmp_path_factory, data, predictor, beam_size):
    folder = tmp_path_factory.mktemp("saved") / "model"
    predictor.save(folder)
    batch = data.draw(st.lists(questions(predictor), min_size=1, max_size=3))
    assert bits(predictor, batch, beam_size) == bits(regard.load(folder), batch, beam_size)


@pytest.fixture
def threads():
    """Sets how many threads torch works with; afterwards it is what it was."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.mark.parametrize("kind", ["gru", "input feeding", "transformer"])
def test_one_thread_and_two_find_the_same(threads, kind):
    """Of a size at which torch divides the work; then, for some kinds, the last bits differ."""
    options = {
        f"{side}.{what}_size": 64
        for side in ("encoder", "decoder")
        for what in ("embedding", "hidden")
    }
    if kind != "transformer":
        options["encoder.hidden_size"] = 32
    chosen = settings_of(KINDS[kind] | options | {"length_ratio": 1.0})
    known = vocabularies()
    predictor = Predictor(Saved(chosen, known, build(chosen, known).eval()))
    words = ["abcdefgh" * count for count in (1, 2)] * 8 + ["h", "gg"]
    found = []
    for count in (1, 2):
        threads(count)
        found.append(predictor.predict(words))
    for one, other in zip(*found, strict=True):
        assert_same(one, other)


@settings(max_examples=30)
@given(data=st.data(), policy=st.sampled_from(["copy", "unknown", "error"]))
def test_unseen_symbols_are_reported_and_treated_as_the_policy_says(data, policy):
    """Promise 7, with a model that writes "unknown" wherever it may."""
    predictor = data.draw(predictors(members=1, unseen=policy))
    with torch.no_grad():
        for name, parameter in predictor.model.named_parameters():
            if name.endswith("write.bias"):
                parameter[UNKNOWN] = 1000
    batch = data.draw(st.lists(questions(predictor), min_size=1, max_size=3))
    expected = [unseen_of(source, tags) for source, tags in batch]
    if policy == "error" and any(expected):
        with pytest.raises(VocabularyError, match="never seen in training"):
            predictor.predict(batch)
        return
    for found, places in zip(predictor.predict(batch), expected, strict=True):
        assert [(one.symbol, one.start, one.end) for one in found.unseen] == places
        letters = {symbol for symbol, start, _ in places if start is not None}
        is_copied = policy == "copy" and found.alignment is not None
        written = letters if is_copied else {"\ufffd"}
        assert set(found.text) <= (written if letters else set("abcdefgh"))
        assert found.text or not letters


def unseen_of(source: str, tags: str) -> list[tuple[str, int | None, int | None]]:
    """What is to be reported of a question."""
    letters = [
        (letter, place, place + 1)
        for place, letter in enumerate(source)
        if letter not in "abcdefgh"
    ]
    return [*letters, *((tag, None, None) for tag in tags_of(tags) if tag not in "VNX")]
