"""The commands as a person types them, on a tiny model."""

import gzip
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from regard import load
from regard.cli import main
from regard.model import FORMAT
from regard.text import make_toys

SIZES = ["--set", "encoder.embedding_size=16", "--set", "encoder.hidden_size=16",
         "--set", "decoder.embedding_size=16", "--set", "decoder.hidden_size=32",
         "--precision", "float32"]  # fmt: skip


def write_toys(path: Path, count: int, seed: int, tags: bool = False) -> Path:
    rows = [toy.pair for toy in make_toys("copy", count, length=5, seed=seed)]
    extra = "\tV;PST" if tags else ""
    path.write_text("".join(f"{row.source}\t{row.target}{extra}\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with data, a model `m`, a model `none`, and a model `tagged`."""
    folder = tmp_path_factory.mktemp("cli")
    write_toys(folder / "train.tsv", 200, 0)
    write_toys(folder / "dev.tsv", 30, 1)
    write_toys(folder / "tagged.tsv", 60, 0, tags=True)
    common = ["--epochs", "4", "--set", "training.learning_rate=0.001", "--quiet", *SIZES]
    train, dev = str(folder / "train.tsv"), str(folder / "dev.tsv")
    assert main(["train", train, "--dev", dev, "-o", str(folder / "m"), *common]) == 0
    assert main(["train", train, "--dev", dev, "-o", str(folder / "none"), "--attention", "none",
                 *common]) == 0  # fmt: skip
    assert main(["train", str(folder / "tagged.tsv"), "--tags-column", "-o",
                 str(folder / "tagged"), *common]) == 0  # fmt: skip
    return folder


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--version"], 0), (["learn", "nothing"], 2), (["info", "none"], 1)]
)
def test_the_package_run_as_a_module_is_the_program(arguments, code, tmp_path, capsys):
    ran = subprocess.run(
        [sys.executable, "-m", "regard", *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert (ran.returncode, main(arguments)) == (code, code)
    told = capsys.readouterr()
    assert (ran.stdout, ran.stderr.splitlines()[-1:]) == (told.out, told.err.splitlines()[-1:])


class TestTrain:
    @pytest.mark.parametrize("store", ["disk", "memory"])
    def test_tokens_that_stay_on_disk_are_told_of_at_the_end(self, folder, tmp_path, capsys, store):
        output, data = tmp_path / "m", str(folder / "dev.tsv")
        assert main(["train", data, "--dev", data, "-o", str(output), "--epochs", "1", *SIZES,
                     "--set", f"training.store={store}"]) == 0  # fmt: skip
        *_, last = capsys.readouterr().err.splitlines()
        assert last.startswith(f"tokens stay in {output}.tokens, ") == (store == "disk")
        assert (tmp_path / "m.tokens").is_dir() == (store == "disk")

    def test_what_was_chosen_is_told_and_the_scores_are_printed(self, folder, tmp_path, capsys):
        code = main(["train", str(folder / "train.tsv"), "--dev", str(folder / "dev.tsv"),
                     "-o", str(tmp_path / "m"), "--epochs", "1", *SIZES])  # fmt: skip
        told = capsys.readouterr()
        assert code == 0
        assert "source: 20 different graphemes" in told.err
        assert "attention: scaled dot" in told.err
        assert re.search(r"epoch 1, update \d+: loss", told.err)
        assert "dev error rate" in told.out
        assert "regard show" in told.err

    def test_several_models_in_one_folder_and_one_that_learns_from_them(
        self, folder, tmp_path, capsys
    ):
        options = ["--dev", str(folder / "dev.tsv"), "--epochs", "1", *SIZES]
        train = ["train", str(folder / "train.tsv"), *options, "--seeds", "2"]
        assert main([*train, "-o", str(tmp_path / "two")]) == 0
        told = capsys.readouterr().err
        assert "2 models, seeds 0 to 1" in told
        assert "model 2 of 2, epoch 1" in told
        assert main(["info", str(tmp_path / "two"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["settings"]["members"] == 2
        assert main([*train, "--distill", "-o", str(tmp_path / "one")]) == 0
        assert "model 3 of 3" in capsys.readouterr().err
        assert main(["info", str(tmp_path / "one"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["settings"]["members"] == 1

    def test_several_files_and_patterns(self, folder, tmp_path, capsys, monkeypatch):
        monkeypatch.chdir(tmp_path)
        lines = (folder / "train.tsv").read_text().splitlines(keepends=True)
        Path("eins.tsv").write_text("".join(lines[:50]))
        Path("part-1.tsv").write_text("".join(lines[50:90]))
        with gzip.open("part-2.tsv.gz", "wt") as file:
            file.writelines(lines[90:])
        dev = str(folder / "dev.tsv")
        common = ["--dev", dev, "--epochs", "1", "-o", "m", *SIZES]
        assert main(["train", "eins.tsv", "part-*", *common, "--dev", "eins.tsv"]) == 0
        assert "200 pairs to train on, 80 to judge by" in capsys.readouterr().err
        assert main(["info", "m", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["training"]["train"] == "eins.tsv, part-1.tsv, part-2.tsv.gz"
        assert main(["train", "eins.tsv", "none-*", *common, "--overwrite"]) == 1
        assert "none-*: no file matches this pattern" in capsys.readouterr().err
        assert main(["train", "eins.tsv", "e*.tsv", *common, "--overwrite"]) == 1
        assert "eins.tsv: is given twice" in capsys.readouterr().err
        assert main(["train", "eins.tsv", "--source-file", "a", "--target-file", "b"]) == 2

    def test_a_file_of_settings_and_shortcuts(self, folder, tmp_path):
        (tmp_path / "run.toml").write_text("[training]\nepochs = 1\nseed = 7\n")
        code = main(["train", str(folder / "train.tsv"), "-c", str(tmp_path / "run.toml"), "-o",
                     str(tmp_path / "m"), "--encoder", "gru", "--decoder", "gru", "--attention",
                     "additive", "--unseen", "unknown", "--quiet", *SIZES])  # fmt: skip
        text = (tmp_path / "m" / "model.toml").read_text()
        assert code == 0
        for part in ('kind = "gru"', 'attention = "additive"', "seed = 7", 'unseen = "unknown"'):
            assert part in text

    def test_parallel_files(self, folder, tmp_path):
        for side, column in (("s", 0), ("t", 1)):
            lines = (folder / "train.tsv").read_text().splitlines()
            text = "".join(line.split("\t")[column] + "\n" for line in lines)
            (tmp_path / side).write_text(text)
        files = ["--source-file", str(tmp_path / "s"), "--target-file", str(tmp_path / "t")]
        assert (
            main(["train", *files, "-o", str(tmp_path / "m"), "--epochs", "1", "--quiet", *SIZES])
            == 0
        )
        assert main(["evaluate", str(tmp_path / "m"), *files]) == 0

    def test_ctrl_c_saves_and_says_how_to_go_on(self, folder, tmp_path):
        command = [sys.executable, "-c", "import sys; from regard.cli import main; sys.exit(main())",
                   "train", str(folder / "train.tsv"), "--dev", str(folder / "dev.tsv"),
                   "-o", str(tmp_path / "m"), "--epochs", "400", *SIZES]  # fmt: skip
        running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in running.stderr:
            if "epoch 2" in line:
                break
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
        assert running.returncode == 130
        assert "--resume" in err
        assert "Traceback" not in err
        assert main(["info", str(tmp_path / "m")]) == 0

    def test_killing_it_outright_leaves_a_folder_that_loads_or_none(self, folder, tmp_path):
        command = [sys.executable, "-c", "import sys; from regard.cli import main; sys.exit(main())",
                   "train", str(folder / "train.tsv"), "--dev", str(folder / "dev.tsv"),
                   "-o", str(tmp_path / "m"), "--epochs", "400", *SIZES]  # fmt: skip
        running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in running.stderr:
            if "epoch 3" in line:
                break
        running.kill()
        running.communicate()
        assert main(["info", str(tmp_path / "m")]) == (0 if (tmp_path / "m").exists() else 1)


BAD_DATA = {
    "empty": (b"", "found none"),
    "no tab": (b"a\tb\nab\n", "line 2: expected 2 columns"),
    "not UTF-8": (b"a\tb\n\xff\xfe\tb\n", "line 2: expected UTF-8"),
    "too long": (b"a" * 50_000 + b"\tb\n", "at most 2000 symbols, found 50000"),
}


class TestMistakes:
    @pytest.mark.parametrize("name", BAD_DATA)
    def test_bad_data_is_one_line_and_exit_code_one(self, tmp_path, capsys, name):
        content, message = BAD_DATA[name]
        (tmp_path / "bad.tsv").write_bytes(content)
        code = main(["train", str(tmp_path / "bad.tsv"), "--dev", str(tmp_path / "bad.tsv"),
                     "-o", str(tmp_path / "m")])  # fmt: skip
        err = capsys.readouterr().err
        assert code == 1
        assert message in err
        assert str(tmp_path / "bad.tsv") in err
        assert err.count("\n") == 1
        assert not (tmp_path / "m").exists()

    @pytest.mark.parametrize("file", ["none.tsv", "."])
    def test_a_missing_file_and_a_directory(self, tmp_path, capsys, file):
        assert main(["train", str(tmp_path / file), "-o", str(tmp_path / "m")]) == 1
        assert capsys.readouterr().err.count("\n") == 1

    @pytest.mark.parametrize(
        "words",
        [
            ["train", "x.tsv", "--set", "decoder.attenton=dot"],
            ["train", "x.tsv", "--attention", "dots"],
            ["train", "x.tsv", "--epochs", "-1"],
            ["train", "x.tsv", "--columns", "a,b"],
            ["train"],
            ["train", "x.tsv", "--source-file", "s"],
            ["train", "x.tsv", "--source-file", "s", "--target-file", "t"],
            ["trian"],
            ["predict"],
            ["predict", "m", "--beam", "0"],
        ],
    )
    def test_a_mistake_in_the_command_is_exit_code_two(self, capsys, words):
        assert main(words) == 2
        assert "Traceback" not in capsys.readouterr().err

    @pytest.mark.parametrize("name", ["align", "evaluate", "inspect", "score", "compare", "check"])
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ([], "or --source-file and --target-file"),
            (["--source-file", "s"], "belong together"),
            (["--source-file", "s", "--target-file", "t"], "found both"),
        ],
    )
    def test_pairs_are_one_file_or_two_parallel_ones(self, capsys, name, words, message):
        models = {"compare": ["m", "n"], "check": []}.get(name, ["m"])
        file = ["x.tsv"] if message == "found both" else []
        assert main([name, *models, *file, *words]) == 2
        assert message in capsys.readouterr().err

    def test_a_damaged_model_is_exit_code_one(self, folder, tmp_path, capsys):
        import shutil

        shutil.copytree(folder / "m", tmp_path / "m")
        path = tmp_path / "m" / "parameters.safetensors"
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
        for command in (["info"], ["show", "abc"], ["predict", str(folder / "dev.tsv")]):
            assert main([command[0], str(tmp_path / "m"), *command[1:]]) == 1
            assert "damaged" in capsys.readouterr().err

    @pytest.mark.parametrize("device", ["cuda:99", "nothing"])
    def test_a_device_that_is_not_here(self, folder, capsys, device):
        assert main(["show", str(folder / "m"), "abc", "--device", device]) == 2
        assert "cannot be used here" in capsys.readouterr().err

    def test_an_output_that_is_the_input_is_not_lost(self, folder, tmp_path):
        path = tmp_path / "words"
        path.write_text("abc\nab\n")
        assert main(["predict", str(folder / "m"), str(path), "-o", str(path)]) == 0
        assert path.read_text().count("\n") == 2

    def test_a_file_of_another_ending(self, folder, tmp_path, capsys):
        assert main(["show", str(folder / "m"), "a", "--svg", str(tmp_path / "a.png")]) == 2
        assert "ends in .svg" in capsys.readouterr().err

    def test_a_full_disk(self, folder):
        command = [
            sys.executable,
            "-c",
            "import sys; from regard.cli import main; sys.exit(main())",
            "info",
            str(folder / "m"),
        ]
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1
        assert "cannot be written" in done.stderr
        assert "Traceback" not in done.stderr


class TestPredict:
    @pytest.fixture
    def words(self, tmp_path) -> Path:
        path = tmp_path / "words.txt"
        path.write_bytes("abc\n\nbßd\r\n\u2028a\nhh".encode())
        return path

    @pytest.mark.parametrize("options", [[], ["--beam", "3"], ["--n-best", "2"], ["--scores"]])
    @pytest.mark.parametrize("form", ["text", "tsv", "jsonl"])
    def test_as_many_lines_out_as_in(self, folder, words, capfdbinary, form, options):
        assert main(["predict", str(folder / "m"), str(words), "--format", form, *options]) == 0
        out, err = capfdbinary.readouterr()
        lines = out.decode().removesuffix("\n").split("\n")
        assert len(lines) == 5
        assert "never saw" in err.decode()
        if form == "jsonl":
            rows = [json.loads(line) for line in lines]
            assert [row["source"] for row in rows] == ["abc", "", "bßd", "\u2028a", "hh"]
            assert rows[1]["log_prob"] is None
            assert rows[2]["unseen"] == [{"symbol": "ß", "start": 1, "end": 2}]
        else:
            assert lines[1] == ""

    def test_alignments_have_a_line_each_and_fit_their_symbols(self, folder, words, tmp_path):
        target = tmp_path / "looks.jsonl.gz"
        assert main(["predict", str(folder / "m"), str(words), "-o", str(tmp_path / "out"),
                     "--alignments", str(target)]) == 0  # fmt: skip
        rows = [json.loads(line) for line in gzip.decompress(target.read_bytes()).splitlines()]
        assert len(rows) == 5
        assert rows[1]["weights"] == []
        for row in (rows[0], *rows[2:]):
            weights = np.array(row["weights"])
            assert weights.shape == (len(row["target"]), len(row["source"]))
            np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)

    def test_a_task_with_tags_reads_them_from_the_second_column(self, folder, tmp_path, capfd):
        (tmp_path / "w.tsv").write_text("abc\tV;PST\n\nab\tV\n")
        assert main(["predict", str(folder / "tagged"), str(tmp_path / "w.tsv")]) == 0
        assert len(capfd.readouterr().out.split("\n")) == 4
        (tmp_path / "w.tsv").write_text("abc\n")
        assert main(["predict", str(folder / "tagged"), str(tmp_path / "w.tsv")]) == 1

    def test_a_reader_that_has_seen_enough_is_no_error(self, folder, tmp_path):
        (tmp_path / "many.txt").write_text("abc\n" * 6000)
        command = (
            f"{sys.executable} -c 'import sys; from regard.cli import main; sys.exit(main())' "
            f"predict {folder / 'm'} {tmp_path / 'many.txt'} | head -n 1"
        )
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True)
        assert done.stdout.count(b"\n") == 1
        assert b"Traceback" not in done.stderr
        assert b"Error" not in done.stderr


class TestShow:
    def test_the_picture_the_numbers_and_the_files(self, folder, tmp_path, capsys):
        files = [tmp_path / f"a.{kind}" for kind in ("svg", "html", "json")]
        code = main(["show", str(folder / "m"), "abc", "--target", "ab", "--step", "2",
                     "--svg", str(files[0]), "--html", str(files[1]), "--json", str(files[2])])  # fmt: skip
        out = capsys.readouterr().out
        assert code == 0
        assert out.startswith("ab\t-")
        assert "step 2 writes b" in out
        assert "weights sum to 1.000000" in out
        assert "context (32 numbers)" in out
        assert all(path.stat().st_size > 500 for path in files)

    def test_a_target_that_is_forced_has_the_score_that_score_prints(self, folder, tmp_path, capfd):
        main(["show", str(folder / "m"), "abc", "--target", "cab"])
        shown = float(capfd.readouterr().out.split("\n")[0].split("\t")[1])
        (tmp_path / "p.tsv").write_text("abc\tcab\n\nabc\tc\n")
        assert main(["score", str(folder / "m"), str(tmp_path / "p.tsv")]) == 0
        lines = capfd.readouterr().out.split("\n")
        assert float(lines[0]) == pytest.approx(shown, abs=1e-3)
        assert lines[1] == ""
        assert len(lines) == 4

    def test_a_model_that_never_looks_says_so(self, folder, tmp_path, capsys):
        assert main(["show", str(folder / "none"), "abc"]) == 0
        assert "never looks back" in capsys.readouterr().err
        assert main(["show", str(folder / "none"), "abc", "--svg", str(tmp_path / "a.svg")]) == 2
        assert main(["show", str(folder / "none"), "abc", "--step", "1"]) == 2

    def test_a_step_that_is_not_there(self, folder, capsys):
        assert main(["show", str(folder / "m"), "abc", "--step", "99"]) == 2
        assert "expected 1 to" in capsys.readouterr().err

    def test_tags(self, folder, capsys):
        assert main(["show", str(folder / "tagged"), "abc", "--tags", "V;PST"]) == 0
        assert "‹PST›" in capsys.readouterr().out


class TestAlign:
    @pytest.fixture
    def pairs(self, tmp_path) -> Path:
        path = tmp_path / "pairs.tsv"
        path.write_text("abc\tabc\n\nab\tba\n")
        return path

    def test_pharaoh_is_a_line_a_pair(self, folder, pairs, capfd):
        assert main(["align", str(folder / "m"), str(pairs)]) == 0
        lines = capfd.readouterr().out.split("\n")
        assert len(lines) == 4
        assert len(lines[0].split()) == 3
        assert lines[1] == ""
        assert all(re.fullmatch(r"\d-\d", link) for link in lines[0].split())

    def test_jsonl_and_npz_hold_the_same_weights(self, folder, pairs, tmp_path, capfd):
        assert main(["align", str(folder / "m"), str(pairs), "--format", "jsonl"]) == 0
        rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
        path = tmp_path / "a.npz"
        assert (
            main(["align", str(folder / "m"), str(pairs), "--format", "npz", "-o", str(path)]) == 0
        )
        with np.load(path, allow_pickle=False) as arrays:
            assert sorted(arrays) == ["source_0", "source_2", "target_0", "target_2",
                                      "weights_0", "weights_2"]  # fmt: skip
            np.testing.assert_allclose(arrays["weights_0"], rows[0]["weights"], atol=1e-6)
            assert arrays["source_2"].tolist() == rows[2]["source"]

    def test_a_model_that_never_looks_is_refused(self, folder, pairs, capsys):
        assert main(["align", str(folder / "none"), str(pairs)]) == 2


class TestEvaluate:
    def test_json_holds_measures_with_their_intervals(self, folder, capsys):
        assert main(["evaluate", str(folder / "m"), str(folder / "dev.tsv"), "--json"]) == 0
        table = json.loads(capsys.readouterr().out)
        assert table["pairs"] == 30
        for name in ("accuracy", "symbol_error_rate"):
            measure = table[name]
            assert measure["low"] <= measure["value"] <= measure["high"]

    def test_words_and_confusions(self, folder, capsys):
        assert main(["evaluate", str(folder / "m"), str(folder / "dev.tsv"), "--errors"]) == 0
        out = capsys.readouterr().out
        assert "word error rate" in out
        assert "should be -> was written" in out
        assert "regard 0." in out
        assert (
            main(["evaluate", str(folder / "m"), str(folder / "dev.tsv"), "--errors", "--json"])
            == 0
        )
        assert "confusions" in json.loads(capsys.readouterr().out)

    def test_a_task_with_tags_finds_them_where_training_did(self, folder, tmp_path, capsys):
        assert main(["evaluate", str(folder / "tagged"), str(folder / "tagged.tsv")]) == 0
        (tmp_path / "turned.tsv").write_text("abc\tV;PST\tabc\n")
        assert main(["evaluate", str(folder / "tagged"), str(tmp_path / "turned.tsv"),
                     "--columns", "1,3,2"]) == 0  # fmt: skip
        assert main(["evaluate", str(folder / "tagged"), str(folder / "tagged.tsv"),
                     "--tags-column", "3"]) == 0  # fmt: skip


def test_info_says_what_the_folder_holds(folder, capsys):
    assert main(["info", str(folder / "m"), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["task"] == "graphemes to graphemes"
    assert table["scores"]["pairs"] == 30
    assert table["training"]["seed"] == 0
    assert main(["info", str(folder / "tagged")]) == 0
    assert "with tags" in capsys.readouterr().out


@pytest.mark.parametrize("number", [1, 2])
def test_info_says_the_format_that_the_folder_has(number, tmp_path, capsys):
    golden = Path(__file__).parents[1] / "golden" / f"model-format-{number}"
    assert main(["info", str(golden), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == number
    load(golden).save(tmp_path / "again")
    assert main(["info", str(tmp_path / "again"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == FORMAT


def test_the_demonstration_runs_on_the_data_that_ships(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    began = time.monotonic()
    assert main(["demo", "--minutes", "0.02"]) == 0
    out = capsys.readouterr().out
    assert "word error rate" in out
    assert "thoughtful" in out
    assert (tmp_path / "demo.html").exists()
    assert (tmp_path / "demo" / "card.md").exists()
    assert time.monotonic() > began
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("x")
    assert main(["demo", "-o", str(tmp_path / "mine")]) == 1


def test_help_ends_with_an_example_and_the_version_is_printed(capsys):
    for words in (["--help"], ["train", "--help"], ["predict", "-h"]):
        assert main(words) == 0
        assert "Example: regard" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("regard 0.")


@pytest.fixture(scope="module")
def constant(tmp_path_factory) -> Path:
    """A model that always writes one and the same."""
    folder = tmp_path_factory.mktemp("several")
    rows = [(row.pair.source, "bb") for row in make_toys("copy", 100, length=4)]
    (folder / "t.tsv").write_text("".join(f"{source}\t{to}\n" for source, to in rows))
    assert main(["train", str(folder / "t.tsv"), "-o", str(folder / "m"), "--epochs", "40",
                 "--quiet", "--set", "training.learning_rate=0.01", *SIZES]) == 0  # fmt: skip
    return folder


class TestSeveralTargets:
    """A prediction is right if it equals any of the targets of its source."""

    @pytest.fixture
    def own(self) -> list[tuple[str, str]]:
        """Sources with what the model writes."""
        return [(row.pair.source, "bb") for row in make_toys("copy", 6, length=4, seed=9)]

    def figures(self, constant, path, capsys, *options):
        assert main(["evaluate", str(constant / "m"), str(path), "--json", *options]) == 0
        told = capsys.readouterr()
        return json.loads(told.out), told.err

    def test_in_further_columns(self, constant, own, tmp_path, capsys):
        path = tmp_path / "p.tsv"
        path.write_text(
            "".join(f"{source}\tx\t{target}\n" for source, target in own[:4])
            + "".join(f"{source}\tx\n" for source, _ in own[4:])
        )
        table, _ = self.figures(constant, path, capsys)
        assert (table["pairs"], table["accuracy"]["value"]) == (6, pytest.approx(4 / 6))
        assert "any alternative" in table["signature"]

    def test_in_further_lines_if_asked_for(self, constant, own, tmp_path, capsys):
        path = tmp_path / "p.tsv"
        path.write_text("".join(f"{source}\tx\n{source}\t{target}\n" for source, target in own))
        table, told = self.figures(constant, path, capsys)
        assert (table["pairs"], table["accuracy"]["value"]) == (12, 0.5)
        assert "6 sources stand there with several targets" in told
        table, told = self.figures(constant, path, capsys, "--alternatives")
        assert (table["pairs"], table["accuracy"]["value"]) == (6, 1.0)
        assert "several targets" not in told

    def test_an_empty_further_column_is_refused(self, constant, tmp_path, capsys):
        path = tmp_path / "p.tsv"
        path.write_text("ab\tab\t\n")
        assert main(["evaluate", str(constant / "m"), str(path)]) == 1
        assert "p.tsv, line 1: expected a further target" in capsys.readouterr().err

    def test_bleu_and_chrf_beside_the_others(self, constant, own, tmp_path, capsys):
        pytest.importorskip("sacrebleu")
        path = tmp_path / "p.tsv"
        path.write_text("".join(f"{source}\t{target}\n" for source, target in own))
        table, _ = self.figures(constant, path, capsys, "--bleu", "--chrf", "--lower-case")
        assert set(table["chrf"]) == {"value", "low", "high", "signature"}
        assert table["chrf"]["value"] == pytest.approx(100)
        assert "case:lc" in table["bleu"]["signature"]
        assert main(["evaluate", str(constant / "m"), str(path), "--bleu"]) == 0
        assert re.search(r"BLEU +[\d.]+ +95 % interval", capsys.readouterr().out)


class TestInspect:
    def test_a_verdict_with_its_figures(self, folder, capsys):
        assert main(["inspect", str(folder / "m"), str(folder / "dev.tsv")]) == 0
        told = capsys.readouterr().out
        assert re.match(r"(SUPPORTED|PARTIAL|NOT SUPPORTED|UNDETERMINED): on these 30 pairs", told)
        for word in ("checks  I1 ok", "gap ", "keep erased", "rows ", "most doubtful"):
            assert word in told
        assert "because" not in told

    def test_json_carries_every_figure(self, folder, capsys):
        assert main(["inspect", str(folder / "m"), str(folder / "dev.tsv"), "--json"]) == 0
        table = json.loads(capsys.readouterr().out)
        assert {"verdict", "reasons", "checks", "gap", "agree", "uniform", "keep", "flags"} <= set(
            table
        )
        assert len(table["checks"]) == 8

    def test_the_report_is_one_page_without_script_or_outside_request(
        self, folder, tmp_path, capsys
    ):
        page = tmp_path / "report.html"
        assert main(["inspect", str(folder / "m"), str(folder / "dev.tsv"), "--forced", "--html",
                     str(page), "--set", "word_pairs=5"]) == 0  # fmt: skip
        text = page.read_text("utf-8")
        assert "<script" not in text
        assert not re.search(r"(href|src)=['\"](?!data:)", text)
        assert "{{" not in text
        assert text.count("<article>") == 24
        assert text.count("<details>") == 24
        assert "most doubtful pairs (24 of 30)" in text

    def test_few_pairs_give_no_verdict(self, folder, tmp_path, capsys):
        few = write_toys(tmp_path / "few.tsv", 3, 5)
        assert main(["inspect", str(folder / "m"), str(few)]) == 0
        assert "UNDETERMINED: 3 pairs" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["none", "dev.tsv"], 2, "no map to inspect"),
            (["m", "dev.tsv", "--set", "efect=1"], 2, "did you mean 'effect'"),
            (["m", "dev.tsv", "--html", "no/such/folder.html"], 1, "cannot be written"),
            (["m", "empty.tsv"], 1, "found none"),
            (["m"], 2, "expected PAIRS"),
        ],
    )
    def test_mistakes_are_told(self, folder, arguments, code, message, capsys, monkeypatch):
        monkeypatch.chdir(folder)
        (folder / "empty.tsv").write_text("")
        assert main(["inspect", *arguments]) == code
        assert message in capsys.readouterr().err

    def test_an_invalid_map_ends_with_one(self, folder, capsys, monkeypatch):
        from regard.inspection import Check

        failed = [Check("I3", "padding changes nothing", 0.5, 1e-4)]
        monkeypatch.setattr("regard.predictor.inspecting.check_map", lambda *_: failed)
        assert main(["inspect", str(folder / "m"), str(folder / "dev.tsv"), "--json"]) == 1
        told = capsys.readouterr()
        assert json.loads(told.out)["verdict"] == "invalid"
        assert "not valid" in told.err


class TestLinks:
    def test_predictions_say_how_each_row_was_used(self, folder, tmp_path, capsys):
        looks = tmp_path / "looks.jsonl"
        (tmp_path / "words").write_text("abc\n\nde\n")
        assert (
            main(
                ["predict", str(folder / "m"), str(tmp_path / "words"), "--alignments", str(looks)]
            )
            == 0
        )
        first, blank, _ = map(json.loads, looks.read_text("utf-8").splitlines())
        assert len(first["labels"]) == len(first["target"]) == len(first["effects"])
        assert set(first["labels"]) <= {"used", "misdirected", "spread", "idle"}
        assert first["summary"].startswith("Of ")
        assert blank["reason"] == "blank"

    @pytest.mark.parametrize("method", ["weights", "erasure", "substitution"])
    @pytest.mark.parametrize("link", ["argmax", "mutual", "itermax", "matching"])
    def test_links_by_every_way(self, folder, method, link, capsys):
        assert main(["align", str(folder / "m"), str(folder / "dev.tsv"), "--method", method,
                     "--link", link]) == 0  # fmt: skip
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 30
        assert all(re.fullmatch(r"(\d+-\d+ ?)*", line) for line in lines)

    def test_both_directions(self, folder, capsys):
        arguments = ["align", str(folder / "m"), str(folder / "dev.tsv"), "--reverse",
                     str(folder / "m"), "--symmetrize", "union"]  # fmt: skip
        assert main(arguments) == 0
        assert len(capsys.readouterr().out.splitlines()) == 30
        assert main([*arguments, "--format", "jsonl"]) == 2

    def test_the_error_rate_of_its_own_links_is_nothing(self, folder, tmp_path, capsys):
        gold = tmp_path / "gold"
        assert main(["align", str(folder / "m"), str(folder / "dev.tsv"), "-o", str(gold)]) == 0
        assert main(["evaluate", str(folder / "m"), str(folder / "dev.tsv"), "--links", str(gold),
                     "--json"]) == 0  # fmt: skip
        table = json.loads(capsys.readouterr().out)
        assert table["alignment_error_rate"] == {"value": 0.0, "low": 0.0, "high": 0.0}
        assert table["precision"]["value"] == table["recall"]["value"] == 1.0
        assert (
            main(["evaluate", str(folder / "m"), str(folder / "dev.tsv"), "--links", str(gold)])
            == 0
        )
        assert "alignment error" in capsys.readouterr().out

    def test_other_numbers_of_lines_are_refused(self, folder, tmp_path, capsys):
        (tmp_path / "gold").write_text("0-0\n")
        assert main(["evaluate", str(folder / "m"), str(folder / "dev.tsv"), "--links",
                     str(tmp_path / "gold")]) == 1  # fmt: skip
        assert "30 pairs, but links for 1" in capsys.readouterr().err
