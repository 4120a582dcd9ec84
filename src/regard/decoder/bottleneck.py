"""The baseline that never looks back: all it knows of the source is one vector.

    hidden_t = cell(embedding(y_t-1), hidden_t-1)
    logits_t = V tanh(W [hidden_t; final]) + b

Sutskever, Vinyals and Le (2014), arXiv:1409.3215; that the vector is seen at
every step is from Cho et al. (2014), arXiv:1406.1078.
"""

from dataclasses import dataclass
from typing import Self

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.decoder.decoder import Decoded, Decoder, State, Step
from regard.decoder.output import Output
from regard.encoder import Encoding
from regard.layers import Embedding, Recurrence


@dataclass(frozen=True)
class BottleneckState(State):
    """What the baseline carries.

    Attributes:
        carried: The cell's state, all layers.
        final: The source in one vector.
    """

    carried: Float[Tensor, "batch carried"]
    final: Float[Tensor, "batch final"]

    def select(self, rows: Int[Tensor, " rows"]) -> Self:
        """Keep, drop or repeat rows."""
        return type(self)(self.carried[rows], self.final[rows])


class BottleneckDecoder(Decoder):
    """Never looks back.

    Args:
        embedding: Vectors of the target symbols.
        recurrence: The cell.
        final_size: Width of the encoder's final vector.
        dropout: Share of what is dropped before and in the output layer.
    """

    def __init__(
        self, embedding: Embedding, recurrence: Recurrence, *, final_size: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.embedding = embedding
        self.recurrence = recurrence
        self.bridge = nn.Linear(final_size, recurrence.carried_size)
        self.drop = nn.Dropout(dropout)
        self.output = Output(
            recurrence.size, context_size=final_size, dropout=dropout,
            vocabulary=embedding.table.num_embeddings,
        )  # fmt: skip
        self.alignment = None

    def start(self, encoding: Encoding) -> BottleneckState:
        """Begin where the encoder ended, and keep nothing but that."""
        return BottleneckState(self.bridge(encoding.final).tanh(), encoding.final)

    def step(
        self,
        tokens: Int[Tensor, " batch"],
        state: State,
        weights: Float[Tensor, "batch source"] | None = None,
    ) -> Step:
        """Write one position; there is no look whose weights could be replaced."""
        assert isinstance(state, BottleneckState)
        states, carried = self.recurrence.step(self.embedding(tokens), state.carried)
        hidden = self.drop(states).squeeze(1)
        logits = self.output(hidden, state.final)
        return Step(logits, hidden, state.final, None, (), BottleneckState(carried, state.final))

    def scores(self, hidden: Float[Tensor, "batch hidden"], state: State) -> None:
        """There is no look."""

    def forward(
        self, inputs: Int[Tensor, "batch target"], encoding: Encoding, needs_weights: bool = True
    ) -> Decoded:
        """Write a whole known target at once."""
        state = self.start(encoding)
        states, _ = self.recurrence(self.embedding(inputs), state.carried)
        hidden = self.drop(states)
        context = state.final.unsqueeze(1).expand(-1, hidden.shape[1], -1)
        return Decoded(self.output(hidden, context), None, ())

    def logits(
        self, hidden: Float[Tensor, "*batch hidden"], context: Float[Tensor, "*batch context"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """The output layer."""
        return self.output(hidden, context)
