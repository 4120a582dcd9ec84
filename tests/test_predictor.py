import numpy as np
import pytest

import regard
from regard import DataError, Predictor, SettingsError, VocabularyError
from regard.model import Saved
from regard.text import Pair, Parallel
from tests.tiny import KINDS, model_of, settings_of, vocabularies

LOOKING = ["lstm", "additive", "input feeding", "transformer"]


def predictor_of(kind: str = "lstm", tags: bool = False, **options) -> Predictor:
    settings = settings_of(KINDS[kind]).with_values(options)
    return Predictor(Saved(settings, vocabularies(tags), model_of(kind, tags)))


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_string_is_predicted_the_same_alone_and_in_a_batch(kind, beam_size):
    predictor = predictor_of(kind)
    words = ["abc", "h", "abcdefgh" * 3, "ab", "xyz", "gg"]
    together = predictor.predict(words, beam_size=beam_size)
    assert [prediction.source for prediction in together] == words
    for word, among in zip(words, together, strict=True):
        alone = predictor.predict(word, beam_size=beam_size)
        assert alone.text == among.text
        assert alone.log_prob == pytest.approx(among.log_prob, abs=1e-4)
        if alone.alignment is not None:
            np.testing.assert_allclose(
                alone.alignment.weights, among.alignment.weights, atol=1e-5, rtol=1e-4
            )


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("kind", LOOKING)
def test_forcing_a_prediction_gives_back_its_score_and_alignment(kind, beam_size):
    predictor = predictor_of(kind)
    for prediction in predictor.predict(["abc", "hgfedcba"], beam_size=beam_size, n_best=3):
        for candidate in prediction.candidates:
            if not candidate.text or "<" in candidate.text or set(candidate.text) - set("abcdefgh"):
                continue
            pair = (prediction.source, candidate.text)
            assert predictor.log_prob([pair])[0] == pytest.approx(candidate.log_prob, abs=1e-4)
            (forced,) = predictor.align([pair])
            np.testing.assert_allclose(forced.weights, candidate.alignment.weights, atol=1e-5)
            assert forced.target == candidate.alignment.target


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("kind", LOOKING)
def test_alignments_are_distributions_labelled_in_the_users_characters(kind, tags):
    predictor = predictor_of(kind, tags)
    source = "abé"
    prediction = predictor.predict(source, tags="V;N" if tags else None)
    alignment = prediction.alignment
    np.testing.assert_allclose(alignment.weights.sum(1), 1, atol=1e-6)
    assert [label.role for label in alignment.source] == ["content"] * 3 + ["end"] + (
        ["tag"] * 2 if tags else []
    )
    assert [source[label.start : label.end] for label in alignment.source[:3]] == list(source)
    written = "".join(label.text for label in alignment.target if label.role == "content")
    assert written == prediction.text
    assert alignment.target[-1].role == "end"
    assert alignment.look == predictor.model.decoder.alignment


def test_n_best_are_different_strings_in_order():
    prediction = predictor_of().predict("abc", n_best=4)
    texts = [candidate.text for candidate in prediction.candidates]
    assert len(set(texts)) == len(texts) == 4
    assert prediction.text == texts[0]


