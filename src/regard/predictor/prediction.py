"""What a model makes of a source, as records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from regard.alignment import Alignment, Label

CountListener = Callable[[int, int], None]
"""Is told how many are done, and of how many."""


@dataclass(frozen=True)
class Unseen:
    """A symbol that training never saw.

    Attributes:
        symbol: The symbol, or a tag.
        start: Where it begins in the source; None for a tag.
        end: One past its last character; None for a tag.
    """

    symbol: str
    start: int | None
    end: int | None


@dataclass(frozen=True)
class Candidate:
    """One way to write the target.

    Attributes:
        text: The target.
        log_prob: The sum of its symbols' log-probabilities.
        is_complete: False where the length limit ended it.
        draw: Makes its alignment.
    """

    text: str
    log_prob: float
    is_complete: bool
    draw: Callable[[], Alignment | None] = field(repr=False, compare=False)

    @cached_property
    def alignment(self) -> Alignment | None:
        """Where the decoder looked; None if the model never looks back.

        It is made when somebody asks for it, for most never do.
        """
        return self.draw()


@dataclass(frozen=True)
class Prediction:
    """What a model makes of a source.

    Attributes:
        source: The source, as it was given.
        candidates: The best targets, best first, all different; more than one
            with `n_best`.
        unseen: The source's symbols that training never saw.
    """

    source: str
    candidates: tuple[Candidate, ...]
    unseen: tuple[Unseen, ...] = ()

    @property
    def text(self) -> str:
        """The best target."""
        return self.candidates[0].text

    @property
    def log_prob(self) -> float:
        """The sum of the log-probabilities of its symbols, the end symbol included."""
        return self.candidates[0].log_prob

    @property
    def alignment(self) -> Alignment | None:
        """Where the decoder looked while writing it; None if it never looks back."""
        return self.candidates[0].alignment

    @property
    def is_complete(self) -> bool:
        """False where the length limit ended it."""
        return self.candidates[0].is_complete

    def with_alignment(self, alignment: Alignment) -> "Prediction":
        """The same, the best target's alignment being another record of the same look."""
        best = replace(self.candidates[0], draw=lambda: alignment)
        return replace(self, candidates=(best, *self.candidates[1:]))


@dataclass(frozen=True)
class LookedUp:
    """One step in numbers: score, normalise, mix, write.

    Attributes:
        source: The positions' labels.
        mask: Which of them may be looked at.
        scores: Before normalising, a row a head.
        weights: After normalising; the mean of the heads. With tags apart, symbols
            and tags are normalised each alone, and get half of the row.
        context: The mixture of the values.
        written: The symbol that was written.
        likeliest: The likeliest next symbols and their probabilities.
        chances: The probability of every symbol that can be written, by its id.
    """

    source: tuple[Label, ...]
    mask: tuple[bool, ...]
    scores: Float[np.ndarray, "looks source"]
    weights: Float[np.ndarray, " source"]
    context: Float[np.ndarray, " context"]
    written: str
    likeliest: tuple[tuple[str, float], ...]
    chances: Float[np.ndarray, " vocabulary"]


@dataclass(frozen=True)
class Change:
    """Other weights for one step, to see what would be written.

    Attributes:
        erased: Positions that get none; the others keep their ratios. Where symbols
            and tags have each a distribution of their own, theirs goes to the others
            of their kind.
        moved: Positions that get just so much; the others share the rest in
            their ratios.
    """

    erased: tuple[int, ...] = ()
    moved: Mapping[int, float] = field(default_factory=dict[int, float])
