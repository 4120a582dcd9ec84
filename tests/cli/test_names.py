"""Names with blanks and letters of any script, lines that end as on Windows, consoles of few letters."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from regard.cli import main
from tests.cli.test_cli import SIZES, write_toys


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with data whose lines end in CRLF, and a model of it; its name has blanks in it."""
    folder = tmp_path_factory.mktemp("names") / "Mein Ordner 文件 é"
    folder.mkdir()
    for name, count, seed in (("übung eins.tsv", 60, 0), ("prüf ung.tsv", 12, 1)):
        path = write_toys(folder / name, count, seed)
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["train", str(folder / "übung eins.tsv"), "--dev", str(folder / "prüf ung.tsv"),
                 "-o", str(folder / "mo dell ü"), "--epochs", "1", "--quiet", *SIZES]) == 0  # fmt: skip
    return folder


def test_windows_line_ends_are_no_symbols(folder):
    vocabulary = json.loads((folder / "mo dell ü" / "source.json").read_text("utf-8"))
    assert not any("\r" in symbol for symbol, _ in vocabulary["symbols"])


COMMANDS = {
    "check": ["check", "übung eins.tsv", "--fix", "saubere kopie ü"],
    "predict": ["predict", "mo dell ü", "wör ter.txt", "-o", "aus gabe é.txt",
                "--alignments", "blick e.jsonl"],
    "show": ["show", "mo dell ü", "abc", "--html", "ein blick é.html", "--svg", "ein blick é.svg"],
    "align": ["align", "mo dell ü", "prüf ung.tsv", "--format", "npz", "-o", "stel len é.npz"],
    "evaluate": ["evaluate", "mo dell ü", "prüf ung.tsv"],
    "inspect": ["inspect", "mo dell ü", "prüf ung.tsv", "--html", "be richt é.html"],
    "compare parts": ["train", "*eins.tsv", "prüf ung.tsv", "-o", "noch eins ü", "--epochs", "1",
                      "--set", "training.store=disk", *SIZES],
    "score": ["score", "mo dell ü", "prüf ung.tsv"],
    "info": ["info", "mo dell ü"],
    "resume": ["train", "übung eins.tsv", "--dev", "prüf ung.tsv", "-o", "mo dell ü", "--resume"],
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_any_name(folder, name, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    Path("wör ter.txt").write_bytes(b"abc\r\n\r\nab\r\n")
    assert main(COMMANDS[name]) in ((0, 1) if name == "inspect" else (0,))
    for word in COMMANDS[name]:
        if Path(word).suffix in (".html", ".svg", ".npz", ".txt", ".jsonl"):
            assert Path(word).stat().st_size, word
    if name == "predict":
        assert Path("aus gabe é.txt").read_bytes().count(b"\n") == 3
        assert b"\r" not in Path("aus gabe é.txt").read_bytes()


RUNS = """
import sys
from regard.cli import run
for words in (["show", "mo dell ü", "中éb"], ["show", "mo dell ü", "ab", "--step", "1"],
              ["learn", "softmax"], ["check", "übung eins.tsv", "böse.tsv"],
              ["evaluate", "mo dell ü", "prüf ung.tsv", "--errors"], ["info", "mo dell ü"],
              ["align", "mo dell ü", "böse.tsv"], ["--help"]):
    sys.argv = ["regard", *words]
    try:
        run()
    except SystemExit as done:
        print(f"<{words[0]} {done.code}>")
"""


@pytest.mark.parametrize("encoding", ["cp1252", "ascii:strict"])
def test_a_console_of_few_letters_breaks_no_command(folder, encoding):
    (folder / "böse.tsv").write_text("中é\u2028\tab\n中é\u2028\tabc\n\ufeffа\tb\n", "utf-8")
    told = subprocess.run(
        [sys.executable, "-c", RUNS],
        cwd=folder,
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
    )
    text = told.stdout.decode(encoding.partition(":")[0])
    assert told.returncode == 0, told.stderr
    assert b"Traceback" not in told.stderr
    codes = [line for line in text.splitlines() if line.startswith("<") and line.endswith(">")]
    assert codes == ["<show 0>", "<show 0>", "<learn 0>", "<check 0>", "<evaluate 0>",
                     "<info 0>", "<align 0>", "<--help 0>"]  # fmt: skip
