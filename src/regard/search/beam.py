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


@dataclass(frozen=True)
class _Trace:
    """One step of the search: enough to walk back.

    Attributes:
        rows: For each source its row in this step, or -1.
        tokens: What each living hypothesis wrote, (row, hypothesis).
        parents: Which hypothesis of the step before it goes on with.
        weights: Where those parents looked, (row, parent, source).
    """

    rows: np.ndarray
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
        self,
        decoder: Decoder,
        encoding: Encoding,
        limits: Tensor,
        may_be_unknown: Tensor,
        size: int,
        power: float,
    ) -> None:
        self.decoder, self.size, self.power = decoder, size, power
        count, device = len(limits), limits.device
        self.found = [list[_Finished]() for _ in range(count)]
        # The ranks of each source's best finished hypotheses, as many as its beam is wide.
        self.ranks = np.full((count, size), -np.inf)
        self.traces: list[_Trace] = []
        self.sources = np.arange(count)
        self.limits, self.may_be_unknown = limits, may_be_unknown
        # At first each source has one hypothesis, the empty one.
        self.log_probs = torch.zeros((count, 1), dtype=torch.float64, device=device)
        self.tokens = torch.full((count,), START, device=device)
        self.state: State = decoder.start(encoding)
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
        count, width = self.log_probs.shape
        step = self.decoder.step(self.tokens, self.state)
        log_probs = step.logits.float().log_softmax(-1).double()
        vocabulary = log_probs.shape[-1]
        log_probs = writable(log_probs, self.may_be_unknown.repeat_interleave(width))
        wants_end = (log_probs.argmax(-1) == END).view(count, width).cpu().numpy()
        totals = self.log_probs.unsqueeze(-1) + log_probs.view(count, width, -1)
        is_last = self.limits <= self.length
        others = torch.arange(vocabulary, device=totals.device) != END
        totals = totals.masked_fill(is_last[:, None, None] & others, -torch.inf)
        candidates, index = totals.flatten(1).topk(min(2 * self.size, width * vocabulary), -1)
        parents, tokens = index // vocabulary, index % vocabulary
        weights = None
        if step.weights is not None:
            weights = step.weights.float().view(count, width, -1).cpu().numpy()
        self._collect(candidates, parents, tokens, weights, is_last.cpu().numpy(), wants_end)
        living = candidates.masked_fill(tokens == END, -torch.inf)
        self.log_probs, kept = living.topk(min(self.size, living.shape[1]), -1)
        parents, tokens = parents.gather(1, kept), tokens.gather(1, kept)
        rows = np.full(len(self.found), -1)
        rows[self.sources] = np.arange(count)
        trace = _Trace(rows, tokens.cpu().numpy(), parents.cpu().numpy(), weights)
        self.traces.append(trace)
        first = torch.arange(count, device=tokens.device).unsqueeze(1) * width
        self.tokens, self.state = tokens.flatten(), step.state.select(first + parents)
        self.length += 1

    def _collect(
        self,
        candidates: Tensor,
        parents: Tensor,
        tokens: Tensor,
        weights: np.ndarray | None,
        is_last: np.ndarray,
        wants_end: np.ndarray,
    ) -> None:
        ended = (tokens == END) & candidates.isfinite()
        ended[:, self.size :] = False
        log_probs, places = candidates.cpu().numpy(), parents.cpu().numpy()
        for row, column in np.argwhere(ended.cpu().numpy()):
            log_prob, place = float(log_probs[row, column]), int(places[row, column])
            look = None if weights is None else weights[row, place]
            is_complete = bool(wants_end[row, place] or not is_last[row])
            rank = log_prob / (self.length + 1) ** self.power
            end = _Finished(rank, -self.length, -place, look, log_prob, is_complete)
            source = self.sources[row]
            self.found[source].append(end)
            worst = self.ranks[source].argmin()
            self.ranks[source, worst] = max(rank, self.ranks[source, worst])

    def _drop_done(self) -> None:
        best_living = self.log_probs[:, 0].cpu().numpy() / self.length**self.power
        worst = self.ranks[self.sources].min(1)
        # Without an ending there is nothing worse than the worst: minus infinity goes on.
        is_going = (best_living > worst) & (best_living > -np.inf)
        if is_going.all():
            return
        self.sources = self.sources[is_going]
        width = self.log_probs.shape[1]
        rows = torch.from_numpy(np.flatnonzero(is_going)).to(self.limits.device)
        self.limits, self.log_probs = self.limits[rows], self.log_probs[rows]
        self.may_be_unknown = self.may_be_unknown[rows]
        each = rows.unsqueeze(1) * width + torch.arange(width, device=rows.device)
        self.tokens, self.state = self.tokens[each.flatten()], self.state.select(each)

    def _hypothesis(self, source: int, end: _Finished) -> Hypothesis:
        tokens, looks, place = [END], [end.token_weights], -end.place
        for trace in reversed(self.traces[: -end.step]):
            row = trace.rows[source]
            tokens.append(int(trace.tokens[row, place]))
            place = int(trace.parents[row, place])
            looks.append(None if trace.weights is None else trace.weights[row, place])
        looks.reverse()
        return Hypothesis(
            tuple(reversed(tokens)),
            end.log_prob,
            np.stack([look for look in looks if look is not None])
            if looks[0] is not None
            else None,
            end.is_complete,
        )
