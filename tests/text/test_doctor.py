"""The data doctor: each ailment by a file that has it and one that only looks like it."""

import gzip
import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from regard import DataError, RunSettings, SettingsError
from regard.text import KINDS, Columns, Finding, Findings, Pair, doubts, examine, mend
from regard.text.ailments import KEPT, excerpt, visible, with_marks
from regard.text.cure import LOG
from regard.text.sides import LONGEST

CLEAN = "chat\tʃ a\nchou\tʃ u\ncas\tk a\n"
TAGGED = Columns(0, 1, 2)


@pytest.fixture
def write(tmp_path):
    def write(content: bytes | str, name: str = "train.tsv") -> Path:
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def found(*paths: Path, columns: Columns | None = None, of: int = -1) -> dict[str, list[Finding]]:
    """What was found in one of the files, by the kinds' names."""
    report = list(examine(paths, columns))[of]
    places: dict[str, list[Finding]] = {}
    for kind in KINDS:
        for _, count, kept in report.found.of(kind):
            assert count >= len(kept) > 0
            places.setdefault(kind.name, []).extend(kept)
    return places


def words(count: int) -> str:
    """Pairs that differ, and in which nothing is to be found."""
    return "".join(
        f"{number:08b}\t{number:08b}\n".translate({48: "a", 49: "b"}) for number in range(count)
    )


