from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import TypeCheckError

from regard import Alignment, SettingsError
from regard.alignment import Label, Link, by_words, following, links_of, symmetrized
from regard.alignment.matching import best_matching
from tests.alignment.test_alignment import by_hand, labels

WEIGHTS = np.array([[0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.2, 0.1, 0.7]], np.float32)


@st.composite
def tables(draw: st.DrawFn, most: int = 6) -> np.ndarray:
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    seed = draw(st.integers(0, 2**31 - 1))
    return np.random.default_rng(seed).dirichlet(np.ones(columns), rows)


class TestWays:
    def test_argmax_links_every_row(self):
        assert links_of(WEIGHTS, "argmax") == [Link(0, 0), Link(0, 1), Link(2, 2)]

    def test_threshold_links_what_is_strong(self):
        assert links_of(WEIGHTS, "threshold", 0.4) == [
            Link(0, 0),
            Link(0, 1),
            Link(1, 1),
            Link(2, 2),
        ]

    def test_mutual_links_are_the_best_of_row_and_column(self):
        assert links_of(WEIGHTS, "mutual") == [Link(0, 0), Link(2, 2)]

    def test_itermax_adds_what_is_mutual_among_the_rest(self):
        # Row 1 is free: 0.9 x 0.5 at the linked column 0 beats 0.4 at the free column 1, and the
        # pairs of linked rows with linked columns are out, so nothing else is better there.
        assert links_of(WEIGHTS, "itermax") == [Link(0, 0), Link(0, 1), Link(2, 2)]
        freer = np.array([[0.6, 0.3, 0.1], [0.45, 0.44, 0.1], [0.2, 0.1, 0.7]])
        assert links_of(freer, "itermax") == [Link(0, 0), Link(1, 1), Link(2, 2)]

    def test_matching_is_one_to_one(self):
        assert links_of(WEIGHTS, "matching") == [Link(0, 0), Link(1, 1), Link(2, 2)]

    def test_no_weights_no_links(self):
        for method in ("argmax", "threshold", "mutual", "itermax", "matching"):
            assert links_of(np.zeros((0, 3)), method) == []

    def test_another_way_is_refused_with_those_there_are(self):
        with pytest.raises((SettingsError, TypeCheckError), match="mutual"):
            links_of(WEIGHTS, "best")  # pyright: ignore

    @pytest.mark.parametrize("method", ["argmax", "mutual", "itermax", "matching"])
    def test_a_threshold_is_refused_where_it_would_say_nothing(self, method):
        with pytest.raises(SettingsError, match=f"links by '{method}' have no threshold"):
            by_hand().links(0.3, method)
        assert by_hand().links(method=method)
        assert by_hand().links(0.25, "threshold") == by_hand().links(0.25)

    def test_an_alignment_knows_all_ways(self):
        assert by_hand().links(method="matching") == [Link(0, 0), Link(1, 1)]

    @given(tables())
    def test_mutual_is_within_argmax_and_within_itermax(self, weights):
        mutual = set(links_of(weights, "mutual"))
        assert mutual <= set(links_of(weights, "argmax"))
        assert mutual <= set(links_of(weights, "itermax"))

    @given(tables(5))
    def test_matching_has_the_greatest_sum_of_all_matchings(self, weights):
        rows, columns = weights.shape
        found = best_matching(weights)
        size = min(rows, columns)
        assert (
            len(found) == len({row for row, _ in found}) == len({one for _, one in found}) == size
        )
        best = max(
            sum(weights[row, column] for row, column in zip(chosen, order, strict=True))
            for chosen in combinations(range(rows), size)
            for order in permutations(range(columns), size)
        )
        assert sum(weights[pair] for pair in found) == pytest.approx(best)