class TestUnseenSymbols:
    @staticmethod
    def unknown_writer(policy: str) -> Predictor:
        import torch

        predictor = predictor_of(**{"text.unseen": policy})
        with torch.no_grad():
            predictor.model.decoder.output.write.bias[3] = 1000
        return predictor

    def test_they_are_reported_with_their_places(self):
        prediction = predictor_of().predict("aßc€")
        assert [(one.symbol, one.start, one.end) for one in prediction.unseen] == [
            ("ß", 1, 2),
            ("€", 3, 4),
        ]

    def test_copy_writes_the_unseen_symbol_that_is_looked_at(self):
        prediction = self.unknown_writer("copy").predict("aßc")
        assert set(prediction.text) == {"ß"}
        content = [label for label in prediction.alignment.target if label.role == "content"]
        assert "".join(label.text for label in content) == prediction.text

    def test_unknown_writes_a_replacement(self):
        assert set(self.unknown_writer("unknown").predict("aßc").text) == {"\ufffd"}

    def test_error_refuses_with_the_symbol_and_its_place(self):
        predictor = predictor_of(**{"text.unseen": "error"})
        with pytest.raises(VocabularyError, match="'ß' at place 1 was never seen"):
            predictor.predict(["abc", "aßc"])
        tagged = predictor_of(tags=True, **{"text.unseen": "error"})
        with pytest.raises(VocabularyError, match="a tag was never seen"):
            tagged.predict("ab", tags="Q")

    def test_a_tag_unseen_in_its_feature_or_joined_is_told_by_what_was_seen(self):
        predictor = predictor_of(tags=True)
        told = predictor.predict("ab", tags="V(N)+X")
        assert told.unseen == ()
        expected = predictor.predict("ab", tags="V;N;X").alignment
        assert told.alignment is not None
        assert expected is not None
        assert [one.text for one in told.alignment.source] == ["a", "b", "", "V", "N", "X"]
        assert np.array_equal(told.alignment.weights, expected.weights)

    def test_unseen_tags_are_reported_without_a_place(self):
        (one,) = predictor_of(tags=True).predict("ab", tags="V;Q").unseen
        assert (one.symbol, one.start) == ("Q", None)


class TestRefusals:
    def test_an_empty_source(self):
        with pytest.raises(DataError, match="empty"):
            predictor_of().predict(["a", ""])

    def test_a_source_that_is_too_long(self):
        predictor = predictor_of(**{"text.longest": 20})
        with pytest.raises(DataError, match=r"at most 20 symbols, found 50000"):
            predictor.predict("a" * 50_000)
        with pytest.raises(DataError, match="target of at most 20"):
            predictor.log_prob([("a", "a" * 21)])

    def test_tags_where_there_are_none_and_none_where_there_are(self):
        with pytest.raises(DataError, match="trained without"):
            predictor_of().predict("ab", tags="V")
        with pytest.raises(DataError, match="expected tags"):
            predictor_of(tags=True).predict("ab")

    def test_a_beam_of_nothing(self):
        with pytest.raises(SettingsError, match="must be >= 1"):
            predictor_of().predict("ab", beam_size=0)

    def test_an_alignment_of_a_model_that_never_looks(self):
        predictor = predictor_of("none")
        assert predictor.predict("ab").alignment is None
        with pytest.raises(SettingsError, match="never looks back"):
            predictor.align([("ab", "ab")])
        with pytest.raises(SettingsError, match="never looks back"):
            predictor.look_up(Pair("ab", "ab"), 1)


@pytest.mark.parametrize("kind", LOOKING)
def test_one_step_in_numbers_is_that_row_of_the_alignment(kind):
    predictor = predictor_of(kind)
    pair = Pair("abc", "hg")
    (alignment,) = predictor.align([("abc", "hg")])
    for step in (1, 2, 3):
        looked = predictor.look_up(pair, step)
        np.testing.assert_allclose(looked.weights, alignment.weights[step - 1], atol=1e-5)
        assert looked.written == ("h", "g", "‹end›")[step - 1]
        exponents = np.exp(looked.scores - looked.scores.max(1, keepdims=True))
        np.testing.assert_allclose(
            (exponents / exponents.sum(1, keepdims=True)).mean(0), looked.weights, atol=1e-5
        )
        assert looked.likeliest[0][1] >= looked.likeliest[1][1]
    with pytest.raises(SettingsError, match="expected 1 to 3"):
        predictor.look_up(pair, 4)


def test_evaluation_counts_exact_matches_and_signs_them():
    predictor = predictor_of()
    words = ["abc", "h", "gfe"]
    pairs = [(word, predictor.predict(word).text or "a") for word in words]
    evaluation = predictor.evaluate([*pairs, ("ab", "zzzz")])
    assert evaluation.pairs == 4
    assert evaluation.accuracy.value == pytest.approx(
        sum(predictor.predict(word).text == target for word, target in pairs) / 4
    )
    assert "beam 1" in evaluation.signature


