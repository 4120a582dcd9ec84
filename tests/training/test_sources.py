import io
import sys
from pathlib import Path

import pytest

from regard import DataError, RunSettings, SettingsError, StoppedError, train
from regard.text import Columns, Files, Pair
from regard.training import Chosen, Reading
from regard.training.sources import _limit, pairs_from
from tests.training.test_training import StopAfter, tiny


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name: str, *words: str) -> Path:
        Path(name).write_text("".join(f"{word}\t{word[::-1]}\n" for word in words), "utf-8")
        return Path(name)

    return write


def sources(data) -> list[str]:
    return [pair.source for pair in pairs_from(data, Columns()).again()]


def test_several_files_are_one_set_and_each_pair_knows_its_own_place(write):
    one, other = write("one.tsv", "ab", "cd"), write("other.tsv", "ef")
    pairs = pairs_from([one, other], Columns())
    assert [(pair.source, pair.file, pair.line) for pair in pairs.again()] == [
        ("ab", "one.tsv", 1),
        ("cd", "one.tsv", 2),
        ("ef", "other.tsv", 1),
    ]
    assert list(pairs.again()) == list(pairs.again())
    assert pairs.name == "one.tsv, other.tsv"
    assert sources(Files.of(["o*.tsv"])) == sources("o*.tsv") == ["ab", "cd", "ef"]


def test_a_list_of_paths_is_files_and_any_other_list_is_rows(write):
    path = write("one.tsv", "ab")
    assert sources([path]) == ["ab"]
    assert sources([("ab", "ba"), Pair("c", "c")]) == ["ab", "c"]
    assert sources(row for row in [("ab", "ba")]) == ["ab"]
    for mixed in ([path, ("ab", "ba")], ["one.tsv", "one.tsv"]):
        with pytest.raises(DataError, match=r"pair 1: .*Files are given as Path objects"):
            pairs_from(mixed, Columns())


def test_a_fault_in_one_of_several_files_is_named_with_its_own_line(write):
    one, other = write("one.tsv", "ab"), write("other.tsv", "cd")
    other.write_text("cd\tdc\nno tab\n")
    with pytest.raises(DataError, match=r"^other\.tsv, line 2: expected 2 columns"):
        sources([one, other])
    other.write_text("cd\tdc\n" + "a" * 50 + "\tb\n")
    settings = RunSettings().with_values({"text.longest": 20})
    with pytest.raises(DataError, match=r"^other\.tsv, line 2: expected a source of at most 20"):
        train([one, other], [("ab", "ba")], settings=settings)
    other.write_text("\n")
    with pytest.raises(DataError, match=r"^other\.tsv: expected lines of text, found none"):
        sources([one, other])


def test_standard_input_is_one_of_several(write, monkeypatch):
    one = write("one.tsv", "ab")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"cd\tdc\n")))
    pairs = pairs_from([one, Path("-")], Columns())
    assert [pair.source for _ in range(2) for pair in pairs.again()] == ["ab", "cd"] * 2


def test_several_files_train_as_one_file_of_their_lines_does(write):
    words = [f"{a}{b}" for a in "abcd" for b in "efgh"]
    parts = [write("part-1.tsv", *words[:9]), write("part-2.tsv", *words[9:])]
    whole, dev = write("whole.tsv", *words), write("dev.tsv", *words[:4])
    one = train(whole, dev, settings=tiny()).model.state_dict()
    other = train(parts, [dev], settings=tiny()).model.state_dict()
    assert all(tensor.equal(other[name]) for name, tensor in one.items())


