"""The usual tutorial loop: an attention decoder stepped one cell at a time, with input feeding.

Written for comparison alone, as such loops usually are: a packed encoder, a
decoder cell in a Python loop over target positions, scores by a product.
"""

import torch
from torch import Tensor, nn


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
        packed = nn.utils.rnn.pack_padded_sequence(
            self.source(source), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        keys = self.key(states)
        hidden = cell = feed = states.new_zeros(len(source), self.size)
        hidden_from_padding = (source == 0)[:, : states.shape[1]]
        logits = []
        for tokens in inputs.unbind(1):
            read = torch.cat([self.target(tokens), feed], -1)
            hidden, cell = self.cell(read, (hidden, cell))
            scores = (keys @ hidden.unsqueeze(-1)).squeeze(-1)
            weights = scores.masked_fill(hidden_from_padding, -torch.inf).softmax(-1)
            context = (weights.unsqueeze(1) @ states).squeeze(1)
            feed = self.combine(torch.cat([hidden, context], -1)).tanh()
            logits.append(self.write(feed))
        return torch.stack(logits, 1)

    @torch.no_grad()
    def greedy(self, source: Tensor, lengths: Tensor, longest: int) -> Tensor:
        """The likeliest symbols, until every row of the batch has ended."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.source(source), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        keys = self.key(states)
        hidden = cell = feed = states.new_zeros(len(source), self.size)
        is_padding = (source == 0)[:, : states.shape[1]]
        tokens = torch.ones(len(source), dtype=torch.long)
        has_ended = torch.zeros(len(source), dtype=torch.bool)
        written = []
        for _ in range(longest):
            read = torch.cat([self.target(tokens), feed], -1)
            hidden, cell = self.cell(read, (hidden, cell))
            scores = (keys @ hidden.unsqueeze(-1)).squeeze(-1)
            weights = scores.masked_fill(is_padding, -torch.inf).softmax(-1)
            context = (weights.unsqueeze(1) @ states).squeeze(1)
            feed = self.combine(torch.cat([hidden, context], -1)).tanh()
            tokens = self.write(feed).argmax(-1)
            written.append(tokens)
            has_ended |= tokens == 2
            if bool(has_ended.all()):
                break
        return torch.stack(written, 1)