def test_files_and_parallel_files_and_rows_are_all_pairs(tmp_path):
    (tmp_path / "pairs.tsv").write_text("ab\tcd\ne\tf\n")
    (tmp_path / "s").write_text("ab\ne\n")
    (tmp_path / "t").write_text("cd\nf\n")
    predictor = predictor_of()
    expected = predictor.log_prob([("ab", "cd"), ("e", "f")])
    assert predictor.log_prob(str(tmp_path / "pairs.tsv")) == expected
    assert predictor.log_prob(Parallel(tmp_path / "s", tmp_path / "t")) == expected
    (tmp_path / "turned.tsv").write_text("cd\tab\nf\te\n")
    assert predictor.with_text(columns="2,1").log_prob(tmp_path / "turned.tsv") == expected


def test_saved_and_loaded_predicts_the_same(tmp_path):
    predictor = predictor_of(tags=True)
    predictor.save(tmp_path / "model")
    again = regard.load(tmp_path / "model")
    sources = [("abc", "V"), ("h", "N;X")]
    before, after = predictor.predict(sources), again.predict(sources)
    assert [one.text for one in before] == [one.text for one in after]
    assert [one.log_prob for one in before] == [one.log_prob for one in after]


def test_composed_output_is_labelled_where_it_stands():
    from regard.predictor.writer import _written
    from regard.text import Segmenter

    letters = ["\u1112", "\u1161", "\u11ab", "\u1100", "\u1173"]
    segmenter = Segmenter("graphemes", "nfd", "nfc")
    text = segmenter.join(letters)
    labels = _written(letters, segmenter)
    assert text == "한그"
    assert [label.text for label in labels] == letters
    assert labels[-1].end == 2
    assert all(0 <= label.start <= label.end <= 2 for label in labels)


def test_letters_of_one_character_are_labelled_each_and_read_together():
    import torch

    from regard import Vocabulary
    from regard.model import Vocabularies, build

    letters = ["\u1112", "\u1161", "\u11ab", "\u1100", "\u1173", "\u11af"]
    known = Vocabularies(Vocabulary.of([letters]), Vocabulary.of([letters]))
    settings = settings_of({}).with_values(
        {
            f"text.{side}.{name}": form
            for side in ("source", "target")
            for name, form in (("normalize", "nfd"), ("output", "nfc"))
        }
    )
    torch.manual_seed(0)
    predictor = Predictor(Saved(settings, known, build(settings, known)))
    (alignment,) = predictor.align([("한글", "글한")])
    content = [label for label in alignment.source if label.role == "content"]
    assert [label.text for label in content] == letters
    assert [label.span for label in content] == [(0, 1)] * 3 + [(1, 2)] * 3
    assert str(alignment).startswith("한글 → 글한\n")


def test_more_lines_than_a_chunk_keep_their_order(monkeypatch):
    monkeypatch.setattr("regard.predictor.searcher.CHUNK", 3)
    predictor = predictor_of()
    words = ["abc", "h", "gfe", "a", "bb", "cde", "fg", "hh"]
    assert [one.source for one in predictor.predict(words)] == words
    assert len(predictor.log_prob([(word, "a") for word in words])) == 8


def test_a_prediction_goes_through_pickle_with_its_alignment():
    import pickle

    prediction = predictor_of().predict("abc", n_best=3)
    again = pickle.loads(pickle.dumps(prediction))
    assert again == prediction
    np.testing.assert_array_equal(again.alignment.weights, prediction.alignment.weights)
    assert again.alignment.target == prediction.alignment.target


