"""The best few sequences: beam search with length normalisation.

    rank(hypothesis) = log_prob / length ** length_power     the end symbol counts

Every source has its own beam and its own stopping rule, so no result depends
on what else is in the batch: a source is done when it has as many finished
hypotheses as its beam is wide and none of the living ranks above the worst of
them. A beam of one is greedy search.
"""

from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.decoder import Decoder, State
from regard.encoder import Encoding
from regard.errors import SettingsError
from regard.search.greedy import writable
from regard.search.hypothesis import Hypothesis
from regard.text import END, START


@dataclass
class _Trace:
    """One step of the search, for all living sources: enough to walk back."""

    tokens: np.ndarray
    parents: np.ndarray
    weights: np.ndarray | None


@dataclass(frozen=True, order=True)
class _Finished:
    rank: float
    step: int
    place: int
    token_weights: np.ndarray | None = field(compare=False)
    log_prob: float = field(compare=False)
    is_complete: bool = field(compare=False)


@torch.no_grad()
def beam(
    decoder: Decoder,
    encoding: Encoding,
    limits: Int[Tensor, " batch"],
    may_be_unknown: Bool[Tensor, " batch"],
    *,
    size: int,
    length_power: float = 1.0,
) -> list[list[Hypothesis]]:
    """The best hypotheses of each source, best first, all different.

    Args:
        decoder: Any decoder.
        encoding: The sources.
        limits: How many symbols each row may write before the end symbol.
        may_be_unknown: Which rows may write the unknown symbol.
        size: How many hypotheses live side by side, and how many are returned
            at most.
        length_power: 0 ranks by log-probability, 1 by its mean per symbol.

    Raises:
        SettingsError: The size is less than one.
    """
    if size < 1:
        raise SettingsError(f"a beam of {size}: expected at least 1.")
    return _Search(decoder, encoding, limits, may_be_unknown, size, length_power).run()


class _Search:
    def __init__(
        self, decoder: Decoder, encoding: Encoding, limits: Tensor, may_be_unknown: Tensor,
        size: int, power: float,
    ) -> None:  # fmt: skip
        self.decoder, self.size, self.power = decoder, size, power
        count, device = len(limits), limits.device
        self.found = [list[_Finished]() for _ in range(count)]
        self.traces = [list[_Trace]() for _ in range(count)]
        self.sources = np.arange(count)
        self.limits = limits
        self.may_be_unknown = may_be_unknown.repeat_interleave(size)
        self.log_probs = torch.full((count, size), -torch.inf, dtype=torch.float64, device=device)
        self.log_probs[:, 0] = 0
        self.tokens = torch.full((count * size,), START, device=device)
        spread = torch.arange(count, device=device).repeat_interleave(size)
        self.state: State = decoder.start(encoding).select(spread)
        self.length = 0

    def run(self) -> list[list[Hypothesis]]:
        while len(self.sources):
            self._advance()
            self._drop_done()
        return [
            [self._hypothesis(source, end) for end in sorted(ends, reverse=True)[: self.size]]
            for source, ends in enumerate(self.found)
        ]

    def _advance(self) -> None:
        step = self.decoder.step(self.tokens, self.state)
        log_probs = step.logits.float().log_softmax(-1).double()
        vocabulary = log_probs.shape[-1]
        log_probs = writable(log_probs, self.may_be_unknown)
        wants_end = (log_probs.argmax(-1) == END).cpu().numpy()
        totals = self.log_probs.unsqueeze(-1) + log_probs.view(len(self.sources), self.size, -1)
        is_last = self.limits <= self.length
        others = torch.arange(vocabulary, device=totals.device) != END
        totals = totals.masked_fill(is_last[:, None, None] & others, -torch.inf)
        width = min(2 * self.size, self.size * vocabulary)
        candidates, index = totals.flatten(1).topk(width, -1)
        parents, tokens = index // vocabulary, index % vocabulary
        weights = None if step.weights is None else step.weights.float().cpu().numpy()
        self._collect(candidates, parents, tokens, weights, is_last.cpu().numpy(), wants_end)
        living = candidates.masked_fill(tokens == END, -torch.inf)
        self.log_probs, kept = living.topk(min(self.size, width), -1)
        parents, tokens = parents.gather(1, kept), tokens.gather(1, kept)
        self._remember(tokens.cpu().numpy(), parents.cpu().numpy(), weights)
        base = torch.arange(len(self.sources), device=tokens.device).unsqueeze(1) * self.size
        self.tokens = tokens.flatten()
        self.state = step.state.select((base + parents).flatten())
        self.length += 1

    def _collect(
        self, candidates: Tensor, parents: Tensor, tokens: Tensor, weights: np.ndarray | None,
        is_last: np.ndarray, wants_end: np.ndarray,
    ) -> None:  # fmt: skip
        ended = (tokens == END) & candidates.isfinite()
        ended[:, self.size :] = False
        log_probs, places = candidates.cpu().numpy(), parents.cpu().numpy()
        for row, column in np.argwhere(ended.cpu().numpy()):
            log_prob, place = float(log_probs[row, column]), int(places[row, column])
            parent = row * self.size + place
            look = None if weights is None else weights[parent]
            is_complete = bool(wants_end[parent] or not is_last[row])
            end = _Finished(self._rank(log_prob), -self.length, -place, look, log_prob, is_complete)
            self.found[self.sources[row]].append(end)

    def _remember(
        self, tokens: np.ndarray, parents: np.ndarray, weights: np.ndarray | None
    ) -> None:
        for row, source in enumerate(self.sources):
            part = slice(row * self.size, (row + 1) * self.size)
            look = None if weights is None else weights[part]
            self.traces[source].append(_Trace(tokens[row], parents[row], look))

    def _rank(self, log_prob: float) -> float:
        return log_prob / (self.length + 1) ** self.power

    def _drop_done(self) -> None:
        best_living = self.log_probs[:, 0].cpu().numpy() / self.length**self.power
        going: list[int] = []
        for row, source in enumerate(self.sources):
            ranks = sorted((end.rank for end in self.found[source]), reverse=True)[: self.size]
            is_done = len(ranks) == self.size and best_living[row] <= ranks[-1]
            if not is_done and best_living[row] > -np.inf:
                going.append(row)
        if len(going) == len(self.sources):
            return
        self.sources = self.sources[going]
        rows = torch.tensor(going, dtype=torch.long, device=self.limits.device)
        self.limits, self.log_probs = self.limits[rows], self.log_probs[rows]
        each = rows.unsqueeze(1) * self.size + torch.arange(self.size, device=rows.device)
        self.tokens = self.tokens[each.flatten()]
        self.may_be_unknown = self.may_be_unknown[each.flatten()]
        self.state = self.state.select(each.flatten())

    def _hypothesis(self, source: int, end: _Finished) -> Hypothesis:
        tokens, looks, place = [END], [end.token_weights], -end.place
        for trace in reversed(self.traces[source][: -end.step]):
            tokens.append(int(trace.tokens[place]))
            place = int(trace.parents[place])
            looks.append(None if trace.weights is None else trace.weights[place])
        rows = [look for look in reversed(looks) if look is not None]
        return Hypothesis(
            tuple(reversed(tokens)), end.log_prob, np.stack(rows) if rows else None,
            end.is_complete,
        )  # fmt: skip