ONE_FILE = {
    "a byte-order mark": ("\ufeff" + CLEAN, "byte_order_mark", 1, "utf-8"),
    "CRLF": (CLEAN.replace("\n", "\r\n"), "line_ends", 0, "3 CRLF"),
    "CR": (CLEAN.replace("\n", "\r"), "line_ends", 0, "3 CR"),
    "mixed line ends": ("a\tb\r\nc\td\n", "line_ends", 0, "1 CRLF, 1 LF"),
    "U+2028": (CLEAN + "a\u2028b\tc\n", "separators", 4, "a<U+2028>b<TAB>c"),
    "U+0085": (CLEAN + "a\u0085b\tc\n", "separators", 4, "a<U+0085>b<TAB>c"),
    "a no-break blank": (CLEAN + "a\u00a0b\tc\n", "blanks", 4, "a<U+00A0>b<TAB>c"),
    "a zero-width blank": (CLEAN + "a\u200bb\tc\n", "zero_width", 4, "a<U+200B>b<TAB>c"),
    "a mark of direction": (CLEAN + "אב\u200e\tc\n", "zero_width", 4, "אב<U+200E><TAB>c"),
    "a byte-order mark inside": (CLEAN + "a\ufeffb\tc\n", "zero_width", 4, "a<U+FEFF>b<TAB>c"),
    "a joiner where nothing joins": (CLEAN + "a\u200db\tc\n", "zero_width", 4, "a<U+200D>b<TAB>c"),
    "a leading blank": (CLEAN + " ab\tc\n", "edge_blanks", 4, "<U+0020>ab"),
    "a trailing blank": (CLEAN + "ab\tc \n", "edge_blanks", 4, "c<U+0020>"),
    "a trailing blank far away": (CLEAN + "ab\t" + "c" * 40 + " \n", "edge_blanks", 4,
                                  "..." + "c" * 29 + "<U+0020>"),
    "a control character": (CLEAN + "a\x08b\tc\n", "control", 4, "a<U+0008>b<TAB>c"),
    "private use": (CLEAN + "a\ue000b\tc\n", "private_use", 4, "a<U+E000>b<TAB>c"),
    "a lost character": (CLEAN + "caf\ufffd\tc\n", "replacement", 4, "caf\ufffd<TAB>c"),
    "UTF-8 read as Latin-1": (CLEAN + "cafÃ©\tc\n", "mojibake", 4, "cafÃ©<TAB>c"),
    "UTF-8 read as Windows-1252": (CLEAN + "lâ€™eau\tc\n", "mojibake", 4, "lâ€™eau<TAB>c"),
    "a blank line": ("a\tb\n\nc\td\n", "blank_lines", 2, ""),
    "a missing tab": (CLEAN + "ab\n", "columns", 4, "ab"),
    "too many tabs": (CLEAN + "a\tb\tc\n", "columns", 4, "a<TAB>b<TAB>c"),
    "no target": (CLEAN + "ab\t\n", "one_sided", 4, "ab<TAB>"),
    "no source": (CLEAN + " \tab\n", "one_sided", 4, "<U+0020><TAB>ab"),
    "a target that cannot be seen": (CLEAN + "ab\t\u200b\n", "one_sided", 4, "ab<TAB><U+200B>"),
    "an open quote": (CLEAN + '"ab\tc\n', "quotes", 4, '"ab'),
    "doubled quotes": (CLEAN + '"a ""b"""\tc\n', "quotes", 4, '"a ""b"""'),
    "a quoted column": ('"ab"\tc\n"cd"\te\n', "quotes", 1, '"ab"'),
    "a Cyrillic letter": (CLEAN + "c\u0430sa\tc\n", "look_alikes", 4, "c<U+0430>sa"),
    "a Latin letter": ("дом\tx\nкoт\ty\n", "look_alikes", 2, "к<U+006F>т"),
    "a Latin letter with an accent": ("λόγος\tx\nλóγος\ty\n", "look_alikes", 2, "λ<U+00F3>γος"),
    "two apostrophes": ("l'eau\tx\nd'or\ty\nl’an\tz\n", "two_codings", 3, "l<U+2019>an"),
    "cedilla and comma": ("aș\tx\niș\ty\naş\tz\n", "two_codings", 3, "a<U+015F>"),
    "two codings of a phone": ("ga\tɡ a\ngo\tɡ o\ngi\tg i\n", "two_codings", 3, "<U+0067> i"),
    "a repetition": ("a\tb\nc\td\na\tb\n", "duplicates", 1, "a → b"),
    "several targets": ("a\tb\nc\td\na\te\n", "several_targets", 1, "a → b (1) | e (1)"),
    "a long field": (CLEAN + "a" * 150 + "\tc\n", "long", 4, "a" * 30 + "..."),
    "a field too long": (CLEAN + "a" * 2001 + "\tc\n", "too_long", 4, "a" * 30 + "..."),
    "lengths that do not fit": (words(40) + "abbbabbabb\tb\n", "length_ratio", 41, "abbbabbabb → b"),
    "Hangul": ("가감\tk a\n", "hangul", 0, "가감"),
    "nothing": ("", "empty", 0, ""),
    "no pair": ("\n\n", "empty", 0, ""),
    "UTF-16": (CLEAN.encode("utf-16"), "encoding", 0, "utf-16-le"),
    "UTF-16 without a mark": (CLEAN.encode("utf-16-be"), "encoding", 0, "utf-16-be"),
    "UTF-32": ("\ufeffa\tb\n".encode("utf-32-be"), "encoding", 0, "utf-32-be"),
    "Latin-1": ("chat\ta\ncafé\tb\n".encode("latin-1"), "encoding", 2, "café<TAB>b"),
    "no text": (bytes(range(256)) * 4, "encoding", 0, "no text that is known"),
    "another alphabet": ("дом\tx\n".encode("cp1251"), "encoding", 1, ""),
    "sixteen bits that say nothing": (b"\xff\0\0\0", "encoding", 0, "no text that is known"),
    "empty bytes": (b"a\0\0\tb\n", "control", 1, "a<U+0000><U+0000><TAB>b"),
    "half of UTF-16": (b"\xff\xfea\0\t", "encoding", 0, "no text that is known"),
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_FILE)
def test_each_ailment_is_found_where_it_is(write, name):
    content, kind, line, text = ONE_FILE[name]
    place = found(write(content))[kind][0]
    assert (place.line, place.text) == (line, text)


def test_of_what_is_no_text_nothing_else_is_said(write):
    assert set(found(write(bytes(range(256)) * 4))) == {"encoding"}


def test_a_byte_that_is_not_utf8_is_named_with_its_place(write):
    place = found(write("chat\ta\ncafé\tb\n".encode("latin-1")))["encoding"][0]
    assert place.note == "byte 0xe9 at place 4, read as windows-1252"


@pytest.mark.parametrize(
    "content",
    [
        CLEAN,
        "",
        "می\u200cخواهم\tx y\n",  # Persian needs its joiners
        "क्\u200dष\tx y\n",  # and so do Indic scripts
        "👩\u200d🚀\tx y\n",  # and emoji
        "ភាសា\u200bខ្មែរ\tx y\n",  # Khmer marks words with a blank of no width
        "ab\tˈβ θ χ\ncd\tβ\n",  # Greek letters that IPA has made its own
        "TNFα\tx\nαβ\ty\n",  # or a name
        "«CAFÉ»\tx\n",
        "\u3000\n",
        "ab\tˈaː b\ncd\tc d\n",
        'say "no"\tsag "nein"\n"\t"\n',
        "a" + "\u0323" * 2000 + "\tb\n",  # one symbol
        "«café»\tx\n",
        "işğal\tx\nmișu\ty\n",  # a Turkish and a Romanian name, each right
    ],
)
def test_what_only_looks_like_an_ailment_is_not_found(write, content):
    assert set(found(write(content))) <= {"empty", "blank_lines"}


