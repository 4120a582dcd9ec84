import json
import math
import os
import signal
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from regard import (
    CheckpointError,
    DataError,
    RegardError,
    RunSettings,
    SettingsError,
    StoppedError,
    load,
    train,
)
from regard.evaluation import Evaluation
from regard.search import Hypothesis
from regard.text import END, TIE, UNKNOWN, Columns, Pair, make_toys
from regard.training import Chosen, Progress, Trainer
from regard.training.choices import Survey, choose_sizes
from regard.training.sources import pairs_from, split

TINY = {
    "encoder.embedding_size": 8, "encoder.hidden_size": 8, "decoder.embedding_size": 8,
    "decoder.hidden_size": 16, "training.epochs": 3, "training.batch_size": 16,
    "training.precision": "float32", "encoder.heads": 2, "decoder.heads": 2,
}  # fmt: skip
KINDS = {
    "lstm": {},
    "gru": {"encoder.kind": "gru", "decoder.kind": "gru"},
    "input feeding": {"decoder.input_feeding": True},
    "none": {"decoder.attention": "none"},
    "transformer": {
        "encoder.kind": "transformer",
        "decoder.kind": "transformer",
        "encoder.hidden_size": 16,
    },
    "bfloat16": {"training.precision": "bfloat16"},
    "evaluated often": {"training.evaluate_every": 2},
}

PAIRS = [toy.pair for toy in make_toys("reverse", 60, length=4)]
DEV = [toy.pair for toy in make_toys("reverse", 12, length=4, seed=1)]


def tiny(**options) -> RunSettings:
    return RunSettings().with_values(TINY | options)


class StopAfter:
    """Sends this process a signal after some updates."""

    def __init__(self, updates: int, number: int = signal.SIGTERM) -> None:
        self.updates, self.number, self.seen = updates, number, 0

    def __call__(self, news) -> None:
        if isinstance(news, Progress):
            self.seen += 1
            if self.seen == self.updates:
                os.kill(os.getpid(), self.number)


def parameters(folder: Path) -> bytes:
    return (folder / "parameters.safetensors").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bits_and_another_other_bits(tmp_path, kind):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        settings = tiny(**KINDS[kind], **{"training.seed": seed})
        train(PAIRS, DEV, output=tmp_path / name, settings=settings)
    assert tensors(tmp_path / "a") == tensors(tmp_path / "b")
    assert tensors(tmp_path / "a") != tensors(tmp_path / "c")


def tensors(folder: Path) -> list[bytes]:
    return [tensor.numpy().tobytes() for tensor in load(folder).model.state_dict().values()]


@pytest.mark.parametrize("stop", [1, 4, 6, 9, 11])
@pytest.mark.parametrize("kind", ["lstm", "transformer", "evaluated often"])
def test_stopped_and_resumed_gives_the_bits_of_never_stopped(tmp_path, kind, stop):
    settings = tiny(**KINDS[kind])
    train(PAIRS, DEV, output=tmp_path / "whole", settings=settings)
    with pytest.raises(StoppedError, match=r"Go on with: .*, resume=True\)$") as caught:
        train(PAIRS, DEV, output=tmp_path / "broken", settings=settings, listen=StopAfter(stop))
    assert caught.value.signal_number == signal.SIGTERM
    load(tmp_path / "broken").predict("abc")
    torch.manual_seed(stop)  # what happens between two sessions must not matter
    train(PAIRS, DEV, output=tmp_path / "broken", resume=True)
    assert tensors(tmp_path / "broken") == tensors(tmp_path / "whole")
    whole, broken = (json_lines(tmp_path / name) for name in ("whole", "broken"))
    times = ("wall_seconds", "cpu_seconds")
    for one, other in zip(whole, broken, strict=True):
        assert {k: v for k, v in one.items() if k not in times} == {
            k: v for k, v in other.items() if k not in times
        }


@pytest.mark.parametrize(
    ("command", "way"),
    [
        ("regard train a.tsv -o m", "regard train a.tsv -o m --resume"),
        ("python -m regard train a.tsv", "python -m regard train a.tsv --resume"),
        ("regard demo", "regard.train(..., output='m', resume=True)"),
        (None, "regard.train(..., output='m', resume=True)"),
    ],
)
def test_whoever_stops_is_told_a_way_to_go_on_that_there_is(tmp_path, monkeypatch, command, way):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoppedError) as caught:
        train(PAIRS, DEV, output="m", settings=tiny(), command=command, listen=StopAfter(1))
    assert str(caught.value).endswith(f"Go on with: {way}")