class TestTokensOnDisk:
    """A store changes where tokens lie, and no bit of what is learnt."""

    @staticmethod
    def words() -> list[str]:
        return [f"{a}{b}{c}" for a in "abcdefg" for b in "hijkl" for c in "mnop"]

    @pytest.mark.parametrize("dev", [None, "dev.tsv"])
    @pytest.mark.parametrize("guided", [0.0, 1.0])
    def test_the_bits_are_the_same(self, write, dev, guided):
        path = write("train.tsv", *self.words())
        write("dev.tsv", *self.words()[:5])
        models = {}
        for store in ("memory", "disk", "again"):
            options = {"training.store": store if store != "again" else "disk"}
            settings = tiny(**options, **{"training.guided": guided, "training.epochs": 1})
            output = Path("disk" if store == "again" else store)
            models[store] = train(path, dev, output=output, settings=settings, overwrite=True)
        states = {name: model.model.state_dict() for name, model in models.items()}
        for name in ("disk", "again"):
            assert all(one.equal(states[name][key]) for key, one in states["memory"].items())
        assert Path("disk.tokens").is_dir()
        assert not Path("memory.tokens").exists()
        assert not any("tokens" in path.name for path in Path("disk").rglob("*"))

    def test_it_is_used_again_while_the_text_is_the_same_and_no_longer(self, write, monkeypatch):
        from regard.training import prepare

        surveyed, survey = [], prepare.survey
        monkeypatch.setattr(
            prepare, "survey", lambda *given: (surveyed.append(1), survey(*given))[1]
        )

        def run(**options) -> tuple[int, Chosen]:
            news, before = [], len(surveyed)
            settings = tiny(**{"training.store": "disk", "training.epochs": 1}, **options)
            train("train.tsv", "train.tsv", output="m", settings=settings, overwrite=True,
                  listen=news.append)  # fmt: skip
            return len(surveyed) - before, news[0]

        write("train.tsv", *self.words())
        assert run()[0] == 1
        read, chosen = run()
        assert (read, chosen.store, chosen.train_pairs) == (0, Path("m.tokens"), 140)
        assert run(**{"training.seed": 1})[0] == 0
        assert run(**{"text.source.normalize": "nfd"})[0] == 1
        write("train.tsv", *self.words()[:-1], "gxp")
        assert run()[0] == 1
        Path("m.tokens/source.ids").write_bytes(b"x")
        assert run()[0] == 1
        assert run()[0] == 0

    def test_stopped_and_resumed_with_it_gives_the_bits_of_never_stopped(self, write):
        path = write("train.tsv", *self.words())
        settings = tiny(**{"training.store": "disk"})
        whole = train(path, path, output="whole", settings=settings).model.state_dict()
        with pytest.raises(StoppedError):
            train(path, path, output="m", settings=settings, listen=StopAfter(11))
        other = tiny(**{"training.store": "memory"})
        model = train(path, path, output="m", settings=other, resume=True).model
        assert all(one.equal(whole[name]) for name, one in model.state_dict().items())

    def test_resuming_may_put_them_elsewhere(self, write, monkeypatch):
        path, places = write("train.tsv", *self.words()), []
        settings = tiny(**{"training.store": "disk"})
        with pytest.raises(StoppedError):
            train(path, path, output="m", settings=settings, listen=StopAfter(11))

        def listen(news: object) -> None:
            places.extend([news.store] if isinstance(news, Chosen) else [])

        other = tiny(**{"training.store": "memory"})
        train(path, path, output="m", settings=other, resume=True, listen=listen)
        assert places == [None]

    def test_there_must_be_a_place_for_it(self, write):
        path, settings = write("train.tsv", *self.words()), tiny(**{"training.store": "disk"})
        with pytest.raises(SettingsError, match=r"training\.store is 'disk': expected files"):
            train(path, path, settings=settings)
        with pytest.raises(SettingsError, match=r"training\.store is 'disk': expected files"):
            train([("ab", "ba")] * 20, [("ab", "ba")], output="m", settings=settings)

    def test_large_data_lies_there_unasked_and_small_data_does_not(self, write, monkeypatch):
        path = write("train.tsv", *self.words())
        train(path, path, output="small", settings=tiny())
        monkeypatch.setattr("regard.training.prepare.LARGE", 100)
        train(path, path, output="large", settings=tiny())
        assert Path("large.tokens").is_dir()
        assert not Path("small.tokens").exists()


def test_reading_tells_how_far_it_is(write, monkeypatch):
    monkeypatch.setattr("regard.training.sources._TOLD", 3)
    news: list[Reading] = []
    pairs = pairs_from(write("train.tsv", *"abcdefg"), Columns()).told(news.append)
    assert [len(list(pairs.again())) for _ in range(2)] == [7, 7]
    assert news == [Reading(3, 1), Reading(6, 1), Reading(3, 2), Reading(6, 2)]


@pytest.mark.parametrize("count", [10, 19, 9_990, 20_000, 20_001, 50_000])
def test_what_is_held_out_is_a_tenth_and_at_most_a_thousand(count):
    marks = [(7919 * index) % 1_000_003 for index in range(count)]
    expected = sorted(set(marks))[min(len(set(marks)) // 10, 1000)]
    assert _limit(marks + marks[::-1]) == expected


def test_too_few_sources_give_no_limit():
    assert _limit([1, 2, 3] * 10) is None
