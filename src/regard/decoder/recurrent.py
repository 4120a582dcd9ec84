"""A recurrent decoder that looks back once a step.

    hidden_t  = cell([embedding(y_t-1); told; vector_t-1], hidden_t-1)
    context_t = look(hidden_t, memory)
    vector_t  = tanh(W [hidden_t; context_t])
    logits_t  = V vector_t + b

With a relative bias, scores also depend on how far a position is from the step.
With tags apart, each row looks at the symbols and at the tags, half of its weight for
either (see `regard.attention.blocks`).
`told` is what the tags say together, nothing without tags. `vector_t-1` is input
feeding (Luong et al. 2015, section 3.3), an option. Without it, and without coverage, the cell does not wait for
the look, and a known target is written in one go.
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import (
    Attended,
    Attention,
    Memory,
    RelativeBias,
    add_coverage,
    look_in_blocks,
    mix,
    no_coverage,
)
from regard.decoder.decoder import Decoded, Decoder, State, Step
from regard.decoder.output import Output, told_inputs
from regard.encoder import Encoding
from regard.layers import Embedding, Recurrence

REACH = 24
"""Positions further from the step than this share one bias."""


@dataclass(frozen=True)
class RecurrentState(State):
    """What the recurrent decoder carries.

    Rows that write to one source stand together, and share its memory.

    Attributes:
        carried: The cell's state, all layers.
        memory: What is looked at, once a source.
        told: What the tags say together.
        vector: The last joined vector; no columns without input feeding.
        coverage: What was looked at so far; no columns without coverage.
        tag_count: How many of the last positions are tags, or padding of them.
        length: How many steps were made.
    """

    carried: Float[Tensor, "batch carried"]
    memory: Memory
    told: Float[Tensor, "batch told"]
    vector: Float[Tensor, "batch vector"]
    coverage: Float[Tensor, "batch covered"]
    tag_count: int = 0
    length: int = 0

    @property
    def each(self) -> int:
        """How many rows write to one source."""
        return len(self.carried) // max(1, len(self.memory.mask))

    def select(self, rows: Int[Tensor, " rows"] | Int[Tensor, "sources each"]) -> "RecurrentState":
        """Keep, drop or repeat rows."""
        flat, sources = rows.flatten(), rows // self.each
        is_shared = rows.ndim == 2 and self.coverage.shape[1] == 0
        sources = sources[:, 0] if is_shared else sources.flatten()
        is_same = torch.equal(sources, torch.arange(len(self.memory.mask), device=rows.device))
        return RecurrentState(
            self.carried[flat],
            self.memory if is_same else self.memory.select(sources),
            self.told[flat],
            self.vector[flat],
            self.coverage[flat],
            self.tag_count,
            self.length,
        )


class RecurrentDecoder(Decoder):
    """Looks back once a step.

    Args:
        embedding: Vectors of the target symbols.
        recurrence: The cell; it reads what the tags say, and with input feeding
            the last vector, beside the embedding. Of its states, and in the
            output layer, as much is dropped as between its layers.
        attention: The look; its score says whether it is given the coverage.
        state_size: Width of the encoder's states.
        final_size: Width of the encoder's final vector.
        feeds_input: Whether the cell reads the last joined vector.
        has_relative_bias: Whether scores depend on the distance from the step.
        has_tags_apart: Whether symbols and tags have each a distribution of their own.
    """

    def __init__(
        self,
        embedding: Embedding,
        recurrence: Recurrence,
        *,
        attention: Attention,
        state_size: int,
        final_size: int,
        feeds_input: bool = False,
        has_relative_bias: bool = False,
        has_tags_apart: bool = False,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.recurrence = recurrence
        self.attention = attention
        self.bridge = nn.Linear(final_size, recurrence.carried_size)
        self.output = Output(
            recurrence.size,
            context_size=state_size,
            dropout=recurrence.drop.share,
            vocabulary=embedding.table.num_embeddings,
        )
        self.feeds_input = feeds_input
        self.relative_bias = RelativeBias(REACH) if has_relative_bias else None
        self.uses_coverage = attention.score.uses_coverage
        self.has_tags_apart = has_tags_apart
        halves = ", half at the symbols and half at the tags" if has_tags_apart else ""
        self.alignment = f"the decoder's look{halves}"

    def start(self, encoding: Encoding) -> RecurrentState:
        """Prepare the keys; begin where the encoder ended."""
        memory = self.attention.memorize(encoding.states, encoding.mask)
        carried = self.bridge(encoding.final).tanh()
        vector = carried.new_zeros(len(carried), self.recurrence.size if self.feeds_input else 0)
        coverage = no_coverage(memory)
        coverage = coverage if self.uses_coverage else coverage[:, :0]
        return RecurrentState(carried, memory, encoding.told, vector, coverage, encoding.tag_count)

    def step(
        self,
        tokens: Int[Tensor, " batch"],
        state: State,
        weights: Float[Tensor, "batch source"] | None = None,
    ) -> Step:
        """Write one position."""
        assert isinstance(state, RecurrentState)
        read = told_inputs(self.embedding(tokens), state.told)
        if self.feeds_input:
            read = torch.cat([read, state.vector.to(read.dtype)], -1)
        states, carried = self.recurrence.step(read, state.carried)
        hidden = self.recurrence.drop(states)
        look = self._look(hidden, state, weights)
        context, row = look.context.squeeze(1), _row(look)
        hidden = hidden.squeeze(1)
        vector = self.output.vector(hidden, context)
        after = replace(state, carried=carried, length=state.length + 1)
        if self.feeds_input:
            after = replace(after, vector=vector)
        if self.uses_coverage:
            after = replace(after, coverage=add_coverage(state.coverage, row.unsqueeze(1)))
        return Step(self.output.write(vector), hidden, context, row, (look,), after)

    def scores(
        self, hidden: Float[Tensor, "batch hidden"], state: State
    ) -> Float[Tensor, "batch looks source"]:
        """What the look had before normalising."""
        assert isinstance(state, RecurrentState)
        coverage = state.coverage if self.uses_coverage else None
        query = hidden.unflatten(0, (-1, state.each))
        scores = self.attention.score(query, state.memory.keys, coverage=coverage)
        bias = self._bias(state, 1)
        scores = scores if bias is None else scores + bias
        return scores.flatten(0, 1).unsqueeze(1)

    def forward(
        self, inputs: Int[Tensor, "batch target"], encoding: Encoding, needs_weights: bool = True
    ) -> Decoded:
        """Write a whole known target: at once where the cell need not wait for the look."""
        state = self.start(encoding)
        if self.feeds_input or self.uses_coverage:
            return self._forward_by_steps(inputs, state)
        read = told_inputs(self.embedding(inputs), state.told)
        states, _ = self.recurrence(read, state.carried)
        hidden = self.recurrence.drop(states)
        look = self._attend(hidden, state, steps=inputs.shape[1])
        heads = None if look.weights is None else look.weights.unsqueeze(2)
        logits = self.output(hidden, look.context)
        return Decoded(logits, hidden, look.context, look.weights, heads, (look,))

    def blocks(self, encoding: Encoding) -> list[int]:
        """Symbols and tags, if each have a distribution of their own."""
        return self._widths(encoding.mask, encoding.tag_count)

    def contexts(
        self, weights: Float[Tensor, "sources rows heads source"], state: State
    ) -> Float[Tensor, "sources rows context"]:
        """The values, mixed by these weights."""
        assert isinstance(state, RecurrentState)
        return mix(weights.squeeze(2), state.memory)

    def logits(
        self, hidden: Float[Tensor, "*batch hidden"], context: Float[Tensor, "*batch context"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """The output layer."""
        return self.output(hidden, context)

    def _bias(self, state: RecurrentState, steps: int) -> Tensor | None:
        if self.relative_bias is None:
            return None
        source = state.memory.mask.shape[-1]
        return self.relative_bias(
            state.length, steps, source=source, symbols=source - state.tag_count
        )

    def _look(self, hidden: Tensor, state: RecurrentState, weights: Tensor | None) -> Attended:
        # (rows, 1, size) becomes (sources, rows of each, size), and back.
        query = hidden.view(len(state.memory.mask), state.each, -1)
        if weights is None:
            look = self._attend(query, state, steps=1)
            context, weights = look.context, look.known_weights()
        else:
            weights = weights.view(*query.shape[:2], -1)
            context = mix(weights, state.memory)
        return Attended(context.view(len(hidden), 1, -1), weights.view(len(hidden), 1, -1))

    def _attend(self, query: Tensor, state: RecurrentState, *, steps: int) -> Attended:
        memory, bias = state.memory, self._bias(state, steps)
        coverage = state.coverage if self.uses_coverage else None
        return look_in_blocks(
            self.attention,
            query,
            memory,
            widths=self._widths(memory.mask, state.tag_count),
            bias=bias,
            coverage=coverage,
        )

    def _widths(self, mask: Tensor, tag_count: int) -> list[int]:
        source = mask.shape[-1]
        is_apart = self.has_tags_apart and tag_count > 0
        return [source - tag_count, tag_count] if is_apart else [source]

    def _forward_by_steps(self, inputs: Tensor, state: State) -> Decoded:
        steps: list[Step] = []
        for tokens in inputs.unbind(1):
            steps.append(self.step(tokens, state))
            state = steps[-1].state
        logits, hidden, context = (
            torch.stack(parts, 1)
            for parts in zip(*((one.logits, one.hidden, one.context) for one in steps), strict=True)
        )
        weights = torch.cat([one.looks[0].known_weights() for one in steps], 1)
        look = Attended(context, weights)
        return Decoded(logits, hidden, context, weights, weights.unsqueeze(2), (look,))


def _row(look: Attended) -> Tensor:
    return look.known_weights().squeeze(1)