def test_a_notation_with_quotes_is_not_a_leftover(write):
    lines = [
        f'{word.split()[0]}\t"k{place} t\n' for place, word in enumerate(words(60).split("\n")[:-1])
    ]
    assert "quotes" not in found(write("".join(lines)))


def test_an_orthography_that_mixes_scripts_is_not_a_mistake(write):
    lines = words(60).replace("a", "а").replace("b", "s").split("\n")[:-1]
    assert "look_alikes" not in found(write("\n".join(lines)))


class TestForms:
    def test_the_rarer_form_is_named_with_its_marks(self, write):
        rare = unicodedata.normalize("NFD", "café")
        places = found(write(f"é\tx\nö\ty\n{rare}\tz\na\tt\n"))["mixed_forms"]
        assert [(place.line, place.text, place.note) for place in places] == [
            (3, "cafe<U+0301>", "most sources are NFC")
        ]

    def test_a_side_may_be_decomposed_throughout(self, write):
        text = unicodedata.normalize("NFD", "é\tx\nö\ty\n")
        assert "mixed_forms" not in found(write(text))

    def test_another_form_than_in_training_is_found(self, write):
        train = write("é\tx\nö\ty\n")
        dev = write(unicodedata.normalize("NFD", "ü\tz\n"), "dev.tsv")
        assert found(train, dev)["other_form"][0].text == f"NFD, but NFC in {train}"

    def test_what_is_the_same_in_both_forms_has_none(self, write):
        (report,) = examine([write("ab\tɑ̃ b\nc\tn̩\n")])
        assert report.forms == ("none", "none")


class TestTags:
    def test_another_order_is_found(self, write):
        path = write("a\tb\tV;PST\nc\td\tV;PST\ne\tf\tPST;V\n")
        (place,) = found(path, columns=TAGGED)["tag_order"]
        assert (place.line, place.text, place.note) == (3, "PST;V", "mostly it is V;PST")

    def test_the_order_within_brackets_is_meant(self, write):
        path = write("a\tb\tV;NOM(1);ACC(2)\nc\td\tV;NOM(2);ACC(1)\n")
        assert "tag_order" not in found(path, columns=TAGGED)

    def test_the_same_source_with_other_tags_is_another(self, write):
        path = write("a\tb\tV;PST\na\tc\tV;PRS\na\td\tPST;V\n")
        (place,) = found(path, columns=TAGGED)["several_targets"]
        assert place.text == "a (V;PST) → b (1) | d (1)"

    def test_what_a_model_is_told_decides_what_is_the_same(self, write):
        path = write("a\tb\tV;A+B\na\td\tB;V;A\na\te\tV;A\n")
        (place,) = found(path, columns=TAGGED)["several_targets"]
        assert place.text == "a (V;A+B) → b (1) | d (1)"

    def test_the_usual_order_is_shown_as_it_is_written(self, write):
        path = write("a\tb\tV;P(1;2)\nc\td\tV;P(1;2)\ne\tf\tV;P(2;1)\n")
        (place,) = found(path, columns=TAGGED)["tag_order"]
        assert place.note == "mostly it is V;P(1;2)"

    def test_tags_that_training_lacks_are_unseen(self, write):
        train, dev = write("a\tb\tV;PST\n"), write("a\tb\tV;FUT\n", "dev.tsv")
        (place,) = found(train, dev, columns=TAGGED)["unseen"]
        assert (place.side, place.text) == ("tags", "FUT")


