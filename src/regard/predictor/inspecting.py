"""Inspect the maps of a model on a user's strings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from regard.alignment import Alignment, describe, flags_of, head_divergence
from regard.errors import DataError, SettingsError
from regard.inspection import (
    Case,
    Erasure,
    Inspection,
    InspectionSettings,
    WordUse,
    check_map,
    effect_map,
    erase,
    judge,
    outliers,
    position_use,
    substitute,
    summarize_shapes,
    trust_of,
    word_use,
)
from regard.model import Saved
from regard.predictor.prediction import CountListener
from regard.predictor.reader import ReadSource, batches_of
from regard.predictor.searcher import Searcher
from regard.search import Hypothesis
from regard.text import Batch, Pair


@dataclass(frozen=True, eq=False)
class _Written:
    asked: ReadSource
    hypothesis: Hypothesis
    alignment: Alignment
    text: str

    @property
    def tokens(self) -> list[int]:
        return list(self.hypothesis.tokens[:-1])


@dataclass(frozen=True)
class Inspector:
    """Tests where a model looks while it writes.

    Attributes:
        saved: The model.
        searcher: Finds what it writes.
        settings: How, and from where on a figure counts.
    """

    saved: Saved
    searcher: Searcher
    settings: InspectionSettings

    def inspect(
        self, pairs: Sequence[Pair], beam_size: int | None, listen: CountListener | None = None
    ) -> Inspection:
        """Inspect the maps of some pairs.

        Args:
            pairs: The pairs.
            beam_size: Of what the model writes; None to test the given targets.
            listen: Is told how many are done, and of how many.

        Raises:
            SettingsError: The model never looks back.
            DataError: There are no pairs.
        """
        look = self.saved.model.decoder.alignment
        if look is None:
            raise SettingsError("this model never looks back: there is no map to inspect.")
        if not pairs:
            raise DataError("expected pairs to inspect, found none.")
        told = _Told(listen, 2 * len(pairs) + min(len(pairs), self.settings.word_pairs))
        written = self._written(pairs, beam_size, told)
        checks = check_map(self.saved.model, self._sample(written))
        is_valid = all(check.is_met for check in checks)
        tested = self._tested(written, told, is_apart=True) if is_valid else []
        words = self._words(written, told) if is_valid else None
        cases = self._cases(written, tested)
        use = position_use(tested, self.settings, self.saved.settings.members) if tested else None
        judgement = judge(use, checks, self.settings)
        shape = summarize_shapes(
            [case.alignment for case in cases],
            [case.shape for case in cases],
            [case.flags for case in cases],
            self.settings.shape,
            # Models that look alike are no fault; heads of one model are.
            _divergence(tested) if self.saved.settings.members == 1 else None,
        )
        return Inspection(
            look,
            "forced" if beam_size is None else "free",
            tuple(checks),
            replace(judgement, modifiers=(*_said(self.saved, words), *judgement.modifiers)),
            use,
            words,
            shape,
            tuple(cases),
            self.settings,
        )

    def aligned(self, pairs: Sequence[Pair], hypotheses: Sequence[Hypothesis]) -> list[Alignment]:
        """Maps of given targets with what erasing showed beside them.

        Args:
            pairs: What was read, and what was written.
            hypotheses: The same, as found.
        """
        return self._with_trust(self._given(pairs, hypotheses))

    def predicted(
        self, asked: Sequence[ReadSource], hypotheses: Sequence[Hypothesis]
    ) -> list[Alignment]:
        """Maps of what was found by a search, with what erasing showed beside them."""
        return self._with_trust(
            [self._free(one, found) for one, found in zip(asked, hypotheses, strict=True)]
        )

    def _with_trust(self, written: Sequence[_Written]) -> list[Alignment]:
        tested = self._tested(written, _Told(None, 0))
        return [
            replace(one.alignment, trust=trust_of(found, self.settings))
            for one, found in zip(written, tested, strict=True)
        ]

    def effects(
        self, pairs: Sequence[Pair], hypotheses: Sequence[Hypothesis], by_words: bool
    ) -> list[Alignment]:
        """Maps of effects in the place of weights: what matters, not where it looked.

        Args:
            pairs: What was read, and what was written.
            hypotheses: The same, as found.
            by_words: Whether symbols are substituted; otherwise positions are erased.
        """
        written, quiet = self._given(pairs, hypotheses), _Told(None, 0)
        if not by_words:
            return [
                effect_map(one.alignment, found.effects, "erasure")
                for one, found in zip(written, self._tested(written, quiet), strict=True)
            ]
        effects = self._substituted(written, list(range(len(written))), quiet)
        return [
            effect_map(one.alignment, effects[place], "substitution")
            for place, one in enumerate(written)
        ]

    def _given(self, pairs: Sequence[Pair], hypotheses: Sequence[Hypothesis]) -> list[_Written]:
        return [
            self._forced(self.searcher.reader.read(pair), pair.target, hypothesis)
            for pair, hypothesis in zip(pairs, hypotheses, strict=True)
        ]

    def _written(
        self, pairs: Sequence[Pair], beam_size: int | None, told: "_Told"
    ) -> list[_Written]:
        if beam_size is None:
            written = self._given(pairs, list(self.searcher.forced(pairs)))
            told.some(len(written))
            return written
        found: list[_Written] = []
        read = map(self.searcher.reader.read, pairs)
        for asked, hypotheses in self.searcher.found(read, beam_size, 1):
            found.append(self._free(asked, hypotheses[0]))
            told.some(1)
        return found

    def _forced(self, asked: ReadSource, target: str, hypothesis: Hypothesis) -> _Written:
        alignment = self.searcher.writer.forced(asked, target, hypothesis)
        assert alignment is not None
        return _Written(asked, hypothesis, alignment, target)

    def _free(self, asked: ReadSource, hypothesis: Hypothesis) -> _Written:
        alignment = self.searcher.writer.alignment(asked, hypothesis)
        assert alignment is not None
        return _Written(asked, hypothesis, alignment, self.searcher.writer.text(asked, hypothesis))

    def _sample(self, written: Sequence[_Written]) -> Batch:
        """Some pairs of different lengths."""
        order = sorted(range(len(written)), key=lambda row: len(written[row].asked.tokens))
        places = np.linspace(0, len(order) - 1, min(len(order), self.settings.sample))
        return self._batch([written[order[place]] for place in places.round().astype(int)])

    def _batch(self, written: Sequence[_Written]) -> Batch:
        return self.searcher.batch([one.asked for one in written], [one.tokens for one in written])

    def _tested(
        self, written: Sequence[_Written], told: "_Told", *, is_apart: bool = False
    ) -> list[Erasure]:
        model = self.saved.model
        found: dict[int, Erasure] = {}
        for rows in batches_of([len(one.asked.tokens) + len(one.tokens) for one in written]):
            batch = self._batch([written[row] for row in rows])
            with torch.no_grad():
                encoding = model.encode(batch.source)
            tested = erase(
                model.decoder,
                encoding,
                batch.inputs,
                batch.target,
                batch.mask,
                settings=self.settings,
                numbers=rows,
                is_apart=is_apart,
            )
            found |= zip(rows, tested, strict=True)
            told.some(len(rows))
        return [found[row] for row in range(len(written))]

    def _words(self, written: Sequence[_Written], told: "_Told") -> WordUse | None:
        count = min(len(written), self.settings.word_pairs)
        places = np.unique(np.linspace(0, len(written) - 1, count).round().astype(int)).tolist()
        effects = self._substituted(written, places, told)
        weights = [written[place].alignment.content() for place in places]
        return word_use(
            weights,
            [effects[place][: len(own)] for place, own in zip(places, weights, strict=True)],
            self.settings,
        )

    def _substituted(
        self, written: Sequence[_Written], places: list[int], told: "_Told"
    ) -> dict[int, np.ndarray]:
        symbols = len(self.saved.vocabularies.source)
        lengths = [len(written[place].asked.tokens) for place in places]
        found: dict[int, np.ndarray] = {}
        for rows in batches_of(lengths):
            own = [places[row] for row in rows]
            effects = substitute(
                self.saved.model,
                self._batch([written[place] for place in own]),
                symbols=symbols,
                settings=self.settings,
                numbers=own,
            )
            found |= zip(own, effects, strict=True)
            told.some(len(rows))
        return found

    def _cases(self, written: Sequence[_Written], tested: Sequence[Erasure]) -> list[Case]:
        shapes = [describe(one.alignment) for one in written]
        odd = outliers(shapes)
        cases: list[Case] = []
        for place, (one, shape) in enumerate(zip(written, shapes, strict=True)):
            alignment = one.alignment
            if tested:
                alignment = replace(alignment, trust=trust_of(tested[place], self.settings))
            flags = [*flags_of(alignment, shape, self.settings.shape), *odd.get(place, ())]
            cases.append(
                Case(
                    place + 1,
                    one.asked.source,
                    one.text,
                    one.hypothesis.log_prob,
                    alignment,
                    shape,
                    tuple(flags),
                )
            )
        return cases


class _Told:
    def __init__(self, listen: CountListener | None, total: int) -> None:
        self.listen, self.total, self.done = listen, total, 0

    def some(self, count: int) -> None:
        """Tell of some more that are done."""
        self.done += count
        if self.listen is not None:
            self.listen(min(self.done, self.total), self.total)


def _divergence(tested: Sequence[Erasure]) -> float | None:
    found = [value for one in tested if (value := head_divergence(one.heads)) is not None]
    return float(np.mean(found)) if found else None


def _said(saved: Saved, words: WordUse | None) -> tuple[str, ...]:
    said = ("trained with guided attention",) if saved.settings.guided else ()
    modifier = None if words is None else words.modifier
    return said if modifier is None else (*said, modifier)
