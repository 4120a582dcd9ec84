"""One call from files to a model folder."""

import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from regard.errors import CheckpointError, SettingsError, StoppedError
from regard.evaluation import Evaluation
from regard.model import (
    Saved,
    Seq2Seq,
    Vocabularies,
    build,
    load_model,
    recover,
    save_model,
    update_model,
)
from regard.predictor import Predictor
from regard.text import BatchMaker, Corpus, Pair, Tokens
from regard.training.card import model_card
from regard.training.choices import HEAD, choose_sizes, choose_symbols, survey
from regard.training.config import RunSettings, TrainingSettings
from regard.training.latest import Latest, load_latest, save_latest
from regard.training.sources import Data, Split, pairs_from, split
from regard.training.stopping import Wish, listening
from regard.training.trainer import Progress, Trainer

SAVE_EVERY = 20.0
"""Seconds between two saves of what resuming needs."""


@dataclass(frozen=True)
class Chosen:
    """What a run was found to be, before it begins.

    Attributes:
        settings: All settings, none left open.
        vocabularies: The symbols.
        train_pairs: How many pairs are trained on.
        dev_pairs: How many judge it.
        parameters: How many numbers are learnt.
    """

    settings: RunSettings
    vocabularies: Vocabularies
    train_pairs: int
    dev_pairs: int
    parameters: int


