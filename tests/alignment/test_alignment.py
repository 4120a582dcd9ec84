import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given
from jaxtyping import TypeCheckError

from regard import Alignment, DataError, SettingsError, ShapeError
from regard.alignment import Label, Link, draw_text, parse_pharaoh, pharaoh
from regard.alignment.color import hexadecimal
from regard.alignment.labels import effective_sources
from regard.alignment.png import encode
from tests.strategies import alignments

SCRIPTS = {
    "Latin": "through", "Hangul": "한글", "Devanagari": "क्षि", "Arabic": "كتاب", "Hebrew": "שלום",
    "combining marks": "e\u0301o\u0303", "CJK": "漢字", "Thai": "กำลัง", "lone mark": "\u0301a",
    "markup": "<&>\"'", "control characters": "a\x01\x1b\x00\x7f\x85", "no characters": "\ufffe\uffff",
}  # fmt: skip


def labels(text: str) -> tuple[Label, ...]:
    content = tuple(Label(symbol, place, place + 1) for place, symbol in enumerate(text))
    return (*content, Label("", len(text), len(text), "end"))


def alignment_of(source: str, target: str) -> Alignment:
    rows, columns = labels(target), labels(source)
    weights = np.random.default_rng(0).dirichlet(np.ones(len(columns)), len(rows))
    return Alignment(columns, rows, weights.astype(np.float32), "a look")


def by_hand() -> Alignment:
    weights = [[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.0, 0.0, 1.0]]
    return Alignment(labels("ab"), labels("xy"), np.array(weights, np.float32))


class TestLinks:
    def test_each_target_symbol_with_its_strongest_source_symbol_ends_left_out(self):
        assert by_hand().links() == [Link(0, 0), Link(1, 1)]

    def test_all_pairs_of_a_weight(self):
        assert by_hand().links(threshold=0.25) == [Link(0, 0), Link(1, 0)]
        assert by_hand().links(threshold=0.9) == []

    def test_pharaoh_is_source_then_target_from_zero(self):
        assert by_hand().pharaoh() == "0-0 1-1"
        assert by_hand().pharaoh(0.25) == "0-0 1-0"
        assert parse_pharaoh("0-0 1-0") == [Link(0, 0), Link(1, 0)]

    @given(alignments())
    def test_pharaoh_there_and_back(self, alignment):
        links = alignment.links(0.2)
        assert sorted(parse_pharaoh(pharaoh(links))) == sorted(links)

    @pytest.mark.parametrize("text", ["0", "a-b", "0-", "0:1"])
    def test_other_formats_are_refused(self, text):
        with pytest.raises(DataError, match="expected links such as 0-0"):
            parse_pharaoh(text)

    def test_no_content_no_links(self):
        nothing = Alignment(labels(""), labels(""), np.ones((1, 1), np.float32))
        assert nothing.links() == []
        assert nothing.pharaoh() == ""


@given(alignments())
def test_json_there_and_back(alignment):
    again = Alignment.from_json(alignment.to_json())
    assert (again.source, again.target, again.look) == (
        alignment.source,
        alignment.target,
        alignment.look,
    )
    np.testing.assert_allclose(again.weights, alignment.weights, atol=1e-6)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"source": [{}], "target": [], "weights": []}'])
def test_other_json_is_refused(text):
    with pytest.raises(DataError, match="no alignment"):
        Alignment.from_json(text)


def test_labels_and_weights_must_fit():
    with pytest.raises((ShapeError, TypeCheckError)):
        Alignment(labels("ab"), labels("x"), np.ones((1, 1), np.float32))


@pytest.mark.parametrize("name", SCRIPTS)
class TestPictures:
    def test_svg_is_well_formed_with_a_label_for_every_row_and_column(self, name):
        source = SCRIPTS[name]
        alignment = alignment_of(source, source[::-1])
        root = ElementTree.fromstring(alignment._repr_html_())
        space = "{http://www.w3.org/2000/svg}"
        drawn = [text for text in root.iter(f"{space}text") if text.get("direction")]
        shown = ["".join(text.itertext()) for text in drawn]
        for label in (*alignment.source, *alignment.target):
            assert any(text.endswith(label.shown) for text in shown)
        assert len(drawn) == len(alignment.source) + len(alignment.target)

    def test_the_page_asks_for_nothing_outside(self, name, tmp_path):
        alignment = alignment_of(SCRIPTS[name], "ab")
        alignment.save(tmp_path / "a.html")
        page = (tmp_path / "a.html").read_text("utf-8")
        outside = re.findall(r"(?:src|href)=|https?://[^ '\"<\\]+|@import|url\(", page)
        assert set(outside) <= {"http://www.w3.org/2000/svg"}
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))
        assert [label["text"] for label in data["source"]] == [
            label.shown for label in alignment.source
        ]

    def test_the_terminal_shows_a_line_for_every_row_with_its_label_at_the_end(self, name):
        alignment = alignment_of(SCRIPTS[name], SCRIPTS[name])
        lines = str(alignment).splitlines()
        rows = [line for line in lines if re.match(r" *\d+ \|", line)]
        assert len(rows) == len(alignment.target)
        for line, label in zip(rows, alignment.target, strict=True):
            assert label.shown in line.rpartition("|")[2]


