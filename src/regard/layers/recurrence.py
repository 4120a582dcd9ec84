"""GRU and LSTM behind one state, for whole sequences and for single steps.

Nothing is packed: a forward pass is not disturbed by padding at the end, and
for the backward direction each row is turned round within its own length and
back. Whole sequences go through torch's fused layer, single steps through the
cell's arithmetic, with the same parameters.

Hochreiter and Schmidhuber (1997); Cho et al. (2014), arXiv:1406.1078.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.layers.dropout import SequenceDropout
from regard.precision import full_precision

Cell = Literal["lstm", "gru"]

_PARAMETERS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


class Recurred(NamedTuple):
    """What a recurrence made of a sequence.

    Attributes:
        states: One per position, of the topmost layer.
        final: What a further step needs: all layers, one after the other.
    """

    states: Float[Tensor, "batch length state"]
    final: Float[Tensor, "batch carried"]


class Recurrence(nn.Module):
    """Read a sequence in one direction.

    Args:
        input_size: Width of what is read.
        size: Width of the state.
        cell: "lstm" or "gru".
        layers: How many, one above the other.
        dropout: Share of what is dropped between the layers.
    """

    def __init__(
        self,
        input_size: int,
        size: int,
        *,
        cell: Cell = "lstm",
        layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        make = nn.LSTM if cell == "lstm" else nn.GRU
        widths = [input_size] + [size] * (layers - 1)
        self.layers = nn.ModuleList(make(width, size, batch_first=True) for width in widths)
        self.drop = SequenceDropout(dropout)
        self.cell = cell
        self.size = size
        self.parts = 2 if cell == "lstm" else 1

    @property
    def carried_size(self) -> int:
        """Width of all that a step needs of the one before."""
        return len(self.layers) * self.parts * self.size

    def forward(
        self,
        inputs: Float[Tensor, "batch length input"],
        carried: Float[Tensor, "batch carried"] | None = None,
    ) -> Recurred:
        """Read a whole sequence.

        Args:
            inputs: What is read.
            carried: Where to begin; zeros if None.
        """
        begins = self._each_layer(carried) if carried is not None else [None] * len(self.layers)
        states, ends = inputs, list[Tensor]()
        for index, (layer, begin) in enumerate(zip(self.layers, begins, strict=True)):
            states = self.drop(states) if index else states
            if begin is None:
                states, end = layer(states)
            else:
                parts = tuple(part.unsqueeze(0).contiguous() for part in begin)
                states, end = layer(states, parts if self.parts == 2 else parts[0])
            ends += [part.squeeze(0) for part in (end if self.parts == 2 else (end,))]
        return Recurred(states, torch.cat(ends, -1))

    def step(
        self, inputs: Float[Tensor, "batch input"], carried: Float[Tensor, "batch carried"]
    ) -> Recurred:
        """Read one more position, in full precision; the states have a length of one."""
        own = self.layers[0].get_parameter(_PARAMETERS[0]).dtype
        exact = torch.promote_types(own, torch.float32)
        with full_precision(inputs):
            return self._step(inputs.to(exact), carried.to(exact))

    def _step(self, inputs: Tensor, carried: Tensor) -> Recurred:
        ends: list[Tensor] = []
        for index, (layer, begin) in enumerate(
            zip(self.layers, self._each_layer(carried), strict=True)
        ):
            inputs = self.drop(inputs) if index else inputs
            parameters = [layer.get_parameter(name) for name in _PARAMETERS]
            if self.parts == 2:
                end = torch.lstm_cell(inputs, begin, *parameters)
            else:
                end = (torch.gru_cell(inputs, begin[0], *parameters),)
            ends += end
            inputs = end[0]
        return Recurred(inputs.unsqueeze(1), torch.cat(ends, -1))

    def _each_layer(self, carried: Tensor) -> list[list[Tensor]]:
        parts = list(carried.split(self.size, -1))
        return [parts[place : place + self.parts] for place in range(0, len(parts), self.parts)]


class TwoWayRecurrence(nn.Module):
    """Read a sequence in both directions, layer by layer.

    Args:
        input_size: Width of what is read.
        size: Width of the state of one direction.
        cell: "lstm" or "gru".
        layers: How many; each reads both directions of the one below.
        dropout: Share of what is dropped between the layers.
    """

    def __init__(
        self,
        input_size: int,
        size: int,
        *,
        cell: Cell = "lstm",
        layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        widths = [input_size] + [2 * size] * (layers - 1)
        self.forwards = nn.ModuleList(Recurrence(width, size, cell=cell) for width in widths)
        self.backwards = nn.ModuleList(Recurrence(width, size, cell=cell) for width in widths)
        self.drop = SequenceDropout(dropout)

    def forward(
        self, inputs: Float[Tensor, "batch length input"], lengths: Int[Tensor, " batch"]
    ) -> Recurred:
        """Read whole sequences; what stands behind a row's length is not read.

        Args:
            inputs: What is read, padded at the end.
            lengths: How long each row is, at least one.

        Returns:
            The states of both directions side by side, and as `final` the last
            state of each direction: at the row's end, and at its beginning.
        """
        turn = _turned(lengths, inputs.shape[1])
        states = ahead = back = inputs
        for index, (forward, backward) in enumerate(
            zip(self.forwards, self.backwards, strict=True)
        ):
            states = self.drop(states) if index else states
            ahead = forward(states).states
            back = _take(backward(_take(states, turn)).states, turn)
            states = torch.cat([ahead, back], -1)
        last = _take(ahead, (lengths - 1).unsqueeze(1)).squeeze(1)
        return Recurred(states, torch.cat([last, back[:, 0]], -1))


def _turned(lengths: Tensor, width: int) -> Tensor:
    # Position i of a row of length n becomes n - 1 - i; padding stays where it is.
    places = torch.arange(width, device=lengths.device)
    return torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)


def _take(states: Tensor, places: Tensor) -> Tensor:
    return states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
