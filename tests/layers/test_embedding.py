import math

import pytest
import torch

from regard import SettingsError
from regard.layers import Embedding, FeedForward, PositionalEncoding


def test_padding_is_the_zero_vector_and_entries_have_variance_one():
    embedding = Embedding(500, 64, padding=0)
    assert embedding(torch.tensor([0])).abs().sum() == 0
    assert embedding(torch.arange(1, 500)).std().item() == pytest.approx(1, abs=0.05)


def test_positions_are_sines_and_cosines():
    position = PositionalEncoding(4)
    added = position(torch.zeros(1, 3, 4), first=2)[0]
    for row, place in enumerate((2, 3, 4)):
        slow = place / 100
        expected = [math.sin(place), math.sin(slow), math.cos(place), math.cos(slow)]
        assert added[row].tolist() == pytest.approx(expected, abs=1e-6)


def test_an_odd_size_is_refused():
    with pytest.raises(SettingsError, match="odd"):
        PositionalEncoding(3)


def test_the_block_changes_each_position_by_itself():
    feed = FeedForward(4, 8)
    states = torch.randn(1, 3, 4)
    alone = feed(states[:, 1:2])
    torch.testing.assert_close(feed(states)[:, 1:2], alone)