class TestSeveralFiles:
    def test_the_same_pair_and_the_same_source_are_found(self, write):
        train, dev = write(CLEAN), write("cas\tk a\nchat\tt a\nneu\tk u\n", "dev.tsv")
        places = found(train, dev)
        assert [(place.line, place.note) for place in places["same_pair"]] == [(1, "there line 3")]
        assert [(place.line, place.note) for place in places["same_source"]] == [
            (2, "there line 1")
        ]

    def test_later_files_are_compared_with_all_before_them(self, write):
        paths = [write(CLEAN), write("a\tk\n", "dev.tsv"), write("a\tk\ncas\tk a\n", "test.tsv")]
        report = list(examine(paths))[2]
        others = {
            other
            for kind in KINDS
            if kind.name == "same_pair"
            for other, _, _ in report.found.of(kind)
        }
        assert others == {str(path) for path in paths[:2]}

    def test_symbols_that_training_lacks_are_counted(self, write):
        train, dev = write(CLEAN), write("tas\tk a\nsot\tk o\nsat\to a\n", "dev.tsv")
        places = found(train, dev)["unseen"]
        assert [(place.line, place.side, place.text, place.note) for place in places] == [
            (2, "target", "o", "on 2 lines")
        ]

    def test_hangul_is_compared_letter_by_letter(self, write):
        train, dev = write("각난\tk\n"), write("간낙\tk\n", "dev.tsv")
        assert "unseen" not in found(train, dev)

    def test_letters_and_marks_are_compared_where_training_has_them(self, write):
        rows = [f"{letter}{mark}\tk\n" for letter in "कखगघचज" for mark in "ािीुू"]
        train, dev = write("".join(rows[1:])), write(rows[0], "dev.tsv")
        assert "unseen" not in found(train, dev)

    def test_swapped_sides_are_found(self, write):
        train, dev = write("дом\tdom\nкот\tkot\n"), write("tok\tток\n", "dev.tsv")
        assert str(train) in found(train, dev)["swapped"][0].note
        same = write("abc\tcba\n", "same.tsv"), write("cba\tabc\n", "turned.tsv")
        assert "swapped" not in found(*same)

    def test_further_targets_may_stand_in_later_files_only(self, write):
        train, dev = write(CLEAN), write("chut\tʃ u\tʃ a\n", "dev.tsv")
        assert "further_columns" in found(train, dev)
        assert not list(examine([train, dev]))[1].found.are_grave
        assert "columns" in found(train, write("chut\tʃ u\t\n", "dev.tsv"))

    def test_an_empty_file_before_others_is_not_what_they_are_compared_with(self, write):
        assert set(found(write(""), write(CLEAN, "dev.tsv"))) == set()


class TestJson:
    def test_fields_are_looked_at_and_not_the_objects(self, write):
        row = json.dumps({"source": "a\u00a0b", "target": "c ", "tags": ["V", "PST"]})
        places = found(write(f"{row}\n\n", "train.jsonl"))
        assert places["blanks"][0].text == "a<U+00A0>b<TAB>c <TAB>V;PST"
        assert set(places) == {"blanks", "edge_blanks", "blank_lines"}

    @pytest.mark.parametrize(
        "line", ["[1]", "{", '{"source": "a"}', '{"source": "a\\n", "target": "b"}',
                 '{"source": "a", "target": "b", "tags": 3}', "[" * 100_000]
    )  # fmt: skip
    def test_lines_that_are_no_pairs_are_found(self, write, line):
        assert found(write(f"{line}\n", "train.jsonl"))["json"][0].line == 1

    def test_only_lines_that_need_it_are_written_anew(self, write, tmp_path):
        lines = [
            '{"source":"a","target":"b","id":1.0}',
            '{"source":"a ","target":"b","more":"\\ud800"}',
            '{"source": "c", "target": "d ", "tags": ["V"]}',
            "[]",
            "",
        ]
        path = write("\n".join(lines), "train.jsonl.gz")
        mend([path], tmp_path / "clean")
        copy = gzip.decompress((tmp_path / "clean" / path.name).read_bytes()).decode().split("\n")
        assert [copy[0], copy[3], copy[4]] == [lines[0], lines[3], lines[4]]
        assert json.loads(copy[1]) == {"source": "a", "target": "b", "more": "\ud800"}
        assert json.loads(copy[2]) == {"source": "c", "target": "d", "tags": ["V"]}