def json_lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "training.jsonl").read_text().splitlines()]


def test_ctrl_c_without_a_folder_interrupts_and_handlers_are_given_back(tmp_path):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(PAIRS, DEV, settings=tiny(), listen=StopAfter(2, signal.SIGINT))
    assert signal.getsignal(signal.SIGINT) is before


def test_resuming_a_finished_training_changes_nothing(tmp_path):
    train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())
    before, lines = tensors(tmp_path / "m"), json_lines(tmp_path / "m")
    train(PAIRS, DEV, output=tmp_path / "m", resume=True)
    assert tensors(tmp_path / "m") == before
    assert json_lines(tmp_path / "m") == lines


class TestResumingIsRefused:
    def test_with_other_data(self, tmp_path):
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())
        with pytest.raises(RegardError, match="other data or settings"):
            train(PAIRS[1:], DEV, output=tmp_path / "m", resume=True)

    def test_where_another_version_read_other_tags_in_the_same_data(self, tmp_path, monkeypatch):
        pairs = [replace(pair, tags=("V", "A+B")) for pair in PAIRS]
        with monkeypatch.context() as patch:
            patch.setattr("regard.training.choices.parts_of", tuple)
            train(pairs, pairs[:5], output=tmp_path / "m", settings=tiny())
        with pytest.raises(CheckpointError, match="other symbols or tags"):
            train(pairs, pairs[:5], output=tmp_path / "m", resume=True)
        with pytest.raises(RegardError, match="other data or settings"):
            train(pairs[1:], pairs[:5], output=tmp_path / "m", resume=True)

    def test_without_a_folder_or_a_training(self, tmp_path):
        with pytest.raises(SettingsError, match="resuming needs the model folder"):
            train(PAIRS, DEV, resume=True)
        with pytest.raises(CheckpointError, match="no such folder"):
            train(PAIRS, DEV, output=tmp_path / "none", resume=True)

    def test_with_other_settings(self, tmp_path):
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny(), resume=True)
        other = tiny(**{"training.seed": 7})
        with pytest.raises(SettingsError, match=r"training\.seed is 7, but .* began with 0"):
            train(PAIRS, DEV, output=tmp_path / "m", settings=other, resume=True)

    def test_with_the_usual_settings_where_others_were_begun_with(self, tmp_path):
        """Who says a usual value asks for it; who says nothing goes on."""
        begun = {
            "training.seeds": 2,
            "training.seed": 7,
            "training.label_smoothing": 0.2,
            "decoder.attention": "additive",
            "decoder.input_feeding": True,
            "text.unseen": "error",
        }
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny(**begun, **{"training.epochs": 1}))
        usual = RunSettings().flat()
        for name, value in begun.items():
            asked = RunSettings().with_values({name: usual[name]})
            with pytest.raises(
                SettingsError, match=rf"{name} is {usual[name]!r}, but .* began with"
            ):
                train(PAIRS, DEV, output=tmp_path / "m", settings=asked, resume=True)
            train(
                PAIRS,
                DEV,
                output=tmp_path / "m",
                settings=asked.with_values({name: value}),
                resume=True,
            )

    @pytest.mark.parametrize("place", [0.01, 0.2, 0.5, 0.8, 0.999])
    def test_from_a_state_with_a_flipped_byte(self, tmp_path, place):
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())
        state = tmp_path / "m" / "latest" / "state.safetensors"
        content = bytearray(state.read_bytes())
        content[int(len(content) * place)] ^= 1
        state.write_bytes(content)
        with pytest.raises(CheckpointError, match="damaged"):
            train(PAIRS, DEV, output=tmp_path / "m", resume=True)

    def test_from_a_damaged_state(self, tmp_path):
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())
        state = tmp_path / "m" / "latest" / "state.safetensors"
        state.write_bytes(state.read_bytes()[:100])
        with pytest.raises(CheckpointError, match="damaged"):
            train(PAIRS, DEV, output=tmp_path / "m", resume=True)
        state.unlink()
        with pytest.raises(CheckpointError, match="no training to resume"):
            train(PAIRS, DEV, output=tmp_path / "m", resume=True)


