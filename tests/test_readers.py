"""Whatever bytes a file holds, its reader gives what it reads or one of our own errors."""

import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from regard import Alignment, DataError, RegardError, RunSettings, Vocabulary
from regard.evaluation import LinkLayout, read_links
from regard.settings import read_toml, to_toml
from regard.text import Columns, read_lines, read_pairs, read_parallel
from tests.strategies import alignments

LONG = "9" * 5000
SEEDS = [
    b"", b"\xef\xbb\xbf", b"\xff\xfe", b"a\tb\n", b"\0", b"\r\n\r", b"[" * 50_000, b"{" * 50_000,
    b'{"source": "a", "target": "b", "tags": "V"}\n', LONG.encode(), f"0-{LONG}".encode(),
    f'{{"source": {LONG}}}'.encode(), b"0-0 1p2 3?4\n", b"0001 1 1 S\n", b"999999999 1 1 S\n",
    f"{LONG} 1 1\n".encode(), f"a = {LONG}\n".encode(), b"a = 2000-99-99\n", b"a = nan\n",
    b'[a]\nb = "\\ud800"\n', b"a." * 5_000 + b"a = 1\n", b"x = [" * 20_000, b"\x1f\x8b\x08\0",
    gzip.compress(b"a\tb\n", mtime=0), gzip.compress(b"a\tb\n", mtime=0)[:-9],
]  # fmt: skip
BYTES = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.one_of(
            st.sampled_from(SEEDS),
            st.binary(max_size=6),
            st.text('0123456789-p?\t\n\r {}[]":,.=SPabé\u2028', max_size=12).map(
                lambda text: text.encode()
            ),
        ),
        max_size=4,
    ).map(b"".join),
)

READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "lines": ("f.txt", lambda path: list(read_lines(path))),
    "compressed lines": ("f.gz", lambda path: list(read_lines(path))),
    "pairs": ("f.tsv", lambda path: list(read_pairs(path))),
    "pairs with tags": ("f.tsv", lambda path: list(read_pairs(path, Columns(0, 1, 2)))),
    "objects": ("f.jsonl", lambda path: list(read_pairs(path))),
    "parallel files": ("f.txt", lambda path: list(read_parallel(path, path))),
    "links": ("f.txt", read_links),
    "links of a column": ("f.txt", lambda path: read_links(path, LinkLayout(1, True, 2))),
    "settings": ("f.toml", lambda path: RunSettings.of(read_toml(path))),
}


def told(read: Callable, given: object) -> str:
    """What the error says that reading comes to; nothing if there is none."""
    try:
        read(given)
    except RegardError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=BYTES)
def test_a_file(tmp_path, name, content):
    file, read = READERS[name]
    (tmp_path / file).write_bytes(content)
    assert len(told(read, tmp_path / file)) < 700


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("content", SEEDS, ids=lambda content: repr(content[:20]))
def test_a_file_of_a_known_kind_of_harm(tmp_path, name, content):
    test_a_file.hypothesis.inner_test(tmp_path, name, content)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
              st.sampled_from([10**400, "content", "end", [[1.0]], "\ud800"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["source", "target", "weights", "look", "trust", "text",
                                         "start", "end", "role", "special", "symbols", "effects",
                                         "uniform", "permuted", "threshold"]), inner, max_size=6),
    ), max_leaves=20,
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, table: object) -> object:
    """A table with one of its values replaced by anything."""
    if draw(st.integers(0, 3)) == 0 or not isinstance(table, dict | list) or not table:
        return draw(JSON)
    if isinstance(table, list):
        place = draw(st.integers(0, len(table) - 1))
        return [*table[:place], draw(mutated(table[place])), *table[place + 1 :]]
    key = draw(st.sampled_from(sorted(table)))
    return table | {key: draw(mutated(table[key]))}


VOCABULARY = Vocabulary.of(["aab", "é"])
FORMS: dict[str, tuple[st.SearchStrategy[str], Callable[[str], Alignment | Vocabulary]]] = {
    "an alignment": (alignments().map(Alignment.to_json), Alignment.from_json),
    "a vocabulary": (st.just(VOCABULARY.to_json()), Vocabulary.from_json),
}


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=400)
@given(data=st.data())
def test_a_form_with_anything_in_it(name, data):
    """What is read can be written again, and is then the same."""
    made, read = FORMS[name]
    table = data.draw(mutated(json.loads(data.draw(made))))
    try:
        found = read(json.dumps(table))
    except RegardError:
        return
    assert read(found.to_json()).to_json() == found.to_json()


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=200)
@given(content=BYTES)
@example(content=b"[" * 100_000)
@example(content=f'{{"special": [], "symbols": [["a", {LONG}]]}}'.encode())
def test_a_form_of_any_bytes(name, content):
    assert len(told(FORMS[name][1], content.decode("utf-8", "surrogateescape"))) < 700


@given(values=st.dictionaries(
    st.sampled_from(["training.clip", "training.epochs", "text.columns", "training.device",
                     "decoder.kind", "encoder.dropout"]),
    st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=8), st.booleans())))  # fmt: skip
def test_settings_that_are_taken_are_written_and_read_again(tmp_path_factory, values):
    try:
        found = RunSettings().with_values(values)
    except RegardError:
        return
    path = tmp_path_factory.mktemp("toml") / "run.toml"
    try:
        path.write_text(to_toml(found.to_table()), encoding="utf-8")
    except UnicodeEncodeError:
        return
    assert RunSettings.of(read_toml(path)) == found


@settings(max_examples=200)
@given(text=st.text(max_size=20))
@example(text=LONG + ",1")
@example(text="²,1")
def test_an_order_of_columns(text):
    with suppress(RegardError):
        assert Columns.parse(text).count <= 10**9


def test_sentences_without_end_are_refused_at_once(tmp_path):
    (tmp_path / "gold").write_text("1 1 1 S\n999999999 1 1 S\n")
    with pytest.raises(DataError, match="line 2: sentences count from 1 to 10,000,000"):
        read_links(tmp_path / "gold")