def test_a_string_that_is_written_in_other_pieces_is_told_of_as_it_is_cut():
    """So that forcing it gives back its log-probability and its alignment."""
    import torch

    from regard import Vocabulary
    from regard.model import Vocabularies, build
    from regard.search import Hypothesis
    from regard.text import END, TIE, Pair

    known = Vocabulary.of([["reso", "re", f"{TIE}so"]])
    settings = settings_of({}).with_values(
        {"text.source.symbols": "subwords", "text.target.symbols": "subwords"}
    )
    torch.manual_seed(0)
    model = build(settings, Vocabularies(known, known)).eval()
    predictor = Predictor(Saved(settings, Vocabularies(known, known), model))
    asked = predictor.reader.read(Pair("re", ""))
    whole, first, second = known.encode(["reso", "re", f"{TIE}so"])
    weights = np.full((3, 2), 0.5, np.float32)
    ((found,),) = predictor.searcher._recut(
        [asked], [[Hypothesis((first, second, END), -0.1, weights)]]
    )
    assert found.tokens == (whole, END)
    assert found.log_prob == predictor.log_prob([("re", "reso")])[0]
    assert found.weights.shape == (2, 2)
    kept = Hypothesis((whole, END), -0.1, weights[:2])
    assert predictor.searcher._recut([asked], [[kept]]) == [[kept]]


