import pytest
import torch

from regard.layers import SequenceDropout


def test_a_row_loses_the_same_entries_at_all_positions_and_another_row_others():
    dropped = SequenceDropout(0.5)(torch.ones(8, 5, 64))
    assert torch.equal(dropped, dropped[:, :1].expand(-1, 5, -1))
    assert not torch.equal(dropped[0], dropped[1])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_lost_and_what_is_kept_grows_so_that_the_mean_stays(share):
    dropped = SequenceDropout(share)(torch.ones(1000, 1, 200))
    assert float((dropped == 0).double().mean()) == pytest.approx(share, abs=0.005)
    assert float(dropped.double().mean()) == pytest.approx(1, abs=0.02)


def test_single_vectors_are_rows_of_their_own():
    dropped = SequenceDropout(0.5)(torch.ones(8, 64))
    assert not torch.equal(dropped[0], dropped[1])


def test_nothing_is_lost_outside_of_training_or_at_a_share_of_zero():
    vectors = torch.randn(3, 4, 5)
    assert torch.equal(SequenceDropout(0.5).eval()(vectors), vectors)
    assert torch.equal(SequenceDropout(0.0)(vectors), vectors)