def test_right_to_left_labels_are_isolated_and_marked():
    alignment = alignment_of("كت", "ab")
    assert str(alignment).startswith("\u2068كت\u2069 → ab")
    assert "\u2068ك\u2069" in str(alignment)
    assert "direction='rtl'" in alignment._repr_html_()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_matplotlib_draws_without_touching_global_settings(tmp_path, kind):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    alignment_of("through", "θru").save(tmp_path / f"a.{kind}")
    content = (tmp_path / f"a.{kind}").read_bytes()
    assert content.startswith(b"\x89PNG" if kind == "png" else b"%PDF")
    assert dict(mpl.rcParams) == before


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_script_that_no_font_has_is_named(tmp_path, caplog, monkeypatch):
    fonts = pytest.importorskip("matplotlib.font_manager").fontManager
    own = [font for font in fonts.ttflist if font.name == "DejaVu Sans"]
    monkeypatch.setattr(fonts, "ttflist", own)
    alignment_of("\U0001e900", "a").save(tmp_path / "a.png")
    assert "ADLAM" in caplog.text


def test_a_json_file_and_an_unknown_ending(tmp_path):
    alignment = by_hand()
    alignment.save(tmp_path / "a.json")
    read = Alignment.from_json((tmp_path / "a.json").read_text("utf-8"))
    assert read.source == alignment.source
    with pytest.raises(SettingsError, match=r"cannot draw '.gif'"):
        alignment.save(tmp_path / "a.gif")
    with pytest.raises(DataError, match="cannot be written"):
        alignment.save(tmp_path / "none" / "a.svg")


def test_a_long_source_shares_cells_and_names_the_strongest():
    alignment = alignment_of("abcdefghij" * 20, "xy")
    text = draw_text(alignment, width=80)
    assert "each cell is the largest of" in text
    assert text.count("<- ") == 3
    strongest = int(alignment.weights[0].argmax()) + 1
    assert f"<- {strongest} " in text
    rows = [line for line in text.splitlines() if re.match(r" *\d+ \|", line)]
    assert all(len(line.split("|")[1]) <= 80 - 24 for line in rows)


def test_a_terminal_without_unicode_gets_ascii_bars():
    bars = draw_text(by_hand(), uses_blocks=False).splitlines()[4:7]
    assert all(line.split("|")[1].isascii() for line in bars)
    assert "@@" in bars[2]


def test_a_large_picture_embeds_its_matrix_as_an_image():
    picture = alignment_of("a" * 200, "b" * 160)._repr_html_()
    assert "data:image/png;base64," in picture
    assert len(picture) < 300_000
    ElementTree.fromstring(picture)


def test_png_is_what_another_reader_reads():
    import io

    from matplotlib.image import imread

    weights = np.array([[0.0, 1.0], [0.5, 0.25]], np.float32)
    image = imread(io.BytesIO(encode(weights)), format="png")
    assert image.shape[:2] == (2, 2)
    np.testing.assert_allclose(image[0, 0, :3] * 255, (0, 34, 78), atol=1)
    np.testing.assert_allclose(image[0, 1, :3] * 255, (254, 232, 56), atol=1)


def test_colours_are_fixed_from_dark_blue_to_yellow():
    assert hexadecimal(0.0) == "#00224e"
    assert hexadecimal(1.0) == "#fee838"


def test_effective_sources_count_what_a_row_spreads_over():
    weights = np.array([[1, 0, 0, 0], [0.25] * 4, [0, 0, 0, 0]], np.float32)
    np.testing.assert_allclose(effective_sources(weights), [1, 4, 0], atol=1e-6)


def test_blanks_are_made_visible_and_spans_are_kept():
    label = Label(" ", 3, 4)
    assert label.shown == "␣"
    assert label.span == (3, 4)
    assert Label("V", 4, 4, "tag").shown == "‹V›"
    assert Label("e\u0301" * 9, 0, 18).shortened(4) == "e\u0301" * 3 + "…"


def test_a_picture_without_matplotlib_says_what_to_install(tmp_path, monkeypatch):
    import sys

    from regard import MissingExtraError

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'regard\[plot\]'"):
        by_hand().save(tmp_path / "a.png")
