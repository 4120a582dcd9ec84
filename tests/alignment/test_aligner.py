import numpy as np
import pytest

from regard.alignment.aligner import Sides, _Cells, _digamma, best_sources


def sides_of(pairs: list[tuple[str, str]]) -> Sides:
    known: dict[str, int] = {}
    flat: list[np.ndarray] = []
    for side in (0, 1):
        values = [known.setdefault(symbol, len(known)) for pair in pairs for symbol in pair[side]]
        starts = np.cumsum([0, *(len(pair[side]) for pair in pairs)])
        flat += [np.array(values), starts]
    return Sides(*flat)


def toys(count: int, *, is_reversed: bool) -> list[tuple[str, str]]:
    """Each letter becomes its capital, in order or against it."""
    chance, pairs = np.random.default_rng(0), list[tuple[str, str]]()
    for _ in range(count):
        word = "".join(chance.choice(list("abcdefghij"), chance.integers(3, 8), replace=False))
        pairs.append((word, word.upper()[:: -1 if is_reversed else 1]))
    return pairs


def test_what_goes_together_is_found_wherever_it_stands():
    pairs = toys(200, is_reversed=True)
    sides = sides_of(pairs)
    found = best_sources(sides, "free")
    for pair, (start, end) in enumerate(
        zip(sides.target_starts, sides.target_starts[1:], strict=False)
    ):
        assert found[start:end].tolist() == list(range(len(pairs[pair][0])))[::-1]


def test_near_the_diagonal_a_repeated_symbol_takes_its_own_place():
    pairs = [(word + word, (word + word).upper()) for word, _ in toys(100, is_reversed=False)]
    sides = sides_of(pairs)
    found = best_sources(sides, "diagonal")
    for start, end in zip(sides.target_starts, sides.target_starts[1:], strict=False):
        assert found[start:end].tolist() == list(range(end - start))


def test_a_symbol_from_nowhere_is_linked_to_nothing_more_often_than_others():
    pairs = [(one, f"{other}X") for one, other in toys(300, is_reversed=False)]
    sides = sides_of(pairs)
    found = best_sources(sides, "free")
    last = found[sides.target_starts[1:] - 1]
    others = np.delete(found, sides.target_starts[1:] - 1)
    assert (last == -1).mean() > 0.4
    assert (others == -1).mean() < 0.01


def test_one_round_is_that_of_nested_loops():
    """IBM model 1 by the book: expected counts, pair by pair, cell by cell."""
    sides = sides_of(toys(8, is_reversed=False))
    cells = _Cells(sides)
    table = np.full(cells.kinds, 1.0)
    posterior = cells.posterior(table, 0.0)
    cell = 0
    for pair in range(len(sides.source_starts) - 1):
        source = sides.source[sides.source_starts[pair] : sides.source_starts[pair + 1]]
        for _ in range(sides.target_starts[pair + 1] - sides.target_starts[pair]):
            prior = [0.08, *[0.92 / len(source)] * len(source)]
            for probability in prior:
                assert posterior[cell] == pytest.approx(probability)
                cell += 1
    assert cell == len(posterior)
    sums = np.bincount(cells.source_of_kind, np.exp(0) * cells.table(posterior))
    assert (sums <= 1).all()


def test_digamma_at_known_points():
    gamma = 0.5772156649015329
    points = np.array([1.0, 2.0, 0.5, 10.0])
    expected = [-gamma, 1 - gamma, -gamma - 2 * np.log(2), 2.2517525890667211]
    np.testing.assert_allclose(_digamma(points), expected, atol=1e-8)


def test_pairs_with_an_empty_side():
    found = best_sources(sides_of([("", "ab"), ("a", ""), ("a", "b")]))
    assert found.tolist()[:2] == [-1, -1]


def test_ids_that_fill_a_byte_do_not_wrap():
    wide = sides_of(toys(60, is_reversed=True))
    shift = 255 - int(max(wide.source.max(), wide.target.max()))
    narrow = wide._replace(
        source=(wide.source + shift).astype(np.uint8), target=(wide.target + shift).astype(np.uint8)
    )
    moved = wide._replace(source=wide.source + shift, target=wide.target + shift)
    assert _Cells(narrow).kinds == _Cells(moved).kinds
    assert best_sources(narrow, "free").tolist() == best_sources(moved, "free").tolist()
