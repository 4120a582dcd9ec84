import pytest
import torch

from regard.precision import rounds_to_bfloat16
from regard.text import PADDING
from regard.training.loss import sequence_loss
from regard.training.schedules import rate_factor


def test_the_loss_of_real_symbols_by_hand():
    logits = torch.zeros(1, 2, 4)
    logits[0, 0, 2] = 100.0
    target = torch.tensor([[2, PADDING]])
    assert sequence_loss(logits, target).item() == pytest.approx(0, abs=1e-6)
    assert sequence_loss(torch.zeros(1, 2, 4), target).item() == pytest.approx(
        torch.tensor(4.0).log().item()
    )


def test_smoothing_punishes_certainty():
    logits = torch.zeros(1, 1, 4)
    logits[0, 0, 2] = 100.0
    target = torch.tensor([[2]])
    assert sequence_loss(logits, target, 0.1) > sequence_loss(logits, target, 0.0) + 1


def test_padding_changes_nothing():
    logits, target = torch.randn(2, 3, 5), torch.tensor([[1, 2, 3], [4, 0, 0]])
    expected = sequence_loss(logits, target)
    logits[1, 1:] = 1e6
    torch.testing.assert_close(sequence_loss(logits, target), expected)


def test_the_rate_rises_to_its_peak_and_falls_to_nothing():
    course = [rate_factor(step / 100, 0.1) for step in range(101)]
    assert course[:11] == sorted(course[:11])
    assert course[10] == max(course) == 1.0
    assert course[10:] == sorted(course[10:], reverse=True)
    assert course[100] == pytest.approx(0)
    assert rate_factor(0.0, 0.0) == 1.0


def test_precision_is_what_was_asked_for():
    cpu = torch.device("cpu")
    assert rounds_to_bfloat16("bfloat16", cpu)
    assert not rounds_to_bfloat16("float32", cpu)
    assert rounds_to_bfloat16("auto", cpu) in (True, False)
    assert not rounds_to_bfloat16("auto", torch.device("meta"))


def test_signals_are_left_alone_outside_the_main_thread():
    import threading

    from regard.training.stopping import listening

    seen = []

    def work():
        with listening() as wish:
            seen.append(wish.signal_number)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [None]


def test_stored_moments_belong_to_their_parameters():
    from regard.training.latest import moments, restore_moments

    layer = torch.nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(layer.parameters())
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    other = torch.optim.AdamW(layer.parameters())
    restore_moments(other, moments(optimizer))
    for name, tensor in moments(optimizer).items():
        assert torch.equal(moments(other)[name], tensor)
