"""One of the models of a training: what it takes, and what is heard of it."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from regard.errors import CheckpointError
from regard.model import DAMAGE, ModelSettings, Saved, Seq2Seq, Vocabularies, build, first_line
from regard.predictor import Predictor
from regard.text import BatchMaker, Pair
from regard.training.config import TrainingSettings
from regard.training.latest import Latest
from regard.training.stopping import Wish
from regard.training.trainer import Progress, Trainer


@dataclass(frozen=True)
class Task:
    """All that training one model takes.

    Attributes:
        index: Which of the models it is, from zero.
        settings: The model's.
        training: How to train it, with a seed and minutes of its own.
        vocabularies: Its symbols.
        maker: Cuts batches out of the training data.
        dev: What it is judged by.
        state: Where to go on; from the beginning, if None.
        save_every: Seconds between two states that are heard of.
        teacher: A model to learn from beside the targets, if there is one.
    """

    index: int
    settings: ModelSettings
    training: TrainingSettings
    vocabularies: Vocabularies
    maker: BatchMaker
    dev: list[Pair]
    state: Latest | None = None
    save_every: float = math.inf
    teacher: Seq2Seq | None = None


@dataclass(frozen=True)
class Report:
    """What is heard of the training of one model.

    Attributes:
        index: Which of the models it is.
        progress: After an update, how far it is.
        state: Now and then, and at the end, all that is needed to go on from here.
    """

    index: int
    progress: Progress | None
    state: Latest | None


def course(task: Task, wish: Wish) -> Iterator[Report]:
    """Train one model, to the end or until somebody asks to stop.

    Args:
        task: Which, and how.
        wish: Is looked at after each update.

    Raises:
        CheckpointError: The state does not fit the model.
        RegardError: The loss is no number.
    """
    torch.manual_seed(task.training.seed)
    model = build(task.settings, task.vocabularies)
    predictor = Predictor(Saved(task.settings, task.vocabularies, model))
    trainer = Trainer(
        model,
        task.maker,
        settings=task.training,
        evaluate=lambda: predictor.evaluate(task.dev, resamples=0),
        teacher=task.teacher,
    )
    if task.state is not None:
        try:
            trainer.resume(task.state)
        except DAMAGE as error:
            raise CheckpointError(
                f"the saved training does not fit its model: {first_line(error)}. Begin anew."
            ) from None
    told_at = time.monotonic()
    for progress in trainer.run():
        is_finished = trainer.position.is_finished
        is_due = progress.dev is not None and time.monotonic() - told_at > task.save_every
        state = trainer.latest() if is_due or is_finished else None
        told_at = told_at if state is None else time.monotonic()
        yield Report(task.index, progress, state)
        if wish.signal_number is not None and not is_finished:
            yield Report(task.index, None, trainer.latest())
            return
