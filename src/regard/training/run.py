"""One call from files to a model folder."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from regard.errors import CheckpointError, SettingsError, StoppedError
from regard.evaluation import Evaluation
from regard.model import (
    DAMAGE,
    Saved,
    Seq2Seq,
    build,
    first_line,
    joined,
    load_model,
    restored,
    save_model,
    update_model,
)
from regard.predictor import Predictor
from regard.training.card import model_card
from regard.training.config import RunSettings
from regard.training.folder import refuse_taken, resumed_settings
from regard.training.latest import Latest, Position, load_latest, save_latest
from regard.training.prepare import Chosen, Prepared, prepare
from regard.training.sources import Data, Reading, Split, pairs_from, split
from regard.training.stopping import Wish, listening
from regard.training.trainer import Progress, Trainer

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


@dataclass(frozen=True)
class _Member:
    """One of the models of a training, and what trains it."""

    model: Seq2Seq
    predictor: Predictor
    trainer: Trainer


class _Run:
    """A training and the folder that it fills.

    It trains one model after the other, each from a seed of its own; what is
    saved is all of them together, or the one that learnt from all of them.
    """

    def __init__(
        self, prepared: Prepared, parts: Split, folder: Path | None, command: str | None
    ) -> None:
        self.prepared, self.parts, self.folder = prepared, parts, folder
        self.command = command or "regard.train(...)"
        training = prepared.settings.training
        self.count = training.seeds + training.distill
        self.trained: list[dict[str, Tensor]] = []
        self.now = self._member(Position())
        self.saved_at, self.saved_members = time.monotonic(), 0
        self.evaluation: Evaluation | None = None
        self.now.predictor.check(parts.dev)

    def chosen(self) -> Chosen:
        """What this training was found to be."""
        prepared = self.prepared
        return Chosen(
            prepared.settings,
            prepared.vocabularies,
            prepared.pairs,
            len(self.parts.dev),
            sum(parameter.numel() for parameter in self.now.model.parameters()),
            self.parts.doubts(),
            prepared.store,
        )

    def resume(self, folder: Path, latest: Latest) -> None:
        """Go on from a saved state, in the folder that holds it."""
        if latest.position.member >= self.count:
            raise CheckpointError(
                f"{folder}: has a model {latest.position.member + 1} in training, "
                f"where there are {self.count}: begin anew."
            )
        self.trained = [latest.part(f"trained-{index}") for index in range(latest.position.member)]
        begun = load_model(folder)
        is_same = latest.fingerprint == self.now.trainer.fingerprint
        if is_same and begun.vocabularies != self.prepared.vocabularies:
            raise CheckpointError(
                f"{folder}: began with other symbols or tags than this version reads in "
                "the same data: begin anew."
            )
        try:
            self.now = self._member(latest.position)
            self.now.trainer.resume(latest)
        except DAMAGE as error:
            raise CheckpointError(f"{folder}: cannot be resumed: {first_line(error)}.") from None
        self.saved_members = begun.settings.members

    def go(self, wish: Wish, listen: Listener | None) -> None:
        """Train to the end, or until somebody asks to stop."""
        self._train(wish, listen)
        while self.now.trainer.position.member + 1 < self.count:
            position = self.now.trainer.position
            self.trained.append(self.now.trainer.best)
            self.now = self._member(Position(member=position.member + 1, log=position.log))
            self._train(wish, listen)
        self.evaluation = evaluation = Predictor(self.saved()).evaluate(self.parts.dev)
        last, log = json.dumps({"dev": evaluation.to_table()}), self.now.trainer.position.log
        if log[-1:] != [last]:
            log.append(last)
        self.save()
        if listen is not None:
            listen(evaluation)

    def save(self) -> None:
        """Write the best model so far, and what resuming needs."""
        if self.folder is None:
            return
        saved, latest = self.saved(), self.now.trainer.latest()
        trained = {
            f"trained-{index}.{name}": tensor
            for index, member in enumerate(self.trained)
            for name, tensor in member.items()
        }
        latest = replace(latest, tensors=latest.tensors | trained)
        if saved.settings.members == self.saved_members:
            update_model(self.folder, saved)
            save_latest(self.folder, latest)
        else:
            save_model(self.folder, saved, fill=lambda folder: save_latest(folder, latest))
            self.saved_members = saved.settings.members
        self.saved_at = time.monotonic()

    def saved(self) -> Saved:
        """The best model so far, and all that is known of it."""
        prepared, members = self.prepared, self._members()
        settings, position = prepared.settings, self.now.trainer.position
        own = settings.model_settings(len(members))
        model = restored(own, prepared.vocabularies, joined(members))
        training = settings.training.to_table() | {
            "data": prepared.data,
            "train": self.parts.train.name,
            "train_pairs": prepared.pairs,
            "dev_pairs": len(self.parts.dev),
        }
        log = "".join(f"{line}\n" for line in position.log)
        size = sum(parameter.numel() for parameter in model.parameters())
        about = training | {"command": self.command}
        card = model_card(settings, about, size, log, self.evaluation)
        device = self.now.trainer.device
        return Saved(own, prepared.vocabularies, model.to(device), training, log, card)

    def _members(self) -> list[dict[str, Tensor]]:
        trainer = self.now.trainer
        if trainer.position.member == self.prepared.settings.training.seeds:
            # The one that learns from all others stands for them when it is done.
            return [trainer.best] if trainer.position.is_finished else self.trained
        best = [trainer.best] if trainer.best else []
        return [*self.trained, *best] or [trainer.parameters()]

    def _member(self, position: Position) -> _Member:
        prepared, settings = self.prepared, self.prepared.settings
        training = settings.training
        own = training.model_copy(
            update={
                "seed": training.seed + position.member,
                "minutes": training.minutes and training.minutes / self.count,
            }
        )
        torch.manual_seed(own.seed)
        model = build(settings.model_settings(), prepared.vocabularies)
        predictor = Predictor(Saved(settings.model_settings(), prepared.vocabularies, model))
        identity = f"{prepared.data} {self.parts.judge()} {settings.without_store().to_toml()}"
        trainer = Trainer(
            model,
            prepared.maker,
            settings=own,
            position=position,
            evaluate=lambda: predictor.evaluate(self.parts.dev, resamples=0),
            fingerprint=hashlib.sha256(identity.encode()).hexdigest(),
            teacher=self._teacher() if position.member == training.seeds else None,
        )
        return _Member(model, predictor, trainer)

    def _teacher(self) -> Seq2Seq:
        settings = self.prepared.settings.model_settings(len(self.trained))
        return restored(settings, self.prepared.vocabularies, joined(self.trained))

    def _train(self, wish: Wish, listen: Listener | None) -> None:
        trainer = self.now.trainer
        for progress in trainer.run():
            if listen is not None:
                listen(self._overall(progress))
            if wish.signal_number is not None:
                self._stop(wish.signal_number)
            if progress.dev is not None and time.monotonic() - self.saved_at > SAVE_EVERY:
                self.save()

    def _overall(self, progress: Progress) -> Progress:
        before = self.now.trainer.position.member
        each = self.now.trainer.seconds() + progress.seconds_left
        return replace(
            progress,
            member=before + 1,
            members=self.count,
            done=(before + progress.done) / self.count,
            seconds_left=progress.seconds_left + (self.count - before - 1) * each,
        )

    def _stop(self, signal_number: int) -> None:
        if self.folder is None:
            raise KeyboardInterrupt
        self.save()
        position = self.now.trainer.position
        of_which = f" of model {position.member + 1}" if self.count > 1 else ""
        # Only the command that trains can be told to go on; `regard demo`, say, cannot.
        is_typed = " train " in f" {self.command} "
        again = f"regard.train(..., output={str(self.folder)!r}, resume=True)"
        raise StoppedError(
            f"stopped after update {position.update}{of_which}; saved in {self.folder}. "
            f"Go on with: {f'{self.command} --resume' if is_typed else again}",
            signal_number,
        )
