"""Position use: erase where the decoder looked, and see what is left.

    weights'_r = weights_r / (1 - weights_s) for r other than s, weights'_s = 0
    effect_ts  = log p(y_t | context) - log p(y_t | sum over r of weights'_r value_r)

The decoder's state is held fixed: nothing is read or written anew, only the
output layer is asked again, once for each erased position. Where symbols and
tags are blocks of their own, a position's weight goes to the others of its block
(see `regard.attention.blocks`); uniform and permuted weights know no blocks. With input feeding
or several layers this is the effect of one step in the last layer alone. In
every head (and every member of an ensemble) the position is erased together;
apart, each head is asked for itself.

Serrano and Smith (2019), arXiv:1906.03731; uniform and permuted weights as
controls: Moradi, Kambhatla and Sarkar (2019), doi:10.18653/v1/D19-5624.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.alignment import strongest_of
from regard.attention import renormalize
from regard.decoder import Decoded, Decoder, State
from regard.encoder import Encoding
from regard.inspection.config import InspectionSettings

_ROOM = 2**23
"""How many numbers may be held at once."""


@dataclass(frozen=True, eq=False)
class Erasure:
    """What erasing showed of one pair; rows are target symbols, columns open positions.

    Attributes:
        log_probs: Of each target symbol, nothing erased.
        weights: The map.
        effects: Of erasing a position, in nats.
        uniform: Of looking everywhere alike.
        permuted: The median over permutations.
        keeps_uniform: Whether the likeliest symbol stays the same, looking everywhere alike.
        keeps_permuted: The share of permutations under which it does.
        keeps_erased: Whether it does with the strongest position erased.
        heads: The map of each head.
        head_effects: Of erasing a position in that head alone; empty if not asked for.
        blocks: How many of the columns share a distribution, one block after the other.
    """

    log_probs: Float[np.ndarray, " target"]
    weights: Float[np.ndarray, "target source"]
    effects: Float[np.ndarray, "target source"]
    uniform: Float[np.ndarray, " target"]
    permuted: Float[np.ndarray, " target"]
    keeps_uniform: Bool[np.ndarray, " target"]
    keeps_permuted: Float[np.ndarray, " target"]
    keeps_erased: Bool[np.ndarray, " target"]
    heads: Float[np.ndarray, "heads target source"]
    head_effects: Float[np.ndarray, "apart target source"]
    blocks: tuple[int, ...] = ()


@torch.no_grad()
def erase(
    decoder: Decoder,
    encoding: Encoding,
    inputs: Int[Tensor, "batch target"],
    target: Int[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
    *,
    settings: InspectionSettings,
    numbers: list[int],
    is_apart: bool = False,
) -> list[Erasure]:
    """Test where the decoder looks while it writes given targets.

    Args:
        decoder: A decoder that looks back.
        encoding: The sources.
        inputs: The start symbol and the target.
        target: The target and the end symbol.
        mask: True where `target` has a symbol.
        settings: How.
        numbers: Of the pairs in their file: permutations depend on nothing else.
        is_apart: Whether each head is asked for itself as well.
    """
    decoded = decoder(inputs, encoding)
    assert decoded.weights is not None
    assert decoded.heads is not None
    asked = _Asked(decoder, decoder.start(encoding), decoded, target)
    opened, heads, widths = encoding.mask, decoded.heads, decoder.blocks(encoding)
    base = asked.judge(decoded.logits.float().log_softmax(-1))
    log_probs = base.log_probs.unsqueeze(-1)
    together = asked.each(_erased(heads, opened, widths, None))
    alone = range(heads.shape[2] if is_apart and heads.shape[2] > 1 else 0)
    uniform = asked.each(iter([_even(opened)[:, None, None].expand_as(heads)]))
    permuted = asked.each(_permuted(heads, opened, mask.sum(1).tolist(), settings, numbers))
    each_alone = [
        log_probs - asked.each(_erased(heads, opened, widths, head)).log_probs for head in alone
    ]
    parts = _Parts(
        base.log_probs,
        decoded.weights,
        log_probs - together.log_probs,
        base.log_probs - uniform.log_probs.squeeze(-1),
        base.log_probs - permuted.log_probs.quantile(0.5, -1),
        uniform.best.squeeze(-1) == base.best,
        (permuted.best == base.best.unsqueeze(-1)).float().mean(-1),
        together.best == base.best.unsqueeze(-1),
        heads.transpose(1, 2),
        each_alone,
        widths,
    )
    return [parts.of(row, opened[row], int(mask[row].sum())) for row in range(len(mask))]


def _even(opened: Tensor) -> Tensor:
    return opened / opened.sum(-1, keepdim=True).clamp(min=1)


@dataclass(frozen=True)
class _Judged:
    log_probs: Tensor
    best: Tensor


@dataclass(frozen=True)
class _Asked:
    """The output layer, asked again with other weights.

    Attributes:
        decoder: The decoder.
        state: What it started from.
        decoded: What it made of the target; its state at each step is held fixed.
        target: What it wrote.
    """

    decoder: Decoder
    state: State
    decoded: Decoded
    target: Tensor

    def judge(self, log_probs: Tensor) -> _Judged:
        """How likely the target is, and what is likeliest."""
        target = (
            self.target
            if log_probs.ndim == 3
            else self.target.unsqueeze(-1).expand(log_probs.shape[:-1])
        )
        own = log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
        return _Judged(own, log_probs.argmax(-1))

    def each(self, variants: Iterator[Tensor]) -> _Judged:
        """Ask with each variant of the weights; the last axis of the answer is the variant."""
        found = [self._ask(torch.stack(group, 2)) for group in self._groups(variants)]
        return _Judged(
            torch.cat([one.log_probs for one in found], -1),
            torch.cat([one.best for one in found], -1),
        )

    def _groups(self, variants: Iterator[Tensor]) -> Iterator[list[Tensor]]:
        # How many numbers one more variant needs, beside its weights.
        own = self.decoded.logits.numel() + 4 * self.decoded.hidden.numel()
        group: list[Tensor] = []
        size = 0
        for weights in variants:
            size = size or max(1, _ROOM // (weights.numel() + own))
            group.append(weights)
            if len(group) == size:
                yield group
                group = []
        if group:
            yield group

    def _ask(self, weights: Tensor) -> _Judged:
        # (batch, target, variant, heads, source)
        contexts = self.decoder.contexts(weights.flatten(1, 2), self.state)
        contexts = contexts.unflatten(1, weights.shape[1:3])
        hidden = self.decoded.hidden.unsqueeze(2).expand(-1, -1, weights.shape[2], -1)
        return self.judge(self.decoder.logits(hidden, contexts).float().log_softmax(-1))


def _erased(heads: Tensor, opened: Tensor, widths: list[int], only: int | None) -> Iterator[Tensor]:
    """The weights with one position erased, for each position; in one head, or in all."""
    for position in range(heads.shape[-1]):
        left = opened.clone()
        left[:, position] = False
        kept = renormalize(heads, left[:, None, None], widths)
        if only is None:
            yield kept
        else:
            yield torch.cat(
                [heads[:, :, :only], kept[:, :, only : only + 1], heads[:, :, only + 1 :]], 2
            )


def _permuted(
    heads: Tensor,
    opened: Tensor,
    lengths: list[int],
    settings: InspectionSettings,
    numbers: list[int],
) -> Iterator[Tensor]:
    chances = [np.random.default_rng([settings.seed, number]) for number in numbers]
    places = [row.nonzero().squeeze(-1).cpu() for row in opened]
    for _ in range(settings.permutations):
        order = torch.arange(heads.shape[-1]).repeat(len(heads), heads.shape[1], 1)
        for row, (chance, length) in enumerate(zip(chances, lengths, strict=True)):
            tiled = np.tile(np.arange(len(places[row])), (length, 1))
            shuffled = torch.from_numpy(chance.permuted(tiled, axis=1))
            order[row, :length, places[row]] = places[row][shuffled]
        index = order.to(heads.device).unsqueeze(2).expand_as(heads)
        yield heads.gather(-1, index)


@dataclass(frozen=True)
class _Parts:
    log_probs: Tensor
    weights: Tensor
    effects: Tensor
    uniform: Tensor
    permuted: Tensor
    keeps_uniform: Tensor
    keeps_permuted: Tensor
    keeps_erased: Tensor
    heads: Tensor
    head_effects: list[Tensor]
    widths: list[int]

    def of(self, row: int, opened: Tensor, length: int) -> Erasure:
        """The part of one pair, without padding."""

        def rows(part: Tensor) -> np.ndarray:
            return part[row, :length].cpu().numpy()

        weights, effects, keeps = (
            rows(part[..., opened]) for part in (self.weights, self.effects, self.keeps_erased)
        )
        counts = (int(block.sum()) for block in opened.split(self.widths))
        blocks = tuple(count for count in counts if count)
        strongest = strongest_of(weights, effects, blocks)
        return Erasure(
            rows(self.log_probs),
            weights,
            effects,
            rows(self.uniform),
            rows(self.permuted),
            rows(self.keeps_uniform),
            rows(self.keeps_permuted),
            np.take_along_axis(keeps, strongest[:, None], 1)[:, 0],
            self.heads[row, :, :length][..., opened].cpu().numpy(),
            np.array(
                [rows(effects[..., opened]) for effects in self.head_effects], np.float32
            ).reshape(-1, length, int(opened.sum())),
            blocks,
        )