class TestInspection:
    WORDS = ("abc", "h", "abcdefgh", "ab", "gg", "fed")

    @pytest.mark.parametrize("kind", [*LOOKING, "ensemble", "ensemble of transformers"])
    @pytest.mark.parametrize("beam_size", [1, 3])
    def test_a_tested_prediction_is_the_same_prediction(self, kind, beam_size):
        predictor = predictor_of(kind)
        pairs = [Pair(word, "") for word in self.WORDS]
        plain = list(predictor.stream(pairs, beam_size=beam_size))
        tested = list(predictor.stream(pairs, beam_size=beam_size, is_tested=True))
        for one, other in zip(plain, tested, strict=True):
            assert (one.text, one.log_prob) == (other.text, other.log_prob)
            np.testing.assert_allclose(one.alignment.weights, other.alignment.weights)
            assert one.alignment.trust is None
            assert len(other.alignment.row_labels()) == len(other.alignment.target)

    @pytest.mark.parametrize("tags", [False, True])
    @pytest.mark.parametrize("is_forced", [False, True])
    def test_every_pair_is_reported_in_order(self, tags, is_forced):
        predictor = predictor_of("lstm", tags)
        rows = [(word, word[::-1], "V;N")[: 3 if tags else 2] for word in self.WORDS]
        told = []
        found = predictor.inspect(
            rows, is_forced=is_forced, listen=lambda done, total: told.append((done, total))
        )
        assert [case.number for case in found.cases] == [1, 2, 3, 4, 5, 6]
        assert found.mode == ("forced" if is_forced else "free")
        assert found.verdict == "undetermined"
        assert all(check.is_met for check in found.checks)
        assert told[-1][0] == told[-1][1]
        if is_forced:
            assert [case.text for case in found.cases] == [word[::-1] for word in self.WORDS]

    def test_its_figures_are_plain_and_none_is_nan(self):
        import json

        found = predictor_of("transformer").inspect([(word, word) for word in self.WORDS])
        table = json.loads(json.dumps(found.to_table(), allow_nan=False))
        for name in ("verdict", "reasons", "checks", "gap", "agree", "uniform", "keep", "flags"):
            assert name in table
        assert set(table["gap"]) == {"value", "low", "high"}
        assert [head["name"] for head in table["heads"]] == ["head 1", "head 2"]
        assert len(table["sentences"]) == 6

    def test_members_and_their_heads_are_named(self):
        pairs = [(word, word) for word in self.WORDS]
        found = predictor_of("ensemble of transformers").inspect(pairs)
        names = [head.name for head in found.use.heads]
        assert names[0] == "model 1, head 1"
        assert names[-1] == "model 2, head 2"
        ensemble = predictor_of("ensemble").inspect(pairs)
        assert [head.name for head in ensemble.use.heads] == ["model 1", "model 2", "model 3"]
        assert "redundant" not in str(ensemble.shape.flags)

    def test_a_map_that_is_not_valid_gets_no_verdict_but_that(self):
        from regard.attention import ScaledDotScore
        from tests.inspection.test_checks import ZeroedAfterwards

        predictor = predictor_of()
        predictor.model.decoder.attention = ZeroedAfterwards(ScaledDotScore())
        found = predictor.inspect([(word, word) for word in self.WORDS])
        assert found.verdict == "invalid"
        assert found.use is None
        assert found.to_table()["verdict"] == "invalid"
        assert found.headline.startswith("INVALID: map not valid")

    def test_loading_a_model_with_such_a_map_warns(self, tmp_path, monkeypatch, caplog):
        from regard.inspection import Check

        predictor = predictor_of()
        predictor.save(tmp_path / "m")
        failed = (Check("I1", "rows sum to one", 0.5, 1e-4),)
        monkeypatch.setattr("regard.predictor.predictor.checks_of", lambda *_: failed)
        regard.load(tmp_path / "m")
        assert "map not valid: I1 FAILS" in caplog.text

    def test_a_model_that_never_looks_and_no_pairs_are_refused(self):
        with pytest.raises(SettingsError, match="no map to inspect"):
            predictor_of("none").inspect([("a", "b")])
        with pytest.raises(DataError, match="found none"):
            predictor_of().inspect([])
        assert predictor_of("none").checks == ()

    def test_many_pairs_have_outliers_and_a_summary(self):
        from regard.inspection import outliers

        found = predictor_of().inspect([(word, word) for word in self.WORDS * 20])
        assert found.verdict in ("supported", "partial", "not supported", "undetermined")
        shapes = [case.shape for case in found.cases]
        odd = outliers(shapes)
        assert len(odd) <= 2
        flagged = {case.number - 1 for case in found.cases if "outlier" in str(case.flags)}
        assert flagged == set(odd)
        assert outliers(shapes[:50]) == {}
        assert len(found.doubtful()) == 120

    @pytest.mark.parametrize("method", ["weights", "erasure", "substitution"])
    @pytest.mark.parametrize("rows", ["predicting", "following"])
    def test_maps_of_every_method_are_distributions(self, method, rows):
        from regard.predictor import Linking, links, maps

        predictor = predictor_of("lstm", True)
        pairs = [Pair(word, word[::-1], ("V",)) for word in self.WORDS]
        linking = Linking(method, "mutual", rows=rows)
        for pair, one in zip(pairs, maps(predictor, pairs, linking), strict=True):
            np.testing.assert_allclose(one.weights.sum(1), 1, atol=1e-5)
            assert one.weights.shape == (len(pair.target) + 1, len(pair.source) + 2)
        assert len(list(links(predictor, pairs, linking))) == len(pairs)

    def test_two_directions_are_joined(self):
        from regard.predictor import Linking, links

        predictor, pairs = predictor_of(), [Pair("abc", "ab"), Pair("ab", "ba")]
        one = list(links(predictor, pairs, Linking()))
        turned = [Pair(pair.target, pair.source) for pair in pairs]
        other = list(links(predictor, turned, Linking()))
        joined = links(predictor, pairs, Linking(symmetry="union"), predictor)
        for forwards, backwards, both in zip(one, other, joined, strict=True):
            assert set(both) == set(forwards) | {(link.target, link.source) for link in backwards}

    def test_links_of_a_model_that_never_looks_are_refused(self):
        from regard.predictor import Linking, links

        with pytest.raises(SettingsError, match="no alignment"):
            list(links(predictor_of("none"), [Pair("a", "b")], Linking()))


@pytest.mark.parametrize("is_tested", [False, True])
@pytest.mark.parametrize("n_best", [1, 2])
def test_a_stream_is_read_a_chunk_at_a_time(monkeypatch, is_tested, n_best):
    """So any number of lines is predicted in the same memory."""
    for module in ("searcher", "predicting"):
        monkeypatch.setattr(f"regard.predictor.{module}.CHUNK", 4)
    predictor, asked = predictor_of("lstm"), []

    def sources():
        for index in range(50):
            asked.append(index)
            yield Pair("abcdefgh"[index % 8], "")

    stream = predictor.stream(sources(), n_best=n_best, is_tested=is_tested)
    assert asked == []
    for done in range(1, 51):
        next(stream)
        assert len(asked) <= 4 * -(-done // 4)
