import pytest

from regard import SettingsError
from regard.text import make_toys, read_pairs, sample_path


@pytest.mark.parametrize("task", ["copy", "reverse", "insert"])
def test_origins_point_at_the_symbols_that_targets_come_from(task):
    for toy in make_toys(task, 50):
        assert len(toy.origins) == len(toy.pair.target)
        for symbol, origin in zip(toy.pair.target, toy.origins, strict=True):
            assert symbol in (toy.pair.source[origin], "'")


def test_the_same_seed_gives_the_same_toys():
    assert make_toys("copy", 5, seed=1) == make_toys("copy", 5, seed=1)
    assert make_toys("copy", 5, seed=1) != make_toys("copy", 5, seed=2)


def test_an_unknown_toy_is_refused():
    with pytest.raises(SettingsError, match="unknown toy"):
        make_toys("sort", 1)


def test_the_sample_has_three_parts_that_share_no_word():
    parts = [
        {pair.source for pair in read_pairs(sample_path(part))} for part in ("train", "dev", "test")
    ]
    assert [len(part) for part in parts] == [7000, 500, 500]
    assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
    assert "Carnegie Mellon" in (sample_path("train").parent / "LICENSE-cmudict").read_text()
    with pytest.raises(SettingsError, match="unknown part"):
        sample_path("all")
