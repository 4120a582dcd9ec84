"""Carries out `regard predict`."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rich.progress import TextColumn

from regard.cli.answers import BLANK, Answer, LineForm, Unpredicted, look_line
from regard.cli.words import bar, say
from regard.errors import DataError, VocabularyError
from regard.predictor import CHUNK, Predictor, ReadSource, predicted
from regard.text import Pair, open_output


def carry_out(
    predictor: Predictor,
    rows: Iterator[Pair | None],
    form: LineForm,
    *,
    output: Path | None,
    alignments: Path | None,
    beam: int,
    stops: bool,
) -> bool:
    """Predict a file line by line, in constant memory; tell whether any source was predicted.

    Args:
        predictor: The model.
        rows: A source a line, None for a blank one.
        form: What a line of output holds.
        output: Where the lines go; standard output if None.
        alignments: Where the alignments go, if anywhere.
        beam: How many hypotheses are kept side by side.
        stops: Whether a source that cannot be predicted ends the run.
    """
    tally = _Tally()
    with ExitStack() as stack:
        out = stack.enter_context(open_output(output or "-"))
        looks = None if alignments is None else stack.enter_context(open_output(alignments))
        shown = stack.enter_context(bar(TextColumn("{task.completed:,} lines")))
        task = shown.add_task("predicting", total=None)
        wanted = _Wanted(predictor, beam, form.n_best, looks is not None, stops)
        for answer in wanted.answers(rows):
            out.write(form.line(answer).encode() + b"\n")
            if looks is not None:
                looks.write(look_line(answer).encode() + b"\n")
            tally.count(answer, is_rewritten=form.is_rewritten(answer))
            shown.advance(task)
    tally.note()
    return tally.predicted > 0 or tally.refused == 0


@dataclass(frozen=True)
class _Wanted:
    """What is asked of a model for every line."""

    predictor: Predictor
    beam: int
    n_best: int
    is_tested: bool
    stops: bool

    def answers(self, rows: Iterator[Pair | None]) -> Iterator[Answer]:
        """An answer a line, in order."""
        while chunk := list(islice(rows, CHUNK)):
            read = [self._read(row) for row in chunk]
            written = predicted(
                self.predictor.saved,
                self.predictor.searcher,
                (one for one in read if isinstance(one, ReadSource)),
                self.beam,
                self.n_best,
                is_tested=self.is_tested,
            )
            yield from (next(written) if isinstance(one, ReadSource) else one for one in read)

    def _read(self, row: Pair | None) -> ReadSource | Unpredicted:
        if row is None:
            return BLANK
        try:
            return self.predictor.reader.read(row)
        except (DataError, VocabularyError) as error:
            if self.stops or error.reason is None:
                raise
            return Unpredicted(row.source, error.reason, row.line)


@dataclass
class _Tally:
    """What there is to say at the end."""

    unseen: set[str] = field(default_factory=set[str])
    predicted: int = 0
    touched: int = 0
    cut: int = 0
    rewritten: int = 0
    refused: int = 0
    first: Unpredicted = BLANK

    def count(self, answer: Answer, *, is_rewritten: bool) -> None:
        """Take note of an answer."""
        if isinstance(answer, Unpredicted):
            self.first = answer if self.refused == 0 else self.first
            self.refused += not answer.is_blank
            return
        self.predicted += 1
        self.unseen |= {one.symbol for one in answer.unseen}
        self.touched += bool(answer.unseen)
        self.cut += not answer.is_complete
        self.rewritten += is_rewritten

    def note(self) -> None:
        """Say it."""
        if self.unseen:
            names = ", ".join(repr(symbol) for symbol in sorted(self.unseen)[:10])
            say(f"note: training never saw some symbols of {self.touched} of the sources: {names}.")
        if self.cut:
            say(f"note: the length limit ended {self.cut} of the predictions.")
        if self.rewritten:
            say(
                f"note: {self.rewritten} of the predictions held line ends or tabs, written as "
                "blanks; --format jsonl keeps them."
            )
        if self.refused:
            say(
                f"note: {self.refused} of the lines were answered with nothing; the first is line "
                f"{self.first.line}: {self.first.reason}."
            )