class TestTwoDirections:
    FORWARDS = (Link(0, 0), Link(1, 1), Link(1, 2), Link(3, 3))
    BACKWARDS = (Link(0, 0), Link(1, 1), Link(2, 2), Link(4, 5))

    def joined(self, symmetry):
        return set(symmetrized(self.FORWARDS, self.BACKWARDS, symmetry))

    def test_intersection_and_union(self):
        assert self.joined("intersection") == {Link(0, 0), Link(1, 1)}
        assert self.joined("union") == set(self.FORWARDS) | set(self.BACKWARDS)

    def test_grow_diag_reaches_neighbours_of_links_and_no_others(self):
        # (1, 2) stands beside (1, 1), (2, 2) beside both, (3, 3) beside (2, 2); (4, 5) is alone.
        grown = {Link(0, 0), Link(1, 1), Link(1, 2), Link(2, 2), Link(3, 3)}
        assert self.joined("grow-diag") == grown

    def test_final_adds_what_is_free(self):
        assert self.joined("grow-diag-final") == self.joined("grow-diag") | {Link(4, 5)}
        assert self.joined("grow-diag-final-and") == self.joined("grow-diag") | {Link(4, 5)}

    def test_final_and_needs_both_sides_free(self):
        one, other = [Link(0, 0)], [Link(0, 0), Link(0, 3)]
        assert symmetrized(one, other, "grow-diag-final") == [Link(0, 0), Link(0, 3)]
        assert symmetrized(one, other, "grow-diag-final-and") == [Link(0, 0)]

    def test_another_way_is_refused(self):
        with pytest.raises((SettingsError, TypeCheckError), match="grow-diag-final-and"):
            symmetrized([], [], "grow")  # pyright: ignore

    @given(st.data())
    def test_all_ways_stand_between_intersection_and_union(self, data):
        link = st.builds(Link, st.integers(0, 5), st.integers(0, 5))
        one, other = data.draw(st.sets(link)), data.draw(st.sets(link))
        ways = ["intersection", "grow-diag", "grow-diag-final-and", "grow-diag-final", "union"]
        found = [set(symmetrized(one, other, way)) for way in ways]
        assert found[0] <= found[1] <= found[2] <= found[4]
        assert found[1] <= found[3] <= found[4]


class TestReadings:
    def test_following_takes_the_row_after(self):
        read = following(by_hand())
        np.testing.assert_array_equal(read.weights, by_hand().weights[[1, 2, 2]])
        assert read.links() == [Link(1, 0), Link(0, 1)]

    def test_pieces_are_joined_to_words(self):
        source = (
            Label("re", 0, 2),
            Label("so", 2, 4),
            Label("lu", 5, 7),
            *labels("")[:0],
            Label("", 7, 7, "end"),
        )
        target = (Label("a", 0, 1), Label("b", 1, 2), Label("", 2, 2, "end"))
        weights = np.array([[0.1, 0.2, 0.3, 0.4], [0.3, 0.4, 0.2, 0.1], [0, 0, 0, 1]], np.float32)
        joined = by_words(Alignment(source, target, weights))
        assert [label.text for label in joined.source] == ["reso", "lu", ""]
        assert [label.span for label in joined.source] == [(0, 4), (5, 7), (7, 7)]
        assert [label.text for label in joined.target] == ["ab", ""]
        np.testing.assert_allclose(joined.weights, [[0.5, 0.25, 0.25], [0, 0, 1]], atol=1e-7)

    @given(st.integers(1, 5), st.integers(1, 5))
    def test_joined_rows_still_sum_to_one(self, rows, columns):
        chance = np.random.default_rng(rows * 7 + columns)
        places = np.cumsum(chance.integers(0, 2, size=columns) + 1) - 1
        source = tuple(Label("x", int(place), int(place) + 1) for place in places)
        target = tuple(Label("y", place, place + 1) for place in range(rows))
        weights = chance.dirichlet(np.ones(columns), rows).astype(np.float32)
        joined = by_words(Alignment(source, target, weights))
        np.testing.assert_allclose(joined.weights.sum(1), 1, atol=1e-6)
