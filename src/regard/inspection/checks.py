"""Is the map what it says it is? Exact checks, before anything is read from it.

    I1  rows sum to one                     in evaluation and in training
    I2  padding gets no weight
    I3  padding and batch-mates change nothing
    I4  a row is the same whether the target is known or written step by step,
        and the encoder reads once
    I5  the context is the mixture of the values under these very weights
    I6  there is one row for each target symbol, one column for each source symbol
    I7  weights are finite and not negative; where nothing may be looked at, all zero
    I8  the same twice

A failure means that the map is of something else than the decoder's look;
nothing can be concluded from it then. Always the largest deviation is taken,
never the mean: a map with the softmax on the wrong axis has good means.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from regard.decoder import Decoded, Step
from regard.model import Seq2Seq
from regard.text import PADDING, Batch, Source

_TOLERANCE = 1e-4
_EXTRA = 3


@dataclass(frozen=True)
class Check:
    """One exact check.

    Attributes:
        name: I1 to I8.
        title: What is checked, in words.
        value: The largest deviation that was found.
        tolerance: The largest that is rounding.
    """

    name: str
    title: str
    value: float
    tolerance: float

    @property
    def is_met(self) -> bool:
        """Whether the map passes; a deviation that is no number does not."""
        return self.value <= self.tolerance

    @property
    def text(self) -> str:
        """All of it as a sentence."""
        verdict = "holds" if self.is_met else "FAILS"
        return (
            f"{self.name} {verdict}: {self.title} ({self.value:.1e} against {self.tolerance:.0e})"
        )


@torch.no_grad()
def check_map(model: Seq2Seq, batch: Batch) -> list[Check]:
    """Make all checks on some pairs of different lengths.

    A copy in double precision is checked, so that rounding is never taken for a fault.

    Args:
        model: A model that looks back.
        batch: Some pairs; a few suffice.
    """
    return _Checked(copy.deepcopy(model).double().eval(), batch).all()


class _Checked:
    def __init__(self, model: Seq2Seq, batch: Batch) -> None:
        self.model, self.batch = model, batch
        self.padded = _padded(batch)
        self.encoding = model.encode(self.padded.source)
        self.decoded = model.decoder(self.padded.inputs, self.encoding)
        self.steps, self.readings = _steps(model, self.padded)

    def all(self) -> list[Check]:
        """Every check, in order."""
        found: list[tuple[str, str, Callable[[], float]]] = [
            ("I1", "rows sum to one", self.row_sums),
            ("I2", "padding gets no weight", self.padding),
            ("I3", "padding and batch-mates change nothing", self.batch_mates),
            (
                "I4",
                "known targets and single steps look alike, the source read once",
                self.prefixes,
            ),
            ("I5", "the context is the mixture under these weights", self.contexts),
            (
                "I6",
                "one row for each symbol written, one column for each that is read",
                self.shapes,
            ),
            (
                "I7",
                "weights are finite, not negative, and zero where nothing is open",
                self.numbers,
            ),
            ("I8", "the same twice", self.repeats),
        ]
        exact = {"I6": 0.0, "I8": 0.0}
        # A map of another shape cannot be compared with anything.
        is_comparable = self.shapes() == 0
        return [
            Check(
                name,
                title,
                measure() if is_comparable else math.inf,
                exact.get(name, _TOLERANCE),
            )
            for name, title, measure in found
        ]

    def row_sums(self) -> float:
        sums = [_heads(self.decoded).sum(-1)[self.padded.mask]]
        sums += [_row(step).sum(-1) for step in self.steps]
        with torch.random.fork_rng(devices=[]):
            self.model.train()
            trained = self.model(self.padded.source, self.padded.inputs)
            self.model.eval()
        sums.append(_heads(trained).sum(-1)[self.padded.mask])
        return max(_largest(one - 1) for one in sums)

    def padding(self) -> float:
        hidden = ~self.encoding.mask
        found = [(_heads(self.decoded) * hidden[:, None, None]).sum(-1)[self.padded.mask]]
        found += [(_row(step) * hidden).sum(-1) for step in self.steps]
        return max(_largest(one) for one in found)

    def batch_mates(self) -> float:
        worst = 0.0
        opened = self.encoding.mask
        for row, length in enumerate(self.padded.mask.sum(1).tolist()):
            alone = _alone(self.batch, row)
            own = self.model(alone.source, alone.inputs)
            weights = _heads(self.decoded)[row, :length][..., opened[row]]
            worst = max(
                worst,
                _largest(_away(own.logits[0], self.decoded.logits[row, :length])),
                _largest(_heads(own)[0] - weights),
            )
        return worst

    def prefixes(self) -> float:
        worst = float(abs(self.readings - 1))
        weights = self.decoded.weights
        assert weights is not None
        for place, step in enumerate(self.steps):
            real = self.padded.mask[:, place]
            worst = max(worst, _largest(_away(step.logits, self.decoded.logits[:, place])[real]))
            worst = max(worst, _largest((_row(step) - weights[:, place])[real]))
        return worst

    def contexts(self) -> float:
        state = self.model.decoder.start(self.encoding)
        mixed = self.model.decoder.contexts(_heads(self.decoded), state)
        away = (mixed - self.decoded.context).norm(dim=-1)
        size = self.decoded.context.norm(dim=-1).clamp(min=1e-6)
        written = self.model.decoder.logits(self.decoded.hidden, self.decoded.context)
        same = _away(written, self.decoded.logits)
        return max(_largest((away / size)[self.padded.mask]), _largest(same[self.padded.mask]))

    def shapes(self) -> float:
        weights, source = self.decoded.weights, self.padded.source
        expected = (*self.padded.inputs.shape, source.tokens.shape[1] + source.tags.shape[1])
        is_right = weights is not None and tuple(weights.shape) == expected
        return 0.0 if is_right else 1.0

    def numbers(self) -> float:
        weights = _heads(self.decoded)
        blind = replace(self.encoding, mask=torch.zeros_like(self.encoding.mask))
        nothing = self.model.decoder(self.padded.inputs, blind)
        return max(
            _largest(weights.clamp(max=0)),
            _largest(_heads(nothing)),
            0.0 if nothing.logits.isfinite().all() else math.inf,
        )

    def repeats(self) -> float:
        again = self.model(self.padded.source, self.padded.inputs)
        same = torch.equal(again.logits, self.decoded.logits)
        return 0.0 if same and torch.equal(_heads(again), _heads(self.decoded)) else 1.0


def _heads(decoded: Decoded) -> Tensor:
    assert decoded.heads is not None
    return decoded.heads.float()


def _row(step: Step) -> Tensor:
    assert step.weights is not None
    return step.weights.float()


def _away(logits: Tensor, others: Tensor) -> Tensor:
    """How far log-probabilities are apart; of unlikely symbols, as a share of their size."""
    one, other = logits.float().log_softmax(-1), others.float().log_softmax(-1)
    return (one - other) / other.abs().clamp(min=1)


def _largest(values: Tensor) -> float:
    if not values.numel():
        return 0.0
    return float(values.abs().max()) if values.isfinite().all() else math.inf


def _steps(model: Seq2Seq, batch: Batch) -> tuple[list[Step], int]:
    """The target written step by step, and how often the source was read meanwhile."""
    calls: list[None] = []
    hook = model.encoder.register_forward_hook(lambda *_: calls.append(None))
    try:
        state = model.decoder.start(model.encode(batch.source))
        steps: list[Step] = []
        for tokens in batch.inputs.unbind(1):
            steps.append(model.decoder.step(tokens, state))
            state = steps[-1].state
    finally:
        hook.remove()
    return steps, len(calls)


def _padded(batch: Batch) -> Batch:
    """The same pairs in a batch that is longer than any of them."""

    def wider(part: Tensor) -> Tensor:
        return torch.cat([part, part.new_zeros(len(part), _EXTRA)], 1)

    source = batch.source
    assert PADDING == 0
    tags = (
        (wider(source.tags), wider(source.tags_mask))
        if source.tags.shape[1]
        else (source.tags, source.tags_mask)
    )
    read = Source(wider(source.tokens), wider(source.mask), *tags)
    return Batch(read, wider(batch.inputs), wider(batch.target), wider(batch.mask))


def _alone(batch: Batch, row: int) -> Batch:
    """One pair without any padding."""
    source, length = batch.source, int(batch.mask[row].sum())
    opened, tagged = source.mask[row], source.tags_mask[row]
    one = slice(row, row + 1)
    read = Source(
        source.tokens[one][:, opened],
        source.mask[one][:, opened],
        source.tags[one][:, tagged],
        source.tags_mask[one][:, tagged],
    )
    return Batch(
        read, batch.inputs[one, :length], batch.target[one, :length], batch.mask[one, :length]
    )