def test_scores_on_the_way_are_those_of_the_finished_model(tmp_path):
    """Scores taken with dropout on would be others."""
    settings = tiny(**{"encoder.dropout": 0.5, "decoder.dropout": 0.5})
    train(PAIRS, DEV, output=tmp_path / "m", settings=settings)
    *lines, final = json_lines(tmp_path / "m")
    (best,) = [line for line in lines if line["is_best"]][-1:]
    dev = final["dev"]
    assert dev["accuracy"]["value"] == pytest.approx(best["accuracy"], abs=1e-6)
    assert dev["symbol_error_rate"]["value"] == pytest.approx(best["symbol_error_rate"], abs=1e-6)


def test_a_crash_in_the_first_save_after_resuming_loses_nothing(tmp_path, monkeypatch):
    with pytest.raises(StoppedError):
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny(), listen=StopAfter(3))

    def crash(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("regard.training.run.save_latest", crash)
    with pytest.raises(OSError, match="Input/output error"):
        train(PAIRS, DEV, output=tmp_path / "m", resume=True)
    monkeypatch.undo()
    train(PAIRS, DEV, output=tmp_path / "m", resume=True)
    assert json_lines(tmp_path / "m")[-1]["dev"]["pairs"] == 12


@pytest.mark.parametrize("device", ["cuda", "nothing", "meta"])
def test_a_device_that_is_not_here_is_refused(device):
    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    with pytest.raises(SettingsError, match=f"device '{device}' cannot be used here"):
        train(PAIRS, DEV, settings=tiny(**{"training.device": device}))


@pytest.mark.parametrize(
    ("options", "message"), [({}, "at most 2000"), ({"text.unseen": "error"}, "never seen")]
)
def test_dev_pairs_that_cannot_be_scored_are_refused_before_training(options, message):
    source = "ß" if options else "a" * 3000
    with pytest.raises(RegardError, match=message):
        train(PAIRS, [(source, "b")], settings=tiny(**options), listen=StopAfter(1))


class TestTheFolder:
    def test_it_holds_what_it_promises(self, tmp_path):
        predictor = train(PAIRS, DEV, output=tmp_path / "m", settings=tiny(), command="regard x")
        names = {path.name for path in (tmp_path / "m").iterdir()}
        assert names == {"model.toml", "source.json", "target.json", "parameters.safetensors",
                         "training.jsonl", "card.md", "latest"}  # fmt: skip
        lines = json_lines(tmp_path / "m")
        assert {"epoch", "loss", "accuracy", "symbol_error_rate", "wall_seconds", "cpu_seconds",
                "target_symbols"} <= set(lines[0])  # fmt: skip
        assert len(lines) == 4
        assert lines[-1]["dev"]["pairs"] == 12
        card = (tmp_path / "m" / "card.md").read_text()
        assert "regard x" in card
        assert "60 pairs" in card
        again = load(tmp_path / "m")
        assert again.predict("abcd").text == predictor.predict("abcd").text

    def test_one_that_is_taken_is_left_alone(self, tmp_path):
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())
        before = parameters(tmp_path / "m")
        with pytest.raises(CheckpointError, match="--overwrite"):
            train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())
        assert parameters(tmp_path / "m") == before
        settings = tiny(**{"training.seed": 5})
        train(PAIRS, DEV, output=tmp_path / "m", settings=settings, overwrite=True)
        assert parameters(tmp_path / "m") != before
        (tmp_path / "f").write_text("x")
        with pytest.raises(CheckpointError, match="found a file"):
            train(PAIRS, DEV, output=tmp_path / "f", settings=tiny())


