"""One call from files to a model folder."""

import hashlib
import json
import math
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path

from torch import Tensor

from regard.errors import CheckpointError, RegardError, SettingsError, StoppedError
from regard.evaluation import Evaluation
from regard.model import (
    Saved,
    build,
    joined,
    load_model,
    restored,
    save_model,
    update_model,
)
from regard.precision import device_of
from regard.predictor import Predictor
from regard.training.abreast import abreast, at_once
from regard.training.card import model_card
from regard.training.config import RunSettings
from regard.training.folder import refuse_taken, resumed_settings
from regard.training.latest import Latest, States, load_latest, save_latest
from regard.training.member import Report, Task, course
from regard.training.outlook import Outlook
from regard.training.prepare import Chosen, Prepared, prepare
from regard.training.sources import Data, Reading, Split, pairs_from, split
from regard.training.stopping import Wish, listening
from regard.training.trainer import Progress

SAVE_EVERY = 20.0
"""Seconds between two saves of what resuming needs."""

Listener = Callable[[Reading | Chosen | Progress | Evaluation], None]
"""Is told how far reading is, where that takes long, and what was chosen; then of
each update, at last how the best model scores."""


def train(
    train: Data,
    dev: Data | None = None,
    *,
    output: str | Path | None = None,
    settings: RunSettings | None = None,
    resume: bool = False,
    overwrite: bool = False,
    command: str | None = None,
    listen: Listener | None = None,
) -> Predictor:
    """Train a model on pairs of strings. No settings are needed.

    Args:
        train: A file of pairs, a list of them as `Path` objects, or
            (source, target[, tags]) rows.
        dev: Pairs that training is judged by; without them a fixed tenth of
            `train`, at most 1,000 sources or 2,000 pairs, is held out.
        output: The model folder to write; none, if None.
        settings: What differs from the defaults.
        resume: Go on with the training that `output` holds.
        overwrite: Whether a model in `output` may be replaced.
        command: The command line, for the model's card.
        listen: Is told what was chosen, of each update, and of the final scores.

    Returns:
        The model with the best dev score.

    Raises:
        DataError: The data is not as expected.
        SettingsError: The settings contradict each other.
        CheckpointError: The folder is taken, cannot be written, or holds
            nothing to resume.
        StoppedError: Ctrl-C or SIGTERM came; what was learnt is saved in `output`.
        KeyboardInterrupt: One of them came, and there is no `output` to save in.

    Examples:
        >>> pairs = [(word, word[::-1]) for word in ("ab", "ba", "abb", "bab")] * 5
        >>> from regard.training import RunSettings
        >>> settings = RunSettings.of({"training": {"epochs": 1}})
        >>> predictor = train(pairs, dev=pairs[:4], settings=settings)
        >>> predictor.predict("ab").source
        'ab'
    """
    settings = RunSettings() if settings is None else settings
    if settings.members != 1:
        raise SettingsError("members is set by training: ask for training.seeds instead.")
    folder = None if output is None else Path(output)
    if resume:
        settings = resumed_settings(folder, settings)
    elif folder is not None:
        refuse_taken(folder, overwrite)
    columns = settings.text.layout()
    judge = None if dev is None else pairs_from(dev, columns)
    parts = split(pairs_from(train, columns).told(listen), judge)
    prepared = prepare(parts, settings, is_settled=resume, beside=folder)
    run = _Run(prepared, parts, folder, command)
    if resume:
        assert folder is not None
        run.resume(folder, load_latest(folder))
    if listen is not None:
        listen(run.chosen())
    with listening() as wish:
        run.go(wish, listen)
    return Predictor(run.saved())


