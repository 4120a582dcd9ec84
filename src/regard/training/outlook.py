"""How far a training of several models is, and how long it will take."""

import math
from collections.abc import Iterable
from dataclasses import replace

from regard.training.trainer import Progress


class Outlook:
    """Sees the progress of one model as that of the whole.

    Args:
        seeds: How many models are trained each by itself.
        at_once: How many of them at the same time.
        distills: Whether one more follows, which learns from them.
    """

    def __init__(self, seeds: int, at_once: int, *, distills: bool = False) -> None:
        self.seeds, self.at_once = seeds, at_once
        self.count = seeds + distills
        self.done: dict[int, float] = {}
        self.left: dict[int, float] = {}
        self.each = math.inf

    def finished(self, models: Iterable[int]) -> None:
        """Count models that were done before."""
        for index in models:
            self.done[index], self.left[index] = 1.0, 0.0

    def whole(self, index: int, progress: Progress, *, is_finished: bool) -> Progress:
        """What the progress of one model is for all of them.

        Args:
            index: Which model, from zero.
            progress: Its own.
            is_finished: Whether this was its last update, though its course may have been longer.
        """
        if progress.done < 1:
            self.each = progress.seconds_left / (1 - progress.done)
        self.done[index] = 1.0 if is_finished else progress.done
        self.left[index] = 0.0 if is_finished else progress.seconds_left
        waiting = sum(model not in self.done for model in range(self.seeds))
        turns = math.ceil(waiting / self.at_once) + (
            self.count > self.seeds and self.seeds not in self.done
        )
        return replace(
            progress,
            member=index + 1,
            members=self.count,
            done=sum(self.done.values()) / self.count,
            seconds_left=max(self.left.values()) + (turns * self.each if turns else 0.0),
        )
