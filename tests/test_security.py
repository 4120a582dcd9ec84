"""No string becomes code or mark-up, and nothing goes over a network."""

import ast
import re
import socket
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from regard import Alignment
from regard.alignment import Label, html, svg
from regard.cli import main
from regard.model import Saved, Vocabularies, build, save_model
from regard.text import Vocabulary, make_toys
from tests.tiny import settings_of

HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onload='alert(1)", "</title><b>",
    "]]><b>", "-->", "</script><script>", "&lt;b&gt;", "${alert(1)}", "{{x}}", "javascript:alert(1)",
    "\x1b[31m", "\x00", "\u202e", "<!ENTITY x SYSTEM 'file:///etc/passwd'>", "%s{0}",
]  # fmt: skip


class Seen(HTMLParser):
    """Which elements and attributes a browser would find."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs


def alignment_of(text: str) -> Alignment:
    source = (
        Label(text, 0, len(text)),
        Label("", len(text), len(text), "end"),
        Label(text, len(text), len(text), "tag"),
    )
    weights = np.full((2, 3), 1 / 3, np.float32)
    return Alignment(source, source[:2], weights, text)


def elements(page: str) -> set[str]:
    """The elements of a page and their attributes, by name: what no string may add to."""
    seen = Seen()
    seen.feed(page)
    return {*seen.tags, *(f"@{name}" for name, _ in seen.attributes)}


USUAL = {
    draw: elements(draw(alignment_of("x"))) | elements(draw(alignment_of("\u0639" * 9)))
    for draw in (svg.draw, html.page)
}


@given(text=st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=20)))
@example(text="</script>")
def test_pictures_and_pages_have_no_element_of_a_strings_making(text):
    for draw, usual in USUAL.items():
        assert elements(draw(alignment_of(text))) <= usual


@given(text=st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=20)))
def test_a_picture_is_well_formed_whatever_the_string(text):
    ElementTree.fromstring(svg.draw(alignment_of(text)))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_terminal_gets_no_control_characters(text):
    drawn = str(alignment_of(text))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]", drawn)


def test_a_report_has_the_same_elements_whatever_the_strings(tmp_path, capsys):
    found: list[set[str]] = []
    for letters in ("abcde", "<&\"'>"):
        side = Vocabulary.of([letters])
        known, options = Vocabularies(side, side), settings_of({"length_ratio": 0.1})
        torch.manual_seed(0)
        save_model(tmp_path / "m", Saved(options, known, build(options, known)))
        pairs = "".join(f"{letters[:n]}\t{letters[1:]}\n" for n in (1, 3, 5))
        (tmp_path / "pairs.tsv").write_text(pairs + '<b onload="x">\t<script>\n')
        main(["inspect", str(tmp_path / "m"), str(tmp_path / "pairs.tsv"), "--forced",
              "--html", str(tmp_path / "r.html")])  # fmt: skip
        found.append(elements((tmp_path / "r.html").read_text("utf-8")))
    assert found[0] == found[1]
    assert not {"script", "b", "@onload"} & found[1]


def test_nothing_goes_over_a_network(tmp_path, monkeypatch, capsys):
    """Training, predicting, showing and inspecting open no socket."""

    class Refused(socket.socket):
        def __init__(self, family=socket.AF_INET, *given, **named):
            if family != socket.AF_UNIX:
                raise AssertionError("a socket was opened")
            super().__init__(family, *given, **named)

    def refused(*_, **__):
        raise AssertionError("a name was looked up")

    monkeypatch.setattr(socket, "socket", Refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    with pytest.raises(AssertionError, match="a socket was opened"):
        socket.socket()
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(
        "".join(
            f"{toy.pair.source}\t{toy.pair.target}\n" for toy in make_toys("copy", 30, length=3)
        )
    )
    model, words = str(tmp_path / "m"), str(tmp_path / "words")
    Path(words).write_text("abc\n")
    assert main(["train", str(pairs), "--dev", str(pairs), "-o", model, "--epochs", "1", "--quiet",
                 "--set", "encoder.hidden_size=4", "--set", "decoder.hidden_size=8"]) == 0  # fmt: skip
    assert main(["predict", model, words, "--alignments", str(tmp_path / "looks")]) == 0
    assert main(["show", model, "abc", "--html", str(tmp_path / "a.html")]) == 0
    assert main(["inspect", model, str(pairs), "--html", str(tmp_path / "r.html")]) in (0, 1)
    for name in ("a.html", "r.html"):
        text = (tmp_path / name).read_text("utf-8")
        links = set(re.findall(r"(?:src|href)=[\"']([^\"'#][^\"']*)", text))
        assert not [link for link in links if not link.startswith("data:")]


def test_the_library_imports_nothing_that_executes_what_it_reads():
    never = {"pickle", "marshal", "shelve", "subprocess", "urllib", "http", "requests"}
    # A training speaks by pickles with processes that it began itself, over pipes that nobody else has.
    may = {"abreast.py": {"pickle", "subprocess"}, "worker.py": {"pickle"}}
    for path in (Path(__file__).parents[1] / "src" / "regard").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found = {name.split(".")[0] for name in names} & never
            assert found <= may.get(path.name, set()), path


def test_pickles_come_from_pipes_alone():
    training = Path(__file__).parents[1] / "src" / "regard" / "training"
    read = [
        ast.unparse(node.args[0])
        for name in ("abreast.py", "worker.py")
        for node in ast.walk(ast.parse((training / name).read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("pickle.load", "open"))
    ]
    assert read == ["said", "sys.stdin.buffer"]
