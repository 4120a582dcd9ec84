"""A Transformer decoder: looks at what it wrote, and back at the source, in every layer.

Vaswani et al. (2017), section 3.1, arXiv:1706.03762, with the normalisation
before each sublayer. The alignment is the look of the last layer, the mean of its
heads; all layers and heads are kept in `looks`.
"""

from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Attended, Memory, MultiHeadAttention, causal_mask
from regard.decoder.decoder import Decoded, Decoder, State, Step
from regard.encoder import Encoding
from regard.layers import Embedding, FeedForward, PositionalEncoding


@dataclass(frozen=True)
class TransformerState(State):
    """What the Transformer carries: per layer, the source and what was written.

    Attributes:
        memories: The source, prepared for each layer.
        written: Keys and values of all positions so far, for each layer.
        length: How many positions those are.
    """

    memories: tuple[Memory, ...]
    written: tuple[Memory, ...]
    length: int

    def select(
        self, rows: Int[Tensor, " rows"] | Int[Tensor, "sources each"]
    ) -> "TransformerState":
        """Keep, drop or repeat rows."""
        rows = rows.flatten()
        return TransformerState(
            tuple(memory.select(rows) for memory in self.memories),
            tuple(memory.select(rows) for memory in self.written),
            self.length,
        )


class _Passed(NamedTuple):
    hidden: Tensor
    look: Attended
    written: Memory


class _Layer(nn.Module):
    def __init__(
        self, size: int, *, heads: int, inner_size: int, state_size: int, dropout: float
    ) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.itself = MultiHeadAttention(size, heads)
        self.source_norm = nn.LayerNorm(size)
        self.source = MultiHeadAttention(size, heads, state_size=state_size)
        self.feed = FeedForward(size, inner_size, dropout=dropout)
        self.drop = nn.Dropout(dropout)

    def look(
        self,
        states: Tensor,
        memory: Memory,
        before: Memory | None,
        weights: Tensor | None,
        needs_weights: bool,
    ) -> _Passed:
        """Look at what was written, then back at the source."""
        query = self.norm(states)
        written = self.itself.memorize(query)
        if before is not None:
            written = Memory(
                torch.cat([before.keys, written.keys], -2),
                torch.cat([before.values, written.values], -2),
                torch.cat([before.mask, written.mask], -1),
            )
        target, source = query.shape[1], written.keys.shape[-2]
        mask = causal_mask(target, source, source - target, query.device) if target > 1 else None
        own = self.itself(query, written, mask=mask, needs_weights=False)
        hidden = states + self.drop(own.context)
        asked = self.source_norm(hidden)
        if weights is not None:
            given = weights[:, None, None].expand(-1, self.source.heads, -1, -1)
            look = Attended(self.source.mix(given, memory), given)
        else:
            look = self.source(asked, memory, needs_weights=needs_weights)
        return _Passed(hidden, look, written)

    def close(self, hidden: Tensor, context: Tensor) -> Tensor:
        """Take in what the look brought."""
        return self.feed(hidden + self.drop(context))


class TransformerDecoder(Decoder):
    """Looks back in every layer.

    Args:
        embedding: Vectors of the target symbols, of width `size`.
        size: Width of a state.
        heads: Looks side by side.
        layers: How many, one above the other.
        inner_size: Width inside the position-wise sublayer.
        state_size: Width of the encoder's states.
        dropout: Share of what is dropped.
    """

    def __init__(
        self,
        embedding: Embedding,
        size: int,
        *,
        heads: int,
        layers: int,
        inner_size: int,
        state_size: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.position = PositionalEncoding(size, dropout=dropout)
        self.layers = nn.ModuleList(
            _Layer(size, heads=heads, inner_size=inner_size, state_size=state_size, dropout=dropout)
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(size)
        self.write = nn.Linear(size, embedding.table.num_embeddings)
        self.alignment = f"the look of layer {layers}, the mean of its {heads} heads"

    def start(self, encoding: Encoding) -> TransformerState:
        """Prepare keys and values for every layer."""
        return TransformerState(self._memories(encoding), (), 0)

    def step(
        self,
        tokens: Int[Tensor, " batch"],
        state: State,
        weights: Float[Tensor, "batch source"] | None = None,
    ) -> Step:
        """Write one position, with the keys of all positions before it kept."""
        assert isinstance(state, TransformerState)
        passed = self._pass(tokens.unsqueeze(1), state, weights, needs_weights=True)
        last = passed[-1]
        hidden, context = last.hidden.squeeze(1), last.look.context.squeeze(1)
        row = _mean_of_heads(last.look)
        after = TransformerState(
            state.memories, tuple(part.written for part in passed), state.length + 1
        )
        looks = tuple(part.look for part in passed)
        return Step(
            self.logits(hidden, context),
            hidden,
            context,
            None if row is None else row.squeeze(1),
            looks,
            after,
        )

    def scores(
        self, hidden: Float[Tensor, "batch hidden"], state: State
    ) -> Float[Tensor, "batch looks source"]:
        """What the last layer's heads had before normalising."""
        assert isinstance(state, TransformerState)
        last = self._each_layer()[-1]
        query = last.source_norm(hidden).unsqueeze(1)
        return last.source.scores(query, state.memories[-1]).squeeze(-2)

    def forward(
        self, inputs: Int[Tensor, "batch target"], encoding: Encoding, needs_weights: bool = True
    ) -> Decoded:
        """Write a whole known target at once, no position seeing a later one."""
        passed = self._pass(inputs, self.start(encoding), None, needs_weights)
        last = passed[-1]
        logits = self.logits(last.hidden, last.look.context)
        weights = last.look.weights
        return Decoded(
            logits,
            last.hidden,
            last.look.context,
            _mean_of_heads(last.look),
            None if weights is None else weights.transpose(1, 2),
            tuple(part.look for part in passed),
        )

    def contexts(
        self, weights: Float[Tensor, "sources rows heads source"], state: State
    ) -> Float[Tensor, "sources rows context"]:
        """What the last layer's heads would have brought, merged."""
        assert isinstance(state, TransformerState)
        return self._each_layer()[-1].source.mix(weights.transpose(1, 2), state.memories[-1])

    def logits(
        self, hidden: Float[Tensor, "*batch hidden"], context: Float[Tensor, "*batch context"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """What comes after the last layer's look."""
        return self.write(self.norm(self._each_layer()[-1].close(hidden, context)))

    def _memories(self, encoding: Encoding) -> tuple[Memory, ...]:
        return tuple(
            layer.source.memorize(encoding.states, encoding.mask) for layer in self._each_layer()
        )

    def _each_layer(self) -> list[_Layer]:
        return [cast(_Layer, layer) for layer in self.layers]

    def _pass(
        self, tokens: Tensor, state: TransformerState, weights: Tensor | None, needs_weights: bool
    ) -> list[_Passed]:
        states = self.position(self.embedding(tokens), state.length)
        passed: list[_Passed] = []
        for index, layer in enumerate(self._each_layer()):
            is_last = index == len(self.layers) - 1
            before = state.written[index] if state.written else None
            part = layer.look(
                states, state.memories[index], before, weights if is_last else None, needs_weights
            )
            passed.append(part)
            states = states if is_last else layer.close(part.hidden, part.look.context)
        return passed


def _mean_of_heads(look: Attended) -> Tensor | None:
    return None if look.weights is None else look.weights.mean(-3)
