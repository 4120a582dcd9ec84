import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text import END, PADDING, START, UNKNOWN, BatchMaker, Corpus, Tokens, Vocabulary


def corpus_of(*pairs: tuple[list[int], list[int]]) -> Corpus:
    return Corpus.of(Tokens(source, target, []) for source, target in pairs)


def maker_of(corpus: Corpus, symbols: str = "abcdef") -> BatchMaker:
    vocabulary = Vocabulary.of([symbols])
    return BatchMaker.of(corpus, vocabulary, vocabulary, None)


def test_a_batch_is_padded_closed_and_masked():
    batch = maker_of(corpus_of(([4, 5], [6]), ([4], [5, 6, 7]))).batch(np.array([0, 1]))
    assert batch.source.tokens.tolist() == [[4, 5, END], [4, END, PADDING]]
    assert batch.source.mask.tolist() == [[True, True, True], [True, True, False]]
    assert batch.inputs.tolist() == [[START, 6, PADDING, PADDING], [START, 5, 6, 7]]
    assert batch.target.tolist() == [[6, END, PADDING, PADDING], [5, 6, 7, END]]
    assert batch.mask.sum().item() == 6
    assert batch.source.tags.shape == (2, 0)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=200), st.integers(1, 50))
def test_every_pair_is_in_one_batch_of_an_epoch(lengths, size):
    corpus = corpus_of(*(([4] * length, [4]) for length in lengths))
    batches = corpus.batches(size, 100, seed=1, epoch=2)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for rows in batches:
        widest = max(lengths[row] + 3 for row in rows)
        assert len(rows) <= size
        assert len(rows) == 1 or len(rows) * widest <= 100


def padded_size(corpus: Corpus, rows: np.ndarray) -> int:
    batch = maker_of(corpus).batch(rows)
    return batch.source.tokens.numel() + batch.target.numel()


def test_one_very_long_pair_makes_no_large_batch():
    """Padded, no batch has more symbols than the limit, or is one pair alone."""
    chance = np.random.default_rng(0)
    rows = [([4] * length, [5] * length) for length in chance.integers(1, 12, 2000)]
    corpus = corpus_of(*rows, ([4] * 2000, [5] * 2000))
    sizes = [padded_size(corpus, rows) for rows in corpus.batches(64, 4000, seed=0, epoch=0)]
    assert max(sizes) == 2 * 2001
    assert sorted(sizes)[-2] <= 4000


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=100),
    st.integers(1, 20),
)
def test_padding_counts_where_sources_and_targets_differ_in_length(lengths, size):
    corpus = corpus_of(*(([4] * read, [5] * written) for read, written in lengths))
    for rows in corpus.batches(size, 300, seed=3, epoch=1):
        assert len(rows) == 1 or padded_size(corpus, rows) <= 300


def test_the_order_follows_from_seed_and_epoch():
    corpus = corpus_of(*(([4] * (1 + row % 7), [4]) for row in range(100)))

    def order(seed, epoch):
        return [rows.tolist() for rows in corpus.batches(8, 1000, seed=seed, epoch=epoch)]

    assert order(0, 0) == order(0, 0)
    assert order(0, 0) != order(0, 1)
    assert order(0, 0) != order(1, 0)


def test_rare_symbols_are_replaced_now_and_then_on_both_sides():
    vocabulary = Vocabulary(("a", "b"), (10_000, 1))
    corpus = corpus_of(([4, 5], [5, 4]))
    maker = BatchMaker.of(corpus, vocabulary, vocabulary, None)
    chance = np.random.default_rng(0)
    lost = 0
    for _ in range(300):
        batch = maker.batch(np.array([0]), chance)
        source, target = batch.source.tokens[0, :2].tolist(), batch.target[0, :2].tolist()
        assert (source, target) in (([4, 5], [5, 4]), ([4, UNKNOWN], [UNKNOWN, 4]))
        lost += source[1] == UNKNOWN
    assert 60 < lost < 140


def test_nothing_is_replaced_without_chance():
    batch = maker_of(corpus_of(([4, 5], [5]))).batch(np.array([0]))
    assert UNKNOWN not in batch.source.tokens


def test_rare_tags_are_replaced_too():
    known, tags = Vocabulary.of(["a"]), Vocabulary(("V",), (1,))
    corpus = Corpus.of([Tokens([4], [4], [4])])
    maker = BatchMaker.of(corpus, known, known, tags)
    chance = np.random.default_rng(0)
    seen = {maker.batch(np.array([0]), chance).source.tags.item() for _ in range(50)}
    assert seen == {4, UNKNOWN}


def test_a_corpus_knows_its_length():
    assert len(corpus_of(([4], [4]), ([5], [5]))) == 2
    with pytest.raises(IndexError):
        corpus_of(([4], [4])).source.padded(np.array([3]))


@pytest.mark.parametrize("ids", [200, 60_000, 100_000])
def test_ids_are_stored_in_as_few_bytes_as_hold_them_and_come_back_whole(ids):
    pairs = [Tokens([ids - 1, 4], [5], []), Tokens([4], [ids - 2, 6, 7], [])]
    corpus = Corpus.of(pairs, ids)
    assert corpus.source.values.itemsize == {200: 1, 60_000: 2, 100_000: 4}[ids]
    assert corpus.source.padded(np.array([0, 1])).tolist() == [[ids - 1, 4], [4, 0]]
    assert corpus.target.padded(np.array([0, 1])).tolist() == [[5, 0, 0], [ids - 2, 6, 7]]


def test_an_id_that_does_not_fit_is_never_cut_down():
    with pytest.raises(OverflowError):
        Corpus.of([Tokens([300], [5], [])], 200)
