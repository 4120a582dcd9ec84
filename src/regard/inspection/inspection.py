"""What an inspection found: checks, shape, use, verdict, each pair."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Literal

import numpy as np

from regard.alignment import Alignment, Flag, Shape
from regard.evaluation import Measure
from regard.inspection.checks import Check
from regard.inspection.config import InspectionSettings
from regard.inspection.shapes import ShapeSummary
from regard.inspection.verdict import Judgement, PositionUse, Verdict
from regard.inspection.words import WordUse

Mode = Literal["free", "forced"]


@dataclass(frozen=True, eq=False)
class Case:
    """One pair that was inspected.

    Attributes:
        number: In the file, from one.
        source: What was read.
        text: What was written.
        log_prob: The sum of its symbols' log-probabilities.
        alignment: The map; with what erasing showed, unless the map is not valid.
        shape: What its shape says.
        flags: What is odd about it.
    """

    number: int
    source: str
    text: str
    log_prob: float
    alignment: Alignment
    shape: Shape
    flags: tuple[Flag, ...]

    @property
    def doubt(self) -> float:
        """How little its map was used: the share of content rows that were not, and flags."""
        trust = self.alignment.trust
        labels = () if trust is None else trust.labels(self.alignment.weights)[: self.shape.rows]
        unused = sum(label != "used" for label in labels) / max(1, len(labels))
        return unused + 0.05 * len(self.flags)


@dataclass(frozen=True, eq=False)
class Inspection:
    """What an inspection found.

    Attributes:
        look: Which look of the model this is.
        mode: Whether what the model writes was tested (free), or what was given (forced).
        checks: The exact checks.
        judgement: The verdict, why, and what else must be said.
        use: What erasing showed; None if the map is not valid.
        words: What substituting showed; None if it was not tried.
        shape: What the shapes say.
        cases: Each pair, in the file's order.
        settings: How it was inspected.
    """

    look: str
    mode: Mode
    checks: tuple[Check, ...]
    judgement: Judgement
    use: PositionUse | None
    words: WordUse | None
    shape: ShapeSummary
    cases: tuple[Case, ...]
    settings: InspectionSettings

    @property
    def verdict(self) -> Verdict:
        """supported, partial, not supported, undetermined or invalid."""
        return self.judgement.verdict

    @property
    def headline(self) -> str:
        """The verdict in a sentence, with what must be said beside it."""
        modifiers = "; ".join(self.judgement.modifiers)
        reason = self.judgement.reasons[0] if self.judgement.reasons else ""
        return f"{self.verdict.upper()}: {reason}." + (f" ({modifiers})" if modifiers else "")

    def doubtful(self) -> list[Case]:
        """The pairs, the most doubtful first."""
        return sorted(self.cases, key=lambda case: (-case.doubt, case.log_prob))

    def to_table(self) -> dict[str, object]:
        """Every figure as plain tables, for JSON; nothing is NaN."""
        table: dict[str, object] = {
            "verdict": self.verdict,
            "headline": self.headline,
            "reasons": self.judgement.reasons,
            "modifiers": self.judgement.modifiers,
            "look": self.look,
            "mode": self.mode,
            "checks": [_checked(one) for one in self.checks],
            **_used(self.use),
            "words": self.words,
            "shape": self.shape,
            "flags": [flag for case in self.cases for flag in _placed(case)],
            "sentences": [_sentence(case, self.mode) for case in self.cases],
            "tested": {
                "permutations": self.settings.permutations,
                "effect": self.settings.effect,
                "seed": self.settings.seed,
                "resamples": self.settings.resamples,
            },
        }
        plain = _plain(table)
        assert isinstance(plain, dict)
        return plain


def _checked(check: Check) -> dict[str, object]:
    return {
        "name": check.name,
        "title": check.title,
        "value": check.value,
        "tolerance": check.tolerance,
        "ok": check.is_met,
    }


def _used(use: PositionUse | None) -> dict[str, object]:
    if use is None:
        return {}
    return {
        "pairs": use.pairs,
        "rows": use.rows,
        "gap": use.gap,
        "top": use.top,
        "other": use.other,
        "agree": use.agree,
        "chance": use.chance,
        "uniform": use.uniform,
        "keep": {
            "uniform": use.keep_uniform,
            "permuted": use.keep_permuted,
            "erased": use.keep_erased,
        },
        "labels": use.labels,
        "end_labels": use.end_labels,
        "heads": use.heads,
    }


def _placed(case: Case) -> list[dict[str, object]]:
    return [{"sentence": case.number, **asdict(flag)} for flag in case.flags]


def _sentence(case: Case, mode: Mode) -> dict[str, object]:
    alignment, trust = case.alignment, case.alignment.trust
    labels = () if trust is None else trust.labels(alignment.weights)
    strongest = alignment.weights.argmax(1) if trust is None else trust.strongest(alignment.weights)
    rows: list[dict[str, object]] = []
    for place, (weights, top) in enumerate(zip(alignment.weights, strongest.tolist(), strict=True)):
        row: dict[str, object] = {
            "argmax": top,
            "peak": float(weights[top]),
            "role": alignment.target[place].role,
        }
        if trust is not None:
            effects = trust.effects[place]
            row |= {
                "e_top": float(effects[top]),
                "e_best": float(effects.max()),
                "best": int(effects.argmax()),
                "u": float(trust.uniform[place]),
                "m": float(trust.permuted[place]),
                "label": labels[place],
            }
        rows.append(row)
    return {
        "id": case.number,
        "source": case.source,
        "text": case.text,
        "T": case.shape.rows,
        "S": case.shape.columns,
        "semantics": "predicting",
        "mode": mode,
        "logp_mean": case.log_prob / max(1, len(alignment.target)),
        "shape": case.shape,
        "flags": [flag.text for flag in case.flags],
        "rows": rows,
    }


def _plain(value: object) -> object:
    """Records, arrays and numbers as JSON knows them; what is no number becomes null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(vars(value)[field.name]) for field in fields(value)}
    if isinstance(value, Measure):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
