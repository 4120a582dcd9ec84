"""How far a training of several models is, and how long it will take."""

import math
from collections.abc import Iterable
from dataclasses import replace

from regard.training.trainer import Progress


class Outlook:
    """Sees the progress of one model as that of the whole.

    Args:
        count: How many models there are.
        at_once: How many train at the same time.
    """

    def __init__(self, count: int, at_once: int) -> None:
        self.count, self.at_once = count, at_once
        self.done: dict[int, float] = {}
        self.seconds_each = math.inf

    def finished(self, models: Iterable[int]) -> None:
        """Count models that were done before."""
        self.done |= dict.fromkeys(models, 1.0)

    def whole(self, index: int, progress: Progress) -> Progress:
        """What the progress of one model, by its number from zero, is for all of them."""
        self.done[index] = progress.done
        done = sum(self.done.values()) / self.count
        if progress.done < 1:
            self.seconds_each = progress.seconds_left / (1 - progress.done)
        left = self.seconds_each * self.count * (1 - done) / self.at_once if done < 1 else 0.0
        return replace(progress, member=index + 1, members=self.count, done=done, seconds_left=left)
