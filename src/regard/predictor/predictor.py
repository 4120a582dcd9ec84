"""Text in; text, log-probability and alignment out, in the order asked."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import overload

from regard.alignment import Alignment
from regard.errors import SettingsError
from regard.evaluation import RESAMPLES, Evaluation, Scored, TextMeasures, evaluate
from regard.inspection import Check, Inspection, InspectionSettings
from regard.model import ModelSettings, Saved, UnseenPolicy, load_model, save_model
from regard.precision import device_of
from regard.predictor.inspecting import Inspector
from regard.predictor.looking import looked_up
from regard.predictor.predicting import predicted
from regard.predictor.prediction import Change, CountListener, LookedUp, Prediction
from regard.predictor.probing import checks_of
from regard.predictor.reader import Given, Pairs, Reader, pair_given, pairs_given, replace_tags
from regard.predictor.scoring import scored_by, signature_of, with_alternatives
from regard.predictor.searcher import Searcher
from regard.predictor.writer import Writer
from regard.search import Hypothesis
from regard.text import Pair


class Predictor:
    """A model with its vocabularies: strings in, strings and alignments out.

    Args:
        saved: The contents of a model folder.
    """

    def __init__(self, saved: Saved) -> None:
        self.saved = saved
        self.model = saved.model.eval()
        self.reader = Reader(saved.settings, saved.vocabularies)
        self.writer = Writer(saved.settings, saved.vocabularies, self.model.decoder.alignment)
        self.searcher = Searcher(self.model, self.reader, self.writer)

    @classmethod
    def load(cls, folder: str | Path, device: str = "cpu") -> "Predictor":
        """Read a model folder, and check that its map is what it says it is.

        Args:
            folder: Where it is.
            device: "cpu", "cuda", or another that torch knows.

        Raises:
            CheckpointError: It is no model folder, is damaged, or of a newer format.
        """
        found = cls(load_model(folder, device_of(device)))
        for check in found.checks:
            if not check.is_met:
                logging.getLogger(__name__).warning("%s: map not valid: %s", folder, check.text)
        return found

    def save(self, folder: str | Path) -> None:
        """Write a model folder, in the place of one that may be there.

        Raises:
            CheckpointError: It cannot be written; what was there is still there.
        """
        save_model(folder, self.saved)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """The exact checks of the map, on a few strings; none for a model that never looks back."""
        return checks_of(self.saved, self.searcher)

    @property
    def settings(self) -> ModelSettings:
        """What the model is made of."""
        return self.saved.settings

    def with_text(
        self,
        *,
        columns: str | None = None,
        unseen: UnseenPolicy | None = None,
        longest: int | None = None,
    ) -> "Predictor":
        """The same, reading strings and files in another way; what is None stays.

        Args:
            columns: Where source, target and tags stand in a file.
            unseen: What becomes of a symbol that training never saw.
            longest: Most symbols that a source or a given target may have.

        Raises:
            SettingsError: There is no such order, policy or length.
        """
        given = {"text.columns": columns, "text.unseen": unseen, "text.longest": longest}
        changes = {name: value for name, value in given.items() if value is not None}
        settings = self.settings.with_values(changes)
        return Predictor(replace(self.saved, settings=settings)) if changes else self

    @property
    def has_tags(self) -> bool:
        """Whether the task has tags beside the source."""
        return self.saved.vocabularies.tags is not None

    @overload
    def predict(  # pyright: ignore[reportOverlappingOverload] (a string is an iterable of strings)
        self, sources: str, *, tags: str | None = None, beam_size: int = 1, n_best: int = 1
    ) -> Prediction: ...
    @overload
    def predict(
        self,
        sources: Iterable[Given],
        *,
        tags: str | None = None,
        beam_size: int = 1,
        n_best: int = 1,
    ) -> list[Prediction]: ...
    def predict(
        self,
        sources: str | Iterable[Given],
        *,
        tags: str | None = None,
        beam_size: int = 1,
        n_best: int = 1,
    ) -> Prediction | list[Prediction]:
        """Write the target of one source, or of many in their order.

        Args:
            sources: A string; or strings, or (source, tags) where a task has tags.
            tags: The tags of all of them, such as "V;PST;3;SG".
            beam_size: How many hypotheses are kept side by side; 1 is greedy.
            n_best: How many candidates each prediction holds. The beam is as wide at
                least, so the first may be another than without.

        Raises:
            DataError: A source is empty or too long, or tags are missing.
            VocabularyError: A symbol was never seen and the policy is `error`.
        """
        if isinstance(sources, str):
            return self.predict([sources], tags=tags, beam_size=beam_size, n_best=n_best)[0]
        given = (replace_tags(pair_given(one), tags) for one in sources)
        return list(self.stream(given, beam_size=beam_size, n_best=n_best))

    def stream(
        self,
        sources: Iterable[Pair],
        *,
        beam_size: int = 1,
        n_best: int = 1,
        is_tested: bool = False,
    ) -> Iterator[Prediction]:
        """Predict any number of sources in constant memory, in their order.

        Args:
            sources: Pairs, of which source and tags are used.
            beam_size: As for `predict`.
            n_best: As for `predict`.
            is_tested: Whether the best candidate's alignment says what erasing showed.
        """
        read = map(self.reader.read, sources)
        return predicted(self.saved, self.searcher, read, beam_size, n_best, is_tested=is_tested)

    def align(self, pairs: Pairs, *, is_tested: bool = False) -> list[Alignment]:
        """Where the decoder looks while it writes given targets.

        Args:
            pairs: A file, or (source, target[, tags]).
            is_tested: Whether each alignment says what erasing showed.

        Raises:
            SettingsError: The model never looks back.
        """
        if self.model.decoder.alignment is None:
            raise SettingsError("this model never looks back: it has no alignment.")
        read = self.pairs(pairs)
        if is_tested:
            return self.tested(read, list(self.forced(read)))
        found = zip(read, self.forced(read), strict=True)
        maps = (self.alignment_of(pair, hypothesis) for pair, hypothesis in found)
        return [alignment for alignment in maps if alignment is not None]

    def log_prob(self, pairs: Pairs) -> list[float]:
        """The log-probability of each given target."""
        return [hypothesis.log_prob for hypothesis in self.forced(self.pairs(pairs))]

    def evaluate(
        self,
        pairs: Pairs,
        *,
        beam_size: int = 1,
        alternatives: bool = False,
        text_measures: TextMeasures | None = None,
        resamples: int = RESAMPLES,
        listen: CountListener | None = None,
    ) -> Evaluation:
        """Predict the sources and compare with the targets.

        Args:
            pairs: A file, or (source, target[, tags]). Further columns of a file
                hold targets that are right as well.
            beam_size: As for `predict`.
            alternatives: Whether pairs of the same source (and tags) are
                alternatives: one source, any of whose targets is right.
            text_measures: Which measures of whole texts are wanted, if any.
            resamples: How often pairs are drawn anew for the intervals.
            listen: Is told how many are done, and of how many.
        """
        asked = self.pairs(pairs, with_others=True)
        asked = with_alternatives(asked) if alternatives else asked
        signature = signature_of(self.settings.text.target, asked, beam_size)
        scored = self.scored(asked, beam_size, listen)
        return evaluate(scored, signature, resamples=resamples, text_measures=text_measures)

    def scored(
        self, pairs: Sequence[Pair], beam_size: int, listen: CountListener | None = None
    ) -> list[Scored]:
        """What is written for each source, beside what is right; see `scored_by`."""
        return scored_by(self.searcher, pairs, beam_size, listen)

    def inspect(
        self,
        pairs: Pairs,
        *,
        is_forced: bool = False,
        beam_size: int = 1,
        settings: InspectionSettings | None = None,
        listen: CountListener | None = None,
    ) -> Inspection:
        """Test whether the map may be believed.

        Args:
            pairs: A file, or (source, target[, tags]).
            is_forced: Whether the targets are tested; otherwise what the model writes.
            beam_size: As for `predict`.
            settings: How, and from where on a figure counts.
            listen: Is told how many are done, and of how many.

        Raises:
            SettingsError: The model never looks back.
        """
        inspector = Inspector(self.saved, self.searcher, settings or InspectionSettings())
        read = self.pairs(pairs, needs_targets=is_forced)
        return inspector.inspect(read, None if is_forced else beam_size, listen)

    def tested(self, pairs: Sequence[Pair], hypotheses: Sequence[Hypothesis]) -> list[Alignment]:
        """Alignments with what erasing showed of each row.

        Args:
            pairs: What is read, and what is written.
            hypotheses: The same as `forced` and the search give them.
        """
        return Inspector(self.saved, self.searcher, InspectionSettings()).aligned(pairs, hypotheses)

    def look_up(self, pair: Pair, step: int, change: Change | None = None) -> LookedUp:
        """The numbers of one step of writing a given target.

        Args:
            pair: The source and the target.
            step: Which target symbol, from one; one more is the end symbol.
            change: Other weights for this step.

        Raises:
            SettingsError: The model never looks back, or there is no such step.
        """
        return looked_up(self.saved, self.searcher, pair, step, change)

    def check(self, pairs: Iterable[Pair]) -> None:
        """Refuse pairs that could not be scored: at the door, not in the middle of the work.

        Raises:
            DataError: A side is too long, or tags do not fit the task.
            VocabularyError: A symbol was never seen and the policy is `error`.
        """
        for pair in pairs:
            self.reader.read(pair)
            self.reader.target_tokens(pair)

    def pairs(
        self, pairs: Pairs, *, with_others: bool = False, needs_targets: bool = True
    ) -> list[Pair]:
        """Pairs from a file that is laid out as the training file was, or from a program.

        Args:
            pairs: Where they are.
            with_others: Whether further columns hold targets that are right as well.
            needs_targets: Whether pairs of a program must have a target with text.
        """
        layout = self.settings.text.layout()
        layout = layout.with_others() if with_others else layout
        return pairs_given(pairs, layout, needs_targets=needs_targets)

    def forced(self, pairs: Sequence[Pair]) -> Iterator[Hypothesis]:
        """The given targets as hypotheses, in their order."""
        return self.searcher.forced(pairs)

    def alignment_of(self, pair: Pair, hypothesis: Hypothesis) -> Alignment | None:
        """The alignment of a given target, labelled in the user's own characters."""
        return self.writer.forced(self.reader.read(pair), pair.target, hypothesis)