class TestChoices:
    @staticmethod
    def chosen(pairs, dev=None, **options) -> Chosen:
        news = []
        train(pairs, dev or pairs[:3], settings=tiny(**options), listen=news.append)
        assert isinstance(news[-1], Evaluation)
        return news[0]

    def test_phones_are_words_and_letters_graphemes(self):
        chosen = self.chosen([("chat", "ʃ a"), ("abbé", "a b e"), ("a", "a")] * 5)
        assert chosen.settings.text.target.symbols == "words"
        chosen = self.chosen([("walk", "walked home"), ("go", "went")] * 5)
        assert chosen.settings.text.target.symbols == "graphemes"

    def test_hangul_is_taken_apart_and_output_put_together(self):
        predictor = train([("한글", "글한")] * 6, [("한글", "글한")], settings=tiny())
        side = predictor.settings.text.target
        assert (side.normalize, side.output) == ("nfd", "nfc")
        assert "\u1112" in predictor.saved.vocabularies.source

    def test_other_scripts_are_left_as_they_are(self):
        chosen = self.chosen([("e\u0301", "e\u0301")] * 5)
        assert chosen.settings.text.source.normalize == "none"

    def test_where_marks_make_many_clusters_letters_and_marks_are_symbols(self):
        words = [letter + mark for letter in "कखगघचज" for mark in "ािीुू"]
        text = self.chosen([(word, word) for word in words]).settings.text
        assert (text.source.symbols, text.target.symbols) == ("characters", "characters")
        text = self.chosen([(word, word) for word in words[:8]]).settings.text
        assert (text.source.symbols, text.target.symbols) == ("graphemes", "graphemes")
        options = {"text.source.symbols": "graphemes"}
        text = self.chosen([(word, "a") for word in words], **options).settings.text
        assert text.source.symbols == "graphemes"

    def test_tags_are_a_third_thing(self, tmp_path):
        path = tmp_path / "t.tsv"
        path.write_text("walk\twalked\tV;PST\nwalk\twalks\tV;PRS\n" * 10)
        predictor = train(path, path, settings=tiny(**{"text.columns": "1,2,3"}))
        assert predictor.has_tags
        assert predictor.predict("walk", tags="V;PST").source == "walk"
        assert predictor.evaluate(path).pairs == 20

    def test_where_most_is_copied_a_state_holds_its_own_symbol(self):
        assert self.chosen([("walk", "walked"), ("go", "goes")] * 5).settings.encoder.residual
        assert not self.chosen([("chat", "ʃ a"), ("abbé", "a b e")] * 5).settings.encoder.residual
        assert not self.chosen([("да", "da"), ("нет", "net")] * 5).settings.encoder.residual
        assert self.chosen([("walk", "walked"), ("go", "goes")] * 5).settings.decoder.relative_bias
        assert not self.chosen([("да", "da"), ("нет", "net")] * 5).settings.decoder.relative_bias
        options = {"decoder.attention": "none"}
        assert not self.chosen([("ab", "ba")] * 5, **options).settings.decoder.relative_bias
        options = {"encoder.residual": False}
        assert not self.chosen([("ab", "ba")] * 5, **options).settings.encoder.residual

    def test_where_there_are_tags_they_are_looked_at_apart(self):
        tagged = [("walk", "walked", "V;PST"), ("go", "goes", "V;PRS")] * 5
        assert self.chosen(tagged).settings.decoder.tags_apart
        assert not self.chosen([("walk", "walked"), ("go", "goes")] * 5).settings.decoder.tags_apart
        options = {"decoder.attention": "none"}
        assert not self.chosen(tagged, **options).settings.decoder.tags_apart
        options = {"decoder.tags_apart": False}
        assert not self.chosen(tagged, **options).settings.decoder.tags_apart
        with pytest.raises(SettingsError, match="expected pairs with tags"):
            self.chosen([("walk", "walked")] * 5, **{"decoder.tags_apart": True})

    def test_every_size_that_was_set_is_kept(self):
        settings = self.chosen(PAIRS).settings
        assert settings.encoder.hidden_size == 8
        assert settings.training.epochs == 3
        assert settings.training.learning_rate is not None

    def test_predictions_may_be_as_long_as_the_data_shows_or_as_is_asked_for(self):
        pairs = [("ab", "ba" * 12)] * 10
        assert self.chosen(pairs).settings.length_ratio == 7.0
        assert self.chosen(pairs, length_ratio=20.0).settings.length_ratio == 20.0
        assert self.chosen(pairs, length_ratio=0.5).settings.length_ratio == 7.0

    @pytest.mark.parametrize(
        "pairs, size, epochs",
        [(500, 32, 147), (3600, 64, 47), (7000, 64, 27), (40_000, 128, 20), (100_000, 128, 16)],
    )
    def test_small_data_takes_more_passes(self, pairs, size, epochs):
        found = Survey(Counter("ab"), Counter("ab"), pairs=pairs)
        training = choose_sizes(RunSettings(), found).training
        assert (training.batch_size, training.epochs) == (size, epochs)
        assert training.patience == max(10, epochs // 2)

    @pytest.mark.parametrize(
        "target, pairs, width, layers, rate",
        [
            ("xy", 3600, 128, 2, 0.003),
            ("xy", 500, 128, 2, 0.003),
            ("ab", 3600, 256, 1, 0.001),
            ("xy", 40_000, 256, 1, 0.001),
        ],
    )
    def test_small_data_that_copies_nothing_is_learnt_by_narrow_models(
        self, target, pairs, width, layers, rate
    ):
        found = Survey(Counter("ab"), Counter(target), pairs=pairs)
        settings = choose_sizes(RunSettings(), found)
        assert (settings.encoder.hidden_size, settings.decoder.hidden_size) == (width, 2 * width)
        assert (settings.encoder.embedding_size, settings.encoder.layers) == (width, layers)
        assert settings.decoder.layers == 1
        assert settings.training.learning_rate == rate

    def test_the_rate_is_that_of_the_width_and_the_kind(self):
        found = Survey(Counter("ab"), Counter("xy"), pairs=3600)
        wide = RunSettings.of({"encoder": {"hidden_size": 200}})
        assert choose_sizes(wide, found).training.learning_rate == 0.001
        other = RunSettings.of({"decoder": {"kind": "transformer"}})
        assert choose_sizes(other, found).training.learning_rate == 0.0005

    @pytest.mark.parametrize(
        "asked, patience",
        [
            ({"epochs": 400}, 200),
            ({"epochs": 3}, 10),
            ({"minutes": 5.0}, None),
            ({"minutes": 5.0, "patience": 4}, 4),
            ({"epochs": 400, "patience": 4}, 4),
            ({"epochs": 40, "evaluate_every": 10}, 220),
        ],
    )
    def test_nobody_gives_up_before_half_of_the_course_that_was_asked_for(self, asked, patience):
        found = Survey(Counter("ab"), Counter("ab"), pairs=7000)
        training = choose_sizes(RunSettings.of({"training": asked}), found).training
        assert training.patience == patience

    def test_large_data_is_judged_within_a_pass_and_given_up_no_earlier(self):
        found = Survey(Counter("ab"), Counter("ab"), pairs=1_000_000)
        training = choose_sizes(RunSettings(), found).training
        assert (training.epochs, training.evaluate_every, training.patience) == (13, 1000, 50)

    def test_a_tenth_of_the_sources_is_held_out_and_shared_with_none(self):
        news = []
        rows = [(f"{a}{b}{c}", f"{c}{b}{a}") for a in "abcde" for b in "abcde" for c in "abcd"]
        train(rows + rows, settings=tiny(), listen=news.append)
        assert (news[0].train_pairs, news[0].dev_pairs) == (180, 20)
        again = []
        train((rows + rows)[::-1], settings=tiny(), listen=again.append)
        assert again[0].dev_pairs == 20

    @pytest.mark.parametrize("targets", [1, 3, 40, 3000])
    def test_every_pair_is_on_one_side_however_many_targets_a_source_has(self, targets):
        sources = 30 if targets == 3000 else 200
        rows = [Pair(f"w{a}", f"{b}") for b in range(targets) for a in range(sources)]
        parts = split(pairs_from(rows, Columns()), None)
        kept, held = list(parts.train.again()), parts.dev
        assert sorted(map(repr, kept + held)) == sorted(map(repr, rows))
        assert {pair.source for pair in kept}.isdisjoint(pair.source for pair in held)
        assert len(held) == {1: 20, 3: 60, 40: 800, 3000: 3000}[targets]
        assert split(pairs_from(rows[::-1], Columns()), None).limit == parts.limit

    def test_many_sources_of_many_targets_judge_by_two_thousand_pairs(self):
        rows = [Pair(f"w{a}", f"{b}") for a in range(12_000) for b in range(3)]
        parts = split(pairs_from(rows, Columns()), None)
        assert len(parts.dev) == 1998
        assert len(list(parts.train.again())) == 36_000 - 1998

    def test_too_few_pairs_to_hold_some_out(self):
        with pytest.raises(DataError, match="give --dev"):
            train([("a", "b")] * 20, settings=tiny())


def test_a_line_that_is_too_long_is_refused_with_its_place(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\n" + "a" * 50_000 + "\tb\n")
    with pytest.raises(DataError, match="line 2: expected a source of at most 2000 symbols"):
        train(path, path, settings=tiny())


def test_a_loss_that_is_no_number_stops_the_training():
    with pytest.raises(RegardError, match="diverged"):
        train(PAIRS, DEV, settings=tiny(**{"training.learning_rate": 1e30, "training.clip": 1e30}))


def test_a_loss_that_is_no_number_leaves_the_model_as_it_was(monkeypatch):
    from regard.training import trainer

    seen, losses = [], iter([1.0, 1.0, math.nan])

    def loss(logits, *_) -> torch.Tensor:
        return logits.float().mean() * 0 + next(losses)

    def update(own, rows, real=Trainer.update) -> float:
        seen.append((own, own.parameters()))
        return real(own, rows)

    monkeypatch.setattr(trainer, "sequence_loss", loss)
    monkeypatch.setattr(Trainer, "update", update)
    with pytest.raises(RegardError, match="nan at update 3: training has diverged"):
        train(PAIRS, DEV, settings=tiny())
    own, before = seen[-1]
    assert all(one.equal(before[name]) for name, one in own.parameters().items())


def test_one_training_may_follow_another_on_another_device():
    for device in ("cpu", "cpu:0"):
        model = train(PAIRS, DEV, settings=tiny(**{"training.device": device})).model
        assert {str(one.device) for one in model.parameters()} == {"cpu"}


def test_training_stops_early_when_nothing_improves():
    news = []
    settings = tiny(
        **{"training.epochs": 50, "training.patience": 2, "training.learning_rate": 1e-9}
    )
    train(PAIRS, DEV, settings=settings, listen=news.append)
    assert len([one for one in news if isinstance(one, Progress) and one.dev]) < 10


def test_a_time_budget_is_kept_to():
    news = []
    settings = RunSettings().with_values(TINY | {"training.minutes": 0.03})
    settings = settings.with_values({"training.epochs": 100_000})
    train(PAIRS, DEV, settings=settings, listen=news.append)
    progress = [one for one in news if isinstance(one, Progress)]
    assert progress[-1].done == 1.0
    assert [one.done for one in progress] == sorted(one.done for one in progress)


def test_a_read_only_folder_is_a_clear_error(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(CheckpointError, match="Permission denied"):
        train(PAIRS, DEV, output=tmp_path / "m", settings=tiny())


def test_settings_have_no_cuda_by_accident():
    assert RunSettings().training.device == "auto"


class TestSeveralSeeds:
    """Models that write together, one folder."""

    def test_they_are_the_single_models_of_these_seeds(self, tmp_path):
        train(PAIRS, DEV, output=tmp_path / "all", settings=tiny(**{"training.seeds": 3}))
        together = load(tmp_path / "all").model.state_dict()
        for index in range(3):
            settings = tiny(**{"training.seed": index})
            alone = train(PAIRS, DEV, settings=settings).model.state_dict()
            own = f".members.{index}."
            assert all(
                torch.equal(alone[name.replace(own, ".")], tensor)
                for name, tensor in together.items()
                if own in name
            )
        seeds = [line.get("seed") for line in json_lines(tmp_path / "all")]
        assert seeds == [0, 0, 0, 1, 1, 1, 2, 2, 2, None]
        assert "Models: 3, seeds 0 to 2" in (tmp_path / "all" / "card.md").read_text()

    def test_their_alignment_says_that_it_is_a_mean(self):
        predictor = train(PAIRS, DEV, settings=tiny(**{"training.seeds": 2}))
        prediction = predictor.predict("abcd", beam_size=2)
        assert "mean of 2 models" in prediction.alignment.look
        assert prediction.alignment.weights.sum(1) == pytest.approx(1, abs=1e-6)

    @pytest.mark.parametrize("distill", [False, True])
    @pytest.mark.parametrize("stop", [2, 12, 13, 20, 24, 25, 29, 35])
    def test_stopped_and_resumed_gives_the_bits_of_never_stopped(self, tmp_path, stop, distill):
        if stop >= 24 and not distill:
            return  # that far only the third model goes
        settings = tiny(**{"training.seeds": 2, "training.distill": distill})
        train(PAIRS, DEV, output=tmp_path / "whole", settings=settings)
        with pytest.raises(StoppedError):
            train(PAIRS, DEV, output=tmp_path / "broken", settings=settings, listen=StopAfter(stop))
        load(tmp_path / "broken").predict("abc")
        train(PAIRS, DEV, output=tmp_path / "broken", resume=True)
        assert tensors(tmp_path / "broken") == tensors(tmp_path / "whole")

    def test_saving_on_the_way_changes_no_bit(self, tmp_path, monkeypatch):
        settings = tiny(**{"training.seeds": 2, "training.distill": True})
        train(PAIRS, DEV, output=tmp_path / "seldom", settings=settings)
        monkeypatch.setattr("regard.training.run.SAVE_EVERY", 0.0)
        train(PAIRS, DEV, output=tmp_path / "often", settings=settings)
        assert tensors(tmp_path / "often") == tensors(tmp_path / "seldom")

    def test_one_that_learnt_from_all_stands_for_them(self, tmp_path):
        settings = tiny(**{"training.seeds": 2, "training.distill": True})
        predictor = train(PAIRS, DEV, output=tmp_path / "m", settings=settings)
        assert predictor.settings.members == 1
        single = train(PAIRS, DEV, settings=tiny(**{"training.seed": 2}))
        one, other = predictor.model.state_dict(), single.model.state_dict()
        assert one.keys() == other.keys()
        assert any(not torch.equal(one[name], other[name]) for name in one)

    def test_its_teacher_is_all_of_them(self, monkeypatch):
        teachers = []

        class Watched(Trainer):
            def __init__(self, *given, **named) -> None:
                super().__init__(*given, **named)
                teachers.append(self.teacher)

        monkeypatch.setattr("regard.training.member.Trainer", Watched)
        train(PAIRS, DEV, settings=tiny(**{"training.seeds": 2, "training.distill": True}))
        monkeypatch.undo()
        *none, teacher = teachers
        assert none == [None, None]
        both = train(PAIRS, DEV, settings=tiny(**{"training.seeds": 2})).model.state_dict()
        assert all(torch.equal(both[name], tensor) for name, tensor in teacher.state_dict().items())
        assert len(both) == len(teacher.state_dict())

    def test_progress_and_time_are_those_of_the_whole(self):
        news = []
        train(PAIRS, DEV, settings=tiny(**{"training.seeds": 3}), listen=news.append)
        progress = [one for one in news if isinstance(one, Progress)]
        assert [one.done for one in progress] == sorted(one.done for one in progress)
        assert progress[-1].done == 1.0
        assert {(one.member, one.members) for one in progress} == {(1, 3), (2, 3), (3, 3)}

    def test_a_time_budget_is_shared(self):
        news = []
        options = {"training.minutes": 0.04, "training.epochs": 100_000, "training.seeds": 2}
        train(PAIRS, DEV, settings=tiny(**options), listen=news.append)
        firsts = [one for one in news if isinstance(one, Progress) and one.member == 2]
        assert firsts[0].done >= 0.5
        assert firsts[-1].done == 1.0

    def test_their_number_is_not_a_setting_of_the_model(self):
        with pytest.raises(SettingsError, match=r"ask for training\.seeds"):
            train(PAIRS, DEV, settings=tiny(members=2))


def test_subwords_from_training_to_the_labels_of_an_alignment(tmp_path, monkeypatch):
    pytest.importorskip("tokenizers")
    rows = [("the walker walked", "der Geher ging"), ("a talker talked", "ein Redner sprach")] * 10
    options = {"text.source.symbols": "subwords", "text.target.symbols": "subwords"}
    train(rows, rows[:2], output=tmp_path / "m", settings=tiny(**options))
    monkeypatch.setitem(sys.modules, "tokenizers", None)  # a trained model needs it no more
    predictor = load(tmp_path / "m")
    text = "the talker walks"
    (alignment,) = predictor.align([(text, "der Redner")])
    content = [label for label in alignment.source if label.role == "content"]
    assert all(text[label.start : label.end] == label.text for label in content)
    assert "".join(label.text for label in content) == text.replace(" ", "")
    prediction = predictor.predict(text)
    labels = [label for label in prediction.alignment.target if label.role == "content"]
    assert all(prediction.text[one.start : one.end] == one.text for one in labels)


SUBWORDS = {"text.source.symbols": "subwords", "text.target.symbols": "subwords"}


class TestSubwordsAtTheEdge:
    def test_the_mark_of_inner_pieces_is_refused_in_training_data(self):
        pytest.importorskip("tokenizers")
        rows = [("a walker", "ein \u2060Geher")] * 6
        with pytest.raises(DataError, match=r"expected a target without U\+2060"):
            train(rows, rows[:1], settings=tiny(**SUBWORDS))

    def test_it_is_never_shown_and_what_is_copied_stays_in_its_word(self):
        pytest.importorskip("tokenizers")
        rows = [("walk walked talk", "walk walked talk")] * 8
        predictor = train(rows, rows[:1], settings=tiny(**SUBWORDS))
        unseen = predictor.predict("wal中k").unseen
        assert ("中", 3) in [(one.symbol, one.start) for one in unseen]
        assert not any(TIE in one.symbol for one in unseen)
        asked = predictor.reader.read(Pair("wal中k", ""))
        place = [symbol.text for symbol in asked.symbols].index(f"{TIE}中")
        weights = np.eye(len(asked.tokens) + 1, dtype=np.float32)[[0, place, 0]]
        hypothesis = Hypothesis((4, UNKNOWN, END), -1.0, weights)
        (candidate,) = predictor.writer.prediction(asked, [hypothesis], 1).candidates
        assert candidate.text.endswith("中")
        assert " " not in candidate.text
        assert candidate.alignment.target[1].text == "中"

    def test_more_pieces_than_memory_are_refused(self):
        with pytest.raises(SettingsError, match=r"text\.source\.pieces"):
            tiny(**{"text.source.pieces": 10**23})

    def test_their_number_is_kept(self):
        pytest.importorskip("tokenizers")
        rows = [("a walker", "ein Geher")] * 6
        predictor = train(rows, rows[:1], settings=tiny(**SUBWORDS))
        assert predictor.settings.text.source.pieces == 500
        assert predictor.settings.text.target.pieces == 500


class TestGuide:
    def test_links_of_the_aligner_are_those_of_both_sides(self):
        from regard.text import Corpus, Tokens
        from regard.training.guide import guide_of

        chance = np.random.default_rng(0)
        rows = [chance.permutation(8)[:5].tolist() for _ in range(60)]
        corpus = Corpus.of(Tokens(row, row[::-1], []) for row in rows)
        found = guide_of(corpus, "free")
        for pair in range(60):
            codes = found.values[found.offsets[pair] : found.offsets[pair + 1]]
            assert sorted((code // 5, code % 5) for code in codes) == [
                (place, 4 - place) for place in range(5)
            ]

    def test_the_loss_is_zero_where_all_weight_lies_on_links(self):
        from regard.training.guide import guide_loss

        weights = torch.tensor([[[0.25, 0.75], [1.0, 0.0]]])
        links = torch.tensor([[[False, True], [False, False]]])
        assert float(guide_loss(weights, links, 2)) == pytest.approx(-np.log(0.75))
        assert float(guide_loss(weights, ~links & links, 2)) == 0
        tagged = torch.tensor([[[0.1, 0.3, 0.6], [0.5, 0.0, 0.5]]])
        links = torch.tensor([[[False, True, False], [False, False, False]]])
        assert float(guide_loss(tagged, links, 2)) == pytest.approx(-np.log(0.75))

    def test_a_guided_model_says_so_and_resumes(self, tmp_path):
        pairs = [(f"{a}{b}", f"{b}{a}") for a in "abcdefgh" for b in "abcdefgh"]
        settings = tiny(**{"training.guided": 1.0, "training.epochs": 2})
        train(pairs, pairs[:8], output=tmp_path / "m", settings=settings)
        again = train(pairs, pairs[:8], output=tmp_path / "m", settings=settings, resume=True)
        assert again.settings.guided
        assert "trained with guided attention" in again.inspect(pairs).headline
        assert not train(pairs, pairs[:8], settings=tiny(**{"training.epochs": 1})).settings.guided

    def test_there_is_no_guide_for_a_decoder_that_never_looks(self):
        settings = tiny(**{"training.guided": 1.0, "decoder.attention": "none"})
        with pytest.raises(SettingsError, match=r"training\.guided"):
            train([("ab", "ba")] * 20, [("ab", "ba")], settings=settings)
