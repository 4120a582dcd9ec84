"""The usual tutorial loop: an attention decoder stepped one cell at a time, with input feeding.

Written for comparison alone, as such loops usually are: a packed encoder, a
decoder cell in a Python loop over target positions, scores by a product.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

START, END = 1, 2


class Read(NamedTuple):
    """What the encoder made of a batch."""

    states: Tensor
    keys: Tensor
    is_padding: Tensor


class Carried(NamedTuple):
    """What a step leaves for the next one."""

    hidden: Tensor
    cell: Tensor
    feed: Tensor


class TutorialModel(nn.Module):
    """Encoder, stepped decoder and attention of the usual sizes."""

    def __init__(self, source: int, target: int, embedding: int, size: int) -> None:
        super().__init__()
        self.source = nn.Embedding(source, embedding, padding_idx=0)
        self.target = nn.Embedding(target, embedding, padding_idx=0)
        self.encoder = nn.LSTM(embedding, size, bidirectional=True, batch_first=True)
        self.cell = nn.LSTMCell(embedding + size, size)
        self.key = nn.Linear(2 * size, size, bias=False)
        self.combine = nn.Linear(3 * size, size)
        self.write = nn.Linear(size, target)
        self.size = size

    def forward(self, source: Tensor, lengths: Tensor, inputs: Tensor) -> Tensor:
        """Logits of a whole known target."""
        read = self._read(source, lengths)
        carried, logits = self._begin(read), []
        for tokens in inputs.unbind(1):
            carried = self._step(tokens, carried, read)
            logits.append(self.write(carried.feed))
        return torch.stack(logits, 1)

    @torch.no_grad()
    def greedy(self, source: Tensor, lengths: Tensor, longest: int) -> Tensor:
        """The likeliest symbols, until every row of the batch has ended."""
        read = self._read(source, lengths)
        carried, written = self._begin(read), []
        tokens = torch.full((len(source),), START)
        has_ended = torch.zeros(len(source), dtype=torch.bool)
        for _ in range(longest):
            carried = self._step(tokens, carried, read)
            tokens = self.write(carried.feed).argmax(-1)
            written.append(tokens)
            has_ended |= tokens == END
            if bool(has_ended.all()):
                break
        return torch.stack(written, 1)

    def _read(self, source: Tensor, lengths: Tensor) -> Read:
        packed = nn.utils.rnn.pack_padded_sequence(
            self.source(source), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        return Read(states, self.key(states), (source == 0)[:, : states.shape[1]])

    def _begin(self, read: Read) -> Carried:
        zeros = read.states.new_zeros(len(read.states), self.size)
        return Carried(zeros, zeros, zeros)

    def _step(self, tokens: Tensor, carried: Carried, read: Read) -> Carried:
        inputs = torch.cat([self.target(tokens), carried.feed], -1)
        hidden, cell = self.cell(inputs, (carried.hidden, carried.cell))
        scores = (read.keys @ hidden.unsqueeze(-1)).squeeze(-1)
        weights = scores.masked_fill(read.is_padding, -torch.inf).softmax(-1)
        context = (weights.unsqueeze(1) @ read.states).squeeze(1)
        feed = self.combine(torch.cat([hidden, context], -1)).tanh()
        return Carried(hidden, cell, feed)
