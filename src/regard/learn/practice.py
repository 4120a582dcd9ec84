"""Small models that are trained on the spot, by the loop that everyone writes first.

Strings of eight letters are copied or turned round. A few hundred updates of a
small model suffice, some seconds each, and whoever reads this file has seen
all that training is.
"""

import random
from collections.abc import Callable, Sequence

import numpy as np
import torch

from regard.encoder import Encoder, Encoding
from regard.layers import Embedding, Recurrence
from regard.model import Saved, Seq2Seq, Vocabularies, build
from regard.predictor import Predictor
from regard.text import PADDING, Batch, Columns, Pair, Source, Vocabulary
from regard.training.config import RunSettings
from regard.training.loss import sequence_loss
from regard.training.prepare import prepare
from regard.training.sources import Split, pairs_from

LETTERS = "abcdefgh"
_WIDTH, _SIZE = 24, 64
_RATE, _LARGEST_GRADIENT = 4e-3, 1.0
_BATCH = 64

Heartbeat = Callable[[], None]
"""Is called after every update."""


class OneWayReader(Encoder):
    """Reads from left to right; a state knows nothing of what follows it.

    Sutskever, Vinyals and Le (2014), arXiv:1409.3215: its last state is all that
    a decoder without attention is given.

    Args:
        embedding: Vectors of the source symbols.
        embedding_size: Their width.
        size: Width of a state.
    """

    def __init__(self, embedding: Embedding, *, embedding_size: int, size: int) -> None:
        super().__init__()
        self.embedding = embedding
        self.recurrence = Recurrence(embedding_size, size, cell="gru")
        self.state_size = self.final_size = size
        self.told_size = 0

    def forward(self, source: Source) -> Encoding:
        """Read the symbols once, forwards."""
        states = self.recurrence(self.embedding(source.tokens)).states
        last = states[torch.arange(len(states)), source.mask.sum(1) - 1]
        return Encoding(states, source.mask, last, last[:, :0])


def strings(count: int, shortest: int, longest: int, seed: int) -> list[str]:
    """Random strings of the letters."""
    chance = random.Random(seed)
    return [
        "".join(chance.choices(LETTERS, k=chance.randint(shortest, longest))) for _ in range(count)
    ]


def reversals(sources: Sequence[str]) -> list[Pair]:
    """Each string, and the same turned round."""
    return [Pair(source, source[::-1]) for source in sources]


def copies(sources: Sequence[str]) -> list[Pair]:
    """Each string twice."""
    return [Pair(source, source) for source in sources]


def untrained(attention: str) -> Seq2Seq:
    """A small model, its parameters drawn at random."""
    known = Vocabulary.of([LETTERS])
    torch.manual_seed(0)
    return build(_settings(attention).model_settings(), Vocabularies(known, known)).eval()


def practised(
    pairs: Sequence[Pair],
    *,
    updates: int,
    attention: str = "scaled dot",
    change: Callable[[Seq2Seq], None] | None = None,
    is_one_way: bool = False,
    listen: Heartbeat | None = None,
) -> Predictor:
    """A small model after some updates.

    Args:
        pairs: What it is trained on.
        updates: How many batches it sees.
        attention: The score, or "none".
        change: What is done to the model before it learns.
        is_one_way: Whether it reads from left to right alone.
        listen: Is called after every update.
    """
    split = Split(pairs_from(pairs, Columns()), list(pairs[:10]))
    prepared = prepare(split, _settings(attention), is_settled=False)
    settings = prepared.settings.model_settings()
    torch.manual_seed(0)
    model = build(settings, prepared.vocabularies)
    if is_one_way:
        table = Embedding(len(prepared.vocabularies.source), _WIDTH, padding=PADDING)
        model.encoder = OneWayReader(table, embedding_size=_WIDTH, size=_SIZE)
    if change is not None:
        change(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=_RATE)
    chance = np.random.default_rng(0)
    for _ in range(updates):
        batch = prepared.maker.batch(chance.choice(prepared.pairs, _BATCH, replace=False))
        loss = sequence_loss(model(batch.source, batch.inputs).logits, batch.target)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), _LARGEST_GRADIENT)
        optimizer.step()
        if listen is not None:
            listen()
    return Predictor(Saved(settings, prepared.vocabularies, model.eval()))


def batch_of(model: Predictor, pairs: Sequence[Pair]) -> Batch:
    """Pairs as the model reads and writes them, padded."""
    asked = [model.reader.read(pair) for pair in pairs]
    return model.searcher.batch(asked, [model.reader.target_tokens(pair) for pair in pairs])


def _settings(attention: str) -> RunSettings:
    return RunSettings().with_values(
        {
            "encoder.kind": "gru",
            "decoder.kind": "gru",
            "encoder.embedding_size": _WIDTH,
            "encoder.hidden_size": _SIZE // 2,
            "decoder.embedding_size": _WIDTH,
            "decoder.hidden_size": _SIZE,
            "encoder.layers": 1,
            "decoder.layers": 1,
            "encoder.dropout": 0.0,
            "decoder.dropout": 0.0,
            "encoder.residual": False,
            "decoder.relative_bias": False,
            "decoder.tags_apart": False,
            "decoder.attention": attention,
            "training.precision": "float32",
        }
    )
