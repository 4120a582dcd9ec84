"""The baseline that never looks back: all it knows of the source is one vector.

    hidden_t = cell([embedding(y_t-1); told], hidden_t-1)
    logits_t = V tanh(W [hidden_t; final]) + b

Sutskever, Vinyals and Le (2014), arXiv:1409.3215; that the vector is seen at
every step is from Cho et al. (2014), arXiv:1406.1078.
"""

from dataclasses import dataclass, replace

from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.decoder.decoder import Decoded, Decoder, State, Step
from regard.decoder.output import Output, told_inputs
from regard.encoder import Encoding
from regard.layers import Embedding, Recurrence


@dataclass(frozen=True)
class BottleneckState(State):
    """What the baseline carries.

    Attributes:
        carried: The cell's state, all layers.
        final: The source in one vector.
        told: What the tags say together.
    """

    carried: Float[Tensor, "batch carried"]
    final: Float[Tensor, "batch final"]
    told: Float[Tensor, "batch told"]

    def select(self, rows: Int[Tensor, " rows"] | Int[Tensor, "sources each"]) -> "BottleneckState":
        """Keep, drop or repeat rows."""
        rows = rows.flatten()
        return BottleneckState(self.carried[rows], self.final[rows], self.told[rows])


class BottleneckDecoder(Decoder):
    """Never looks back.

    Args:
        embedding: Vectors of the target symbols.
        recurrence: The cell. Of its states, and in the output layer, as much is
            dropped as between its layers.
        final_size: Width of the encoder's final vector.
    """

    def __init__(self, embedding: Embedding, recurrence: Recurrence, *, final_size: int) -> None:
        super().__init__()
        self.embedding = embedding
        self.recurrence = recurrence
        self.bridge = nn.Linear(final_size, recurrence.carried_size)
        self.output = Output(
            recurrence.size,
            context_size=final_size,
            dropout=recurrence.drop.share,
            vocabulary=embedding.table.num_embeddings,
        )
        self.alignment = None

    def start(self, encoding: Encoding) -> BottleneckState:
        """Begin where the encoder ended, and keep nothing but that."""
        carried = self.bridge(encoding.final).tanh()
        return BottleneckState(carried, encoding.final, encoding.told)

    def step(
        self,
        tokens: Int[Tensor, " batch"],
        state: State,
        weights: Float[Tensor, "batch source"] | None = None,
    ) -> Step:
        """Write one position; there is no look whose weights could be replaced."""
        assert isinstance(state, BottleneckState)
        read = told_inputs(self.embedding(tokens), state.told)
        states, carried = self.recurrence.step(read, state.carried)
        hidden = self.recurrence.drop(states).squeeze(1)
        logits = self.output(hidden, state.final)
        return Step(logits, hidden, state.final, None, (), replace(state, carried=carried))

    def scores(self, hidden: Float[Tensor, "batch hidden"], state: State) -> None:
        """There is no look."""

    def forward(
        self, inputs: Int[Tensor, "batch target"], encoding: Encoding, needs_weights: bool = True
    ) -> Decoded:
        """Write a whole known target at once."""
        state = self.start(encoding)
        read = told_inputs(self.embedding(inputs), state.told)
        states, _ = self.recurrence(read, state.carried)
        hidden = self.recurrence.drop(states)
        context = state.final.unsqueeze(1).expand(-1, hidden.shape[1], -1)
        return Decoded(self.output(hidden, context), hidden, context, None, None, ())

    def contexts(
        self, weights: Float[Tensor, "sources rows heads source"], state: State
    ) -> Float[Tensor, "sources rows context"]:
        """The same whatever the weights: there is no look."""
        assert isinstance(state, BottleneckState)
        return state.final.unsqueeze(1).expand(-1, weights.shape[1], -1)

    def logits(
        self, hidden: Float[Tensor, "*batch hidden"], context: Float[Tensor, "*batch context"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """The output layer."""
        return self.output(hidden, context)
