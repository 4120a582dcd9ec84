"""What a person sees while training: what was chosen, a bar, and the scores."""

import math
import sys
import time
from pathlib import Path

from rich.progress import TextColumn

from regard.cli.words import bar, say
from regard.evaluation import Evaluation
from regard.model import ModelSettings
from regard.training import Chosen, Progress, Reading, RunSettings

_QUIET_SECONDS = 5.0


class Watch:
    """Listens to a training and tells a person, on standard error.

    Args:
        is_quiet: Whether nothing is told.
    """

    def __init__(self, *, is_quiet: bool) -> None:
        self.is_quiet = is_quiet
        self.bar = bar(TextColumn("{task.fields[scores]}"))
        self.task = self.bar.add_task("training", total=1.0, scores="")
        self.losses: dict[int, float] = {}
        self.errors: dict[int, float] = {}
        self.told_at = -math.inf
        self.final: Evaluation | None = None
        self.store: Path | None = None

    def __enter__(self) -> "Watch":
        if not self.is_quiet:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def __call__(self, news: Reading | Chosen | Progress | Evaluation) -> None:
        """Tell what is new; keep the final scores."""
        if isinstance(news, Evaluation):
            self.final = news
            return
        if self.is_quiet:
            return
        if isinstance(news, Reading):
            self._tell_reading(news)
            return
        if isinstance(news, Chosen):
            self.store = news.store
            self._tell("\n".join(described(news)))
            return
        loss = self.losses.get(news.member, news.loss)
        self.losses[news.member] = loss = 0.95 * loss + 0.05 * news.loss
        if news.dev is not None:
            self.errors[news.member] = 100 * news.dev.word_error_rate.value
            # A log keeps what is better, and a sign of life.
            is_due = news.is_best or time.monotonic() - self.told_at > _QUIET_SECONDS
            if not sys.stderr.isatty() and is_due:
                self.told_at = time.monotonic()
                self._tell(
                    f"{_member(news)}epoch {news.epoch}, update {news.update}: loss {loss:.3f}, "
                    f"dev error {self.errors[news.member]:.2f} %"
                    f"{' (best)' if news.is_best else ''}, {_time(news.seconds_left)} left"
                )
        scores = f"{self._scores(news.members)}  {_time(news.seconds_left)} left"
        self.bar.update(self.task, completed=news.done, scores=scores)

    def _scores(self, members: int) -> str:
        """Loss and dev error; of several models, which may train abreast, the errors of all."""
        if members == 1:
            errors = [f"  dev error {error:.2f} %" for error in self.errors.values()]
            return f"loss {self.losses[1]:.3f}{''.join(errors)}"
        known = [self.errors.get(member) for member in range(1, members + 1)]
        each = ("-" if error is None else f"{error:.2f}" for error in known)
        return f"dev errors {', '.join(each)} %"

    def _tell_reading(self, news: Reading) -> None:
        text = f"reading, pass {news.turn}: {news.pairs:,} pairs"
        self.bar.update(self.task, scores=text)
        if not sys.stderr.isatty() and time.monotonic() - self.told_at > _QUIET_SECONDS:
            self.told_at = time.monotonic()
            self._tell(text)

    def _tell(self, text: str) -> None:
        if self.bar.disable:
            say(text)
        else:
            self.bar.console.print(text, markup=False, highlight=False)


def described(chosen: Chosen) -> list[str]:
    """What was chosen, in words."""
    settings, known = chosen.settings, chosen.vocabularies
    training = settings.training
    tags = "" if known.tags is None else f", {len(known.tags.symbols)} tags"
    length = f"{training.minutes:g} minutes" if training.minutes else f"{training.epochs} epochs"
    seeds = f"seed {training.seed}"
    if training.seeds > 1:
        seeds = f"{training.seeds} models, seeds {training.seed} to {training.last_seed}"
        seeds += f", {chosen.at_once} at a time" if chosen.at_once > 1 else ""
    seeds += ", and one that learns from them" if training.distill else ""
    return [
        f"{chosen.train_pairs:,} pairs to train on, {chosen.dev_pairs:,} to judge by{tags}",
        *_symbols(settings, len(known.source.symbols), len(known.target.symbols)),
        f"model: {_model(settings)}; {chosen.parameters:,} parameters",
        f"training: {length}, {training.batch_size} pairs an update, {seeds}",
        *([f"tokens: on disk, in {chosen.store}"] if chosen.store is not None else []),
        *([f"data: {chosen.doubts} (regard check says where)"] if chosen.doubts else []),
    ]


def _symbols(settings: ModelSettings, source: int, target: int) -> list[str]:
    lines: list[str] = []
    for name, side, count in (
        ("source", settings.text.source, source),
        ("target", settings.text.target, target),
    ):
        form = "" if side.normalize == "none" else f", brought to {side.normalize}"
        names = {"words": "symbols, cut at blanks", "subwords": "pieces of words"}
        symbols = names.get(str(side.symbols), str(side.symbols))
        lines.append(f"{name}: {count} different {symbols}{form}")
    return lines


def _model(settings: RunSettings) -> str:
    encoder, decoder = settings.encoder, settings.decoder
    return (
        f"{encoder.kind} encoder ({encoder.hidden_size}), {decoder.kind} decoder "
        f"({decoder.hidden_size}), attention: {decoder.attention}"
    )


def _member(news: Progress) -> str:
    return f"model {news.member} of {news.members}, " if news.members > 1 else ""


def _time(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