Listener = Callable[[Chosen | Progress | Evaluation], None]
"""Is told what was chosen, then of each update, at last how the best model scores."""


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
        train: A file of pairs, or (source, target[, tags]) rows.
        dev: Pairs that training is judged by; without them a fixed tenth of
            `train`, at most 1,000 sources, is held out.
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
        StoppedError: Ctrl-C or SIGTERM came; what was learnt is saved.

    Example:
        >>> pairs = [(word, word[::-1]) for word in ("ab", "ba", "abb", "bab")] * 5
        >>> from regard.training import RunSettings
        >>> settings = RunSettings.of({"training": {"epochs": 1}})
        >>> predictor = train(pairs, dev=pairs[:4], settings=settings)
        >>> predictor.predict("ab").source
        'ab'
    """
    settings = RunSettings() if settings is None else settings
    folder = None if output is None else Path(output)
    if resume:
        settings = _settings_of(folder, settings)
    elif folder is not None:
        _refuse_taken(folder, overwrite)
    columns = settings.text.layout()
    parts = split(
        pairs_from(train, columns), None if dev is None else pairs_from(dev, columns)
    )  # fmt: skip
    run = _Run(_prepare(parts, settings, is_settled=resume), parts, folder, command)
    if resume:
        assert folder is not None
        run.resume(load_latest(folder))
    if listen is not None:
        listen(run.chosen)
    with listening() as wish:
        run.go(wish, listen)
    return Predictor(run.saved())


@dataclass(frozen=True)
class _Prepared:
    chosen: Chosen
    model: Seq2Seq
    maker: BatchMaker
    data: str


def _prepare(parts: Split, settings: RunSettings, *, is_settled: bool) -> _Prepared:
    if not is_settled:
        settings = choose_symbols(settings, parts.train.head(HEAD))
    found = survey(settings, parts.train.again(), parts.train.name)
    if not is_settled:
        settings = choose_sizes(settings, found)
    known = found.vocabularies()
    corpus = Corpus.of(encoded(settings, known, parts.train.again()))
    torch.manual_seed(settings.training.seed)
    model = build(settings.model_settings(), known)
    size = sum(parameter.numel() for parameter in model.parameters())
    chosen = Chosen(settings, known, found.pairs, len(parts.dev), size)
    maker = BatchMaker.of(corpus, known.source, known.target, known.tags)
    return _Prepared(chosen, model, maker, found.fingerprint)


class _Run:
    """A training and the folder that it fills."""

    def __init__(
        self, prepared: _Prepared, parts: Split, folder: Path | None, command: str | None
    ) -> None:
        self.chosen, self.folder = prepared.chosen, folder
        self.data, self.parts = prepared.data, parts
        self.command = command or "regard.train(...)"
        settings = self.chosen.settings
        self.model = prepared.model
        self.predictor = Predictor(
            Saved(settings.model_settings(), self.chosen.vocabularies, self.model)
        )
        identity = f"{self.data} {settings.to_toml()}"
        self.trainer = Trainer(
            self.model, prepared.maker, settings=settings.training,
            evaluate=lambda: self.predictor.evaluate(parts.dev, resamples=0),
            fingerprint=hashlib.sha256(identity.encode()).hexdigest(),
        )  # fmt: skip
        self.saved_at = time.monotonic()
        self.is_begun = False
        self.evaluation: Evaluation | None = None
        self.predictor.check(parts.dev)

    def resume(self, latest: Latest) -> None:
        """Go on from a saved state, in the folder that holds it."""
        self.trainer.resume(latest)
        self.is_begun = True

    def go(self, wish: Wish, listen: Listener | None) -> None:
        """Train to the end, or until somebody asks to stop."""
        for progress in self.trainer.run():
            if listen is not None:
                listen(progress)
            if wish.signal_number is not None:
                self._stop(wish.signal_number)
            if progress.dev is not None and time.monotonic() - self.saved_at > SAVE_EVERY:
                self.save()
        self._take_best()
        self.evaluation = evaluation = self.predictor.evaluate(self.parts.dev)
        last = json.dumps({"dev": evaluation.to_table()})
        if self.trainer.position.log[-1:] != [last]:
            self.trainer.position.log.append(last)
        self.save()
        if listen is not None:
            listen(evaluation)

    def save(self) -> None:
        """Write the best model so far, and what resuming needs."""
        if self.folder is None:
            return
        latest = self.trainer.latest()
        current = self.trainer.parameters()
        if self.trainer.best:
            self.model.load_state_dict(self.trainer.best)
        try:
            saved = self.saved()
            if self.is_begun:
                update_model(self.folder, saved)
            else:
                save_model(self.folder, saved)
                self.is_begun = True
        finally:
            self.model.load_state_dict(current)
        save_latest(self.folder, latest)
        self.saved_at = time.monotonic()

    def saved(self) -> Saved:
        """The model as it is now, and all that is known of it."""
        chosen = self.chosen
        training = chosen.settings.training.to_table() | {
            "data": self.data,
            "train": self.parts.train.name,
            "train_pairs": chosen.train_pairs,
            "dev_pairs": chosen.dev_pairs,
        }
        log = "".join(f"{line}\n" for line in self.trainer.position.log)
        about = training | {"command": self.command}
        card = model_card(chosen.settings, about, chosen.parameters, log, self.evaluation)
        return Saved(
            chosen.settings.model_settings(), chosen.vocabularies, self.model.eval(), training,
            log, card,
        )  # fmt: skip

    def _stop(self, signal_number: int) -> None:
        if self.folder is None:
            raise KeyboardInterrupt
        self.save()
        raise StoppedError(
            f"stopped after update {self.trainer.position.update}; saved in {self.folder}. "
            f"Go on with: {self.command} --resume", signal_number,
        )  # fmt: skip

    def _take_best(self) -> None:
        if self.trainer.best:
            self.model.load_state_dict(self.trainer.best)
        self.model.eval()


def encoded(settings: RunSettings, known: Vocabularies, pairs: Iterable[Pair]) -> Iterator[Tokens]:
    """Pairs as ids, one at a time."""
    source, target = settings.text.source.segmenter(), settings.text.target.segmenter()
    for pair in pairs:
        yield Tokens(
            known.source.encode(source.texts(pair.source)),
            known.target.encode(target.texts(pair.target)),
            [] if known.tags is None else known.tags.encode(pair.tags),
        )


def _settings_of(folder: Path | None, asked: RunSettings) -> RunSettings:
    if folder is None:
        raise SettingsError("resuming needs the model folder: give it as output (-o).")
    recover(folder)
    saved = load_model(folder)
    names = TrainingSettings.model_fields
    training = {name: value for name, value in saved.training.items() if name in names}
    settings = RunSettings.of(saved.settings.to_table() | {"training": training})
    stored, usual = settings.flat(), RunSettings().flat()
    for name, value in asked.flat().items():
        if value not in (usual.get(name), stored.get(name)):
            raise SettingsError(
                f"{name} is {value!r}, but this training began with {stored.get(name)!r}: it cannot "
                "be resumed with other settings. Train anew with --overwrite, or under another name."
            )
    return settings


def _refuse_taken(folder: Path, overwrite: bool) -> None:
    recover(folder)
    if folder.exists() and not folder.is_dir():
        raise CheckpointError(f"{folder}: expected a folder, found a file.")
    if folder.is_dir() and any(folder.iterdir()) and not overwrite:
        raise CheckpointError(
            f"{folder}: holds a model or other files already. Choose another name with -o, go on "
            "with --resume, or replace it with --overwrite."
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder.parent):
            pass
    except OSError as error:
        raise CheckpointError(f"{folder}: cannot be written: {error.strerror}.") from None