class _Run:
    """A training and the folder that it fills.

    It trains its models one after the other or abreast, each from a seed of its own;
    what is saved is all of them together, or the one that learnt from all of them.
    """

    def __init__(
        self, prepared: Prepared, parts: Split, folder: Path | None, command: str | None
    ) -> None:
        self.prepared, self.parts, self.folder = prepared, parts, folder
        self.command = command or "regard.train(...)"
        training, settings = prepared.settings.training, prepared.settings.model_settings()
        self.count = training.seeds + training.distill
        self.at_once = at_once(prepared)
        self.device = device_of(training.device)
        identity = f"{prepared.data} {parts.judge()} {prepared.settings.without_store().to_toml()}"
        self.fingerprint = hashlib.sha256(identity.encode()).hexdigest()
        self.states: dict[int, Latest] = {}
        self.turns = math.ceil(training.seeds / self.at_once) + training.distill
        self.outlook = Outlook(training.seeds, self.at_once, distills=training.distill)
        self.saved_at, self.saved_members = time.monotonic(), 0
        self.evaluation: Evaluation | None = None
        model = build(settings, prepared.vocabularies)
        self.parameters = sum(parameter.numel() for parameter in model.parameters())
        Predictor(Saved(settings, prepared.vocabularies, model)).check(parts.dev)

    def chosen(self) -> Chosen:
        """What this training was found to be."""
        prepared = self.prepared
        return Chosen(
            prepared.settings,
            prepared.vocabularies,
            prepared.pairs,
            len(self.parts.dev),
            self.parameters,
            self.parts.doubts(),
            prepared.store,
            self.at_once,
        )

    def resume(self, folder: Path, states: States) -> None:
        """Go on from saved states, in the folder that holds them."""
        if (last := max(states.each, default=0)) >= self.count:
            raise CheckpointError(
                f"{folder}: has a model {last + 1} in training, where there are {self.count}: "
                "begin anew."
            )
        begun = load_model(folder)
        if states.fingerprint != self.fingerprint:
            raise RegardError(
                "the saved training belongs to other data or settings: resume with the same "
                "command, or begin anew."
            )
        if begun.vocabularies != self.prepared.vocabularies:
            raise CheckpointError(
                f"{folder}: began with other symbols or tags than this version reads in "
                "the same data: begin anew."
            )
        self.states, self.turns = states.each, states.turns
        self.saved_members = begun.settings.members
        self.outlook.finished(index for index in self.states if self._is_finished(index))

    def go(self, wish: Wish, listen: Listener | None) -> None:
        """Train to the end, or until somebody asks to stop."""
        seeds = self.prepared.settings.training.seeds
        for stage in (range(seeds), range(seeds, self.count)):
            left = [self._task(index) for index in stage if not self._is_finished(index)]
            self._train(left, wish, listen)
        self.evaluation = evaluation = Predictor(self.saved()).evaluate(self.parts.dev)
        self.save()
        if listen is not None:
            listen(evaluation)

    def save(self) -> None:
        """Write the best model so far, and what resuming needs."""
        if self.folder is None:
            return
        saved, states = self.saved(), States(self.states, self.turns, self.fingerprint)
        if saved.settings.members == self.saved_members:
            update_model(self.folder, saved)
            save_latest(self.folder, states)
        else:
            save_model(self.folder, saved, fill=lambda folder: save_latest(folder, states))
            self.saved_members = saved.settings.members
        self.saved_at = time.monotonic()

    def saved(self) -> Saved:
        """The best model so far, and all that is known of it."""
        prepared, members = self.prepared, self._members()
        settings = prepared.settings
        own = settings.model_settings(len(members))
        model = restored(own, prepared.vocabularies, joined(members))
        training = settings.training.to_table() | {
            "data": prepared.data,
            "train": self.parts.train.name,
            "train_pairs": prepared.pairs,
            "dev_pairs": len(self.parts.dev),
        }
        lines = [line for _, state in sorted(self.states.items()) for line in state.position.log]
        if self.evaluation is not None:
            lines.append(json.dumps({"dev": self.evaluation.to_table()}))
        log = "".join(f"{line}\n" for line in lines)
        size = sum(parameter.numel() for parameter in model.parameters())
        about = training | {"command": self.command}
        card = model_card(settings, about, size, log, self.evaluation)
        return Saved(own, prepared.vocabularies, model.to(self.device), training, log, card)

    def _members(self) -> list[dict[str, Tensor]]:
        """The best parameters so far of the models that write together."""
        seeds = self.prepared.settings.training.seeds
        if self._is_finished(seeds):
            # The one that learnt from all others stands for them.
            return [self.states[seeds].part("best")]
        states = [self.states[index] for index in range(seeds) if index in self.states]
        best = [part for state in states if (part := state.part("best"))]
        return best or [states[0].part("model")]

    def _is_finished(self, index: int) -> bool:
        return index in self.states and self.states[index].position.is_finished

    def _task(self, index: int) -> Task:
        prepared, training = self.prepared, self.prepared.settings.training
        own = {
            "seed": training.seed + index,
            "minutes": training.minutes and training.minutes / self.turns,
        }
        return Task(
            index,
            prepared.settings.model_settings(),
            training.model_copy(update=own),
            prepared.vocabularies,
            prepared.maker,
            self.parts.dev,
            self.states.get(index),
            math.inf if self.folder is None else SAVE_EVERY,
            self.saved().model if index == training.seeds else None,
        )

    def _train(self, tasks: Sequence[Task], wish: Wish, listen: Listener | None) -> None:
        is_unsaved = False
        # Closed whatever happens, for processes may be at work behind it.
        with closing(self._reports(tasks, wish)) as reports:
            for report in reports:
                if report.state is not None:
                    self.states[report.index], is_unsaved = report.state, True
                if report.progress is not None and listen is not None:
                    is_finished = self._is_finished(report.index)
                    listen(
                        self.outlook.whole(report.index, report.progress, is_finished=is_finished)
                    )
                is_due = time.monotonic() - self.saved_at > SAVE_EVERY
                if is_unsaved and is_due and wish.signal_number is None:
                    self.save()
                    is_unsaved = False
        if wish.signal_number is not None:
            self._stop(wish.signal_number)

    def _reports(self, tasks: Sequence[Task], wish: Wish) -> Generator[Report]:
        # One that is left of several has as many threads as it would have had beside them.
        if self.at_once > 1 and not any(task.teacher for task in tasks):
            yield from abreast(tasks, self.at_once, wish)
            return
        for task in tasks:
            if wish.signal_number is None:
                yield from course(task, wish)

    def _stop(self, signal_number: int) -> None:
        if self.folder is None or not self.states:
            raise KeyboardInterrupt
        self.save()
        # Only the command that trains can be told to go on; `regard demo`, say, cannot.
        is_typed = " train " in f" {self.command} "
        again = f"regard.train(..., output={str(self.folder)!r}, resume=True)"
        raise StoppedError(
            f"stopped after {self._updates()}; saved in {self.folder}. "
            f"Go on with: {f'{self.command} --resume' if is_typed else again}",
            signal_number,
        )

    def _updates(self) -> str:
        each = [
            f"update {state.position.update}" + (f" of model {index + 1}" if self.count > 1 else "")
            for index, state in sorted(self.states.items())
            if not state.position.is_finished
        ]
        return " and ".join(each) or "the last update"
