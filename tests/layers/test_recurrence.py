import pytest
import torch

from regard.layers import Recurrence, TwoWayRecurrence

CELLS = ["lstm", "gru"]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("layers", [1, 2])
def test_a_whole_sequence_is_the_chain_of_its_steps(cell, layers):
    recurrence = Recurrence(3, 4, cell=cell, layers=layers)
    inputs = torch.randn(2, 5, 3)
    carried = torch.randn(2, recurrence.carried_size)
    whole = recurrence(inputs, carried)
    states = []
    for step in inputs.unbind(1):
        state, carried = recurrence.step(step, carried)
        states.append(state)
    torch.testing.assert_close(torch.cat(states, 1), whole.states, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(carried, whole.final, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("cell", CELLS)
def test_both_directions_are_those_of_a_packed_sequence(cell):
    """The second route: torch's own bidirectional layer on packed rows."""
    both = TwoWayRecurrence(3, 4, cell=cell)
    make = torch.nn.LSTM if cell == "lstm" else torch.nn.GRU
    torchs = make(3, 4, bidirectional=True, batch_first=True)
    with torch.no_grad():
        for name, parameter in torchs.named_parameters():
            direction = both.backwards if name.endswith("_reverse") else both.forwards
            own = direction[0].layers[0].get_parameter(name.removesuffix("_reverse"))
            parameter.copy_(own)
    inputs, lengths = torch.randn(3, 6, 3), torch.tensor([6, 2, 4])
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        inputs, lengths, batch_first=True, enforce_sorted=False
    )
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(torchs(packed)[0], batch_first=True)
    states, final = both(inputs, lengths)
    real = torch.arange(6) < lengths[:, None]
    torch.testing.assert_close(states[real], expected[real], atol=1e-6, rtol=1e-5)
    last = expected[torch.arange(3), lengths - 1, :4]
    torch.testing.assert_close(final, torch.cat([last, expected[:, 0, 4:]], -1))


def test_padding_reaches_neither_states_nor_final():
    both = TwoWayRecurrence(3, 4, layers=2)
    inputs, lengths = torch.randn(1, 3, 3), torch.tensor([3])
    padded = torch.cat([inputs, torch.full((1, 4, 3), 1e6)], 1)
    alone, among = both(inputs, lengths), both(padded, lengths)
    torch.testing.assert_close(among.states[:, :3], alone.states)
    torch.testing.assert_close(among.final, alone.final)


def test_dropout_between_layers_changes_training_alone():
    recurrence = Recurrence(3, 4, layers=2, dropout=0.5)
    inputs = torch.randn(2, 5, 3)
    assert not torch.equal(recurrence(inputs).states, recurrence(inputs).states)
    recurrence.eval()
    assert torch.equal(recurrence(inputs).states, recurrence(inputs).states)