MENDED = {
    "a byte-order mark": ("\ufeff" + CLEAN, CLEAN),
    "two byte-order marks": ("\ufeff\ufeff" + CLEAN, CLEAN),
    "line ends": ("a\tb\r\nc\td\re\tf\n", "a\tb\nc\td\ne\tf\n"),
    "no end at the end": ("a\tb\r\nc\td", "a\tb\nc\td"),
    "separators": ("a\u2028b\u0085c\tb\u2029\n", "a b c\tb\n"),
    "blanks": ("a\u00a0b\tc\u202fd\n", "a b\tc d\n"),
    "nothing to be seen": ("a\u200bb\ufeff\tc\u00ad\n", "ab\tc\n"),
    "joiners that are needed": ("می\u200cخواهم\tx\u200c\n", "می\u200cخواهم\tx\n"),
    "edges": (" a b \t c\n", "a b\tc\n"),
    "forms": ("é\tx\nö\ty\ne\u0301\tz\n", "é\tx\nö\ty\né\tz\n"),
    "forms the other way": (
        "e\u0301\tx\no\u0308\ty\né\tz\n",
        "e\u0301\tx\no\u0308\ty\ne\u0301\tz\n",
    ),
    "a mark that was apart": ("é\tx\ne\u200b\u0301\ty\n", "é\tx\né\ty\n"),
    "UTF-16": ("é\tx\r\n".encode("utf-16"), "é\tx\n"),
    "Latin-1": ("naïve\tx\nœ\ty\n".encode("cp1252"), "naïve\tx\nœ\ty\n"),
    "blank lines stay": ("a\tb\n \n\nc\td\n", "a\tb\n\n\nc\td\n"),
    "one side stays alone": ("a\t\u00a0\nc\td\n", "a\t\nc\td\n"),
    "repetitions stay": ("a\tb \na\tb\n", "a\tb\na\tb\n"),
    "a last line of blanks stays": ("a\tb\n ", "a\tb\n\n"),
}


class TestMending:
    @pytest.mark.parametrize("name", MENDED)
    def test_each_ailment_is_mended(self, write, tmp_path, name):
        content, expected = MENDED[name]
        path = write(content)
        before = path.read_bytes()
        (copy,) = mend([path], tmp_path / "clean")
        assert copy.path is not None
        assert copy.path.read_bytes() == expected.encode()
        assert path.read_bytes() == before

    def test_every_change_is_logged(self, write, tmp_path):
        mend([write("\ufeffe\u0301\u00a0\tx\r\né\ty\r\nö\tz\r\n")], tmp_path / "clean")
        rows = [line.split("\t") for line in (tmp_path / "clean" / LOG).read_text().splitlines()]
        path = str(tmp_path / "train.tsv")
        assert rows == [
            ["file", "line", "kind", "before", "after"],
            [path, "0", "byte_order_mark", "<U+FEFF>", ""],
            [path, "0", "line_ends", "3 CRLF, 0 CR", "LF"],
            [path, "1", "blanks", "e\u0301<U+00A0>", "e\u0301<U+0020>"],
            [path, "1", "edge_blanks", "e\u0301<U+0020>", "e\u0301"],
            [path, "1", "mixed_forms", "e<U+0301>", "é"],
        ]

    def test_a_clean_archive_is_copied_bit_by_bit(self, write, tmp_path):
        path = write(CLEAN, "train.tsv.gz")
        mend([path], tmp_path / "clean")
        assert (tmp_path / "clean" / path.name).read_bytes() == path.read_bytes()

    def test_no_copy_is_made_of_what_cannot_be_read(self, write, tmp_path):
        (copy,) = mend([write(bytes(range(256)))], tmp_path / "clean")
        assert copy.path is None
        assert [one.name for one in (tmp_path / "clean").iterdir()] == [LOG]

    def test_originals_are_never_in_the_way(self, write, tmp_path):
        path = write(CLEAN)
        (tmp_path / "link").symlink_to(tmp_path)
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / path.name).hardlink_to(path)
        for folder in (tmp_path, tmp_path / "link", tmp_path / "other"):
            with pytest.raises(SettingsError, match="holds the original"):
                mend([path], folder)
        assert path.read_text() == CLEAN

    def test_names_that_clash_are_refused(self, write, tmp_path):
        path = write(CLEAN)
        with pytest.raises(SettingsError, match=r"two files are called train\.tsv"):
            mend([path, path], tmp_path / "clean")
        with pytest.raises(SettingsError, match="log of changes"):
            mend([write(CLEAN, LOG)], tmp_path / "clean")
        with pytest.raises(SettingsError, match="standard input"):
            mend(["-"], tmp_path / "clean")

    def test_a_folder_that_cannot_be_written_is_refused(self, write, tmp_path):
        path, taken = write(CLEAN), write(CLEAN, "taken")
        with pytest.raises(DataError, match="cannot be made"):
            mend([path], taken)
        (tmp_path / "clean" / path.name).mkdir(parents=True)
        with pytest.raises(DataError, match="cannot be written"):
            mend([path], tmp_path / "clean")


