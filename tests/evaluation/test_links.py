from pathlib import Path

import pytest

from regard import DataError, SettingsError
from regard.alignment import Link
from regard.evaluation import Gold, LinkLayout, read_links, score_links

WPT = Path(__file__).parents[3] / "shared" / "data" / "align" / "wpt_enfr"


def written(tmp_path, text: str) -> Path:
    path = tmp_path / "links"
    path.write_text(text, encoding="utf-8")
    return path


class TestReading:
    def test_sure_and_possible_links(self, tmp_path):
        first, second = read_links(written(tmp_path, "0-0 1p2 2?1\n\n"))
        assert first.sure == {Link(0, 0)}
        assert first.possible == {Link(0, 0), Link(1, 2), Link(2, 1)}
        assert second == Gold(frozenset(), frozenset())

    def test_from_one_and_reversed(self, tmp_path):
        (found,) = read_links(written(tmp_path, "1-2\n"), LinkLayout(first=1, is_reversed=True))
        assert found.sure == {Link(1, 0)}

    def test_in_a_column(self, tmp_path):
        (found,) = read_links(written(tmp_path, "a\tb\t0-1\n"), LinkLayout(column=3))
        assert found.sure == {Link(0, 1)}

    def test_a_line_a_link(self, tmp_path):
        path = written(tmp_path, "0001 1 2 S\n0001 2 2 P\n0003 1 1\n")
        first, second, third = read_links(path, LinkLayout(first=1))
        assert (first.sure, first.possible) == ({Link(0, 1)}, {Link(0, 1), Link(1, 1)})
        assert second.possible == set()
        assert third.sure == {Link(0, 0)}

    @pytest.mark.parametrize(
        ("text", "layout", "message"),
        [
            ("0-0 x\n", LinkLayout(), "line 1: expected links such as 0-0 or 0p0, found 'x'"),
            ("1-1\n0-1\n", LinkLayout(first=1), "line 2: a link to position 0"),
            ("a\tb\n", LinkLayout(column=3), "line 1: expected links in column 3, found 2 columns"),
            ("1 1 1 S\n1 1 x\n", LinkLayout(), "line 2: expected a link such as 1 1 1 S"),
            ("0 1 1 S\n", LinkLayout(), "sentences count from 1"),
            ("٣-٣\n", LinkLayout(), "expected links such as"),
        ],
    )
    def test_a_bad_line_is_refused_with_its_place(self, tmp_path, text, layout, message):
        with pytest.raises(DataError, match=message):
            read_links(written(tmp_path, text), layout)

    def test_impossible_layouts_are_refused(self):
        with pytest.raises(SettingsError, match="expected 0 or 1"):
            LinkLayout(first=2)
        with pytest.raises(SettingsError, match="expected 1 or more"):
            LinkLayout(column=0)

    def test_a_sure_link_is_a_possible_one(self):
        with pytest.raises(DataError, match="must be a possible one"):
            Gold(frozenset({Link(0, 0)}), frozenset())


class TestErrorRate:
    def test_by_hand(self):
        sure, possible = (
            frozenset({Link(0, 0), Link(1, 1)}),
            frozenset({Link(0, 0), Link(1, 1), Link(2, 1)}),
        )
        links = [Link(0, 0), Link(2, 1), Link(2, 2)]
        scores = score_links([links], [Gold(sure, possible)])
        # 1 sure and 2 possible of 3 links; 2 sure ones in all: 1 - (1 + 2) / (3 + 2).
        assert scores.alignment_error_rate.value == pytest.approx(0.4)
        assert scores.precision.value == pytest.approx(2 / 3)
        assert scores.recall.value == pytest.approx(1 / 2)
        assert set(scores.to_table()) == {"alignment_error_rate", "precision", "recall"}

    def test_the_file_is_pooled_and_intervals_hold_the_rate(self):
        right, wrong = frozenset({Link(0, 0)}), frozenset({Link(1, 1)})
        gold = [Gold(right, right), Gold(wrong, wrong), Gold(right, right)]
        scores = score_links([right, right, right], gold)
        assert scores.alignment_error_rate.value == pytest.approx(1 / 3)
        rate = scores.alignment_error_rate
        assert rate.low <= rate.value <= rate.high

    def test_other_numbers_of_pairs_are_refused(self):
        with pytest.raises(DataError, match="links for each of 1 pairs, found 0 lines"):
            score_links([[]], [])

    def test_nothing_to_compare_is_refused(self):
        with pytest.raises(DataError, match="found none"):
            score_links([[]], [Gold(frozenset(), frozenset())])


@pytest.mark.skipif(not WPT.exists(), reason="needs the shared alignments")
@pytest.mark.parametrize(
    ("name", "first", "is_reversed", "published"),
    [
        ("fastalign.enfr.talp", 0, False, 16.4),
        ("fastalign.enfr.reverse.talp", 0, True, 15.9),
        ("fastalign.enfr.grow-diagonal.talp", 0, False, 10.5),
        ("fastalign.enfr.grow-diagonal-final.talp", 0, False, 12.1),
        ("fastalign.enfr.intersection.talp", 0, False, 11.2),
        ("fastalign.enfr.union.talp", 0, False, 19.5),
        ("giza.enfr.talp", 0, False, 8.0),
        ("giza.enfr.reverse.talp", 0, True, 9.8),
        ("giza.enfr.grow-diagonal.talp", 0, False, 5.9),
        ("giza.enfr.grow-diagonal-final.talp", 0, False, 6.2),
        ("giza.enfr.intersection.talp", 0, False, 7.6),
        ("giza.enfr.union.talp", 0, False, 9.9),
        ("awesome-align.enfr.out", 0, False, 4.1),
    ],
)
def test_stored_alignments_of_others_score_what_was_published(name, first, is_reversed, published):
    """Figures of lilt/alignment-scripts and neulab/awesome-align, English-French of WPT 2003."""
    gold = read_links(WPT / "enfr.gold", LinkLayout(first=1))
    links = [one.sure for one in read_links(WPT / name, LinkLayout(first, is_reversed))]
    rate = score_links(links, gold, resamples=0).alignment_error_rate.value
    assert round(100 * rate + 1e-9, 1) == published