PIECES = st.sampled_from([*"abé\t\t\n\n\r\"'аο ", "e\u0301", "\u0323", "\r\n", "\ufeff", "\u200b",
                          "\u200c", "\u200d", "م", "क", "가", "\u00a0", "\u2028", "\u0085", "\x1f",
                          "\u0958", "\u1f71", "\u3000", "\0", "Ã©", "\U000e0001"])  # fmt: skip
ANY = st.one_of(
    st.binary(max_size=60),
    st.lists(PIECES, max_size=40).map("".join).map(str.encode),
    st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode("utf-16")),
    st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode("latin-1", "ignore")),
)


@given(content=ANY, name=st.sampled_from(["a.tsv", "a.jsonl"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(content="a\u0301\u200b\u0323\tb\n".encode(), name="a.tsv")
@example(content=b'{"source":"a ","target":"\\u00a0"}', name="a.jsonl")
@example(content=b'{"source":"a ","target":"b"}', name="a.jsonl")
@example(content=b"\xff\xfe\xff\xfe", name="a.jsonl")
@example(content=b"\xe2\x80\x80", name="a.tsv")
def test_whatever_a_file_holds_it_is_looked_at_and_mended_once(tmp_path, content, name):
    path, once, twice = tmp_path / name, tmp_path / "once", tmp_path / "twice"
    path.write_bytes(content)
    (before,) = examine([path])
    (copy,) = mend([path], once)
    assert path.read_bytes() == content
    if copy.path is None:
        assert before.encoding == "unknown"
        return
    if not copy.changes:
        assert copy.path.read_bytes() == content
    if not before.found.counts:
        assert not copy.changes
    if b"\0" in copy.path.read_bytes():
        return  # what is so odd may look like text in sixteen bits, by its length alone
    (after,) = examine([copy.path])
    assert (after.lines, after.pairs) == (before.lines, before.pairs)
    mended = {kind.name for kind, _ in after.found.counts if kind.is_mended}
    assert not mended
    (again,) = mend([copy.path], twice)
    assert again.changes == 0
    assert (twice / name).read_bytes() == copy.path.read_bytes()


class TestDoubts:
    def test_nothing_is_said_of_clean_data(self):
        assert doubts([Pair("a", "b"), Pair("c", "d")], [Pair("e", "f")]) == ""

    def test_what_is_doubtful_is_one_line(self):
        train = [Pair("c\u0430sa", "b"), Pair("a", "b"), Pair("a", "c"), Pair("b", "a ")]
        assert doubts(train, [Pair("a", "c")]) == (
            "1 field begins or ends with a blank, 1 word mixes scripts, 1 source has several "
            "targets, 1 dev pair is in training"
        )

    def test_tags_tell_sources_apart(self):
        train = [Pair("a", "b", ("V",)), Pair("a", "c", ("N",))]
        assert doubts(train, [Pair("a", "b", ("N",))]) == ""
        assert "1 dev pair" in doubts(train, [Pair("a", "b", ("V",))])

    @given(st.lists(st.tuples(st.text(), st.text(), st.lists(st.text(max_size=3), max_size=2))))
    def test_whatever_pairs_hold_a_training_goes_on(self, rows):
        pairs = [Pair(source, target, tuple(tags)) for source, target, tags in rows]
        assert "\n" not in doubts(pairs, pairs[:2])

    def test_a_large_file_is_looked_at_in_part(self, monkeypatch):
        monkeypatch.setattr("regard.text.doctor.QUICK", 2)
        said = doubts([Pair("a", "b"), Pair("a", "c"), Pair("c", "d")], [])
        assert said == "1 source has several targets among the first 2 pairs"


def test_the_longest_is_what_training_takes():
    assert RunSettings().text.longest == LONGEST


def test_many_places_are_counted_and_some_are_kept():
    findings = Findings()
    for number in range(KEPT + 5):
        findings.add(KINDS[0], Finding(number, ""))
    ((_, count, places),) = findings.of(KINDS[0])
    assert (count, len(places)) == (KEPT + 5, KEPT)


def test_what_cannot_be_seen_is_shown():
    assert visible(" a\u2028\ud800b") == "<U+0020>a<U+2028><U+D800>b"
    assert with_marks("ɑ\u0303 b") == "ɑ<U+0303> b"
    assert excerpt("x" * 40 + "y" + "z" * 40, 40) == "..." + "x" * 30 + "y" + "z" * 29 + "..."
