"""How a prediction, or the want of one, is written on a line."""

import json
import re
from dataclasses import dataclass
from typing import Literal

from regard.alignment import Alignment
from regard.predictor import Prediction

AnswerFormat = Literal["text", "tsv", "jsonl"]

_BREAKS = re.compile(r"[\t\n\r]")


@dataclass(frozen=True)
class Unpredicted:
    """A line without a prediction.

    Attributes:
        source: The source; empty where the line is blank.
        reason: Why there is none.
        line: The line's number, from one.
    """

    source: str
    reason: str
    line: int = 0

    @property
    def is_blank(self) -> bool:
        """Whether there was nothing to predict."""
        return self.reason == "blank"


BLANK = Unpredicted("", "blank")

Answer = Prediction | Unpredicted


@dataclass(frozen=True)
class LineForm:
    """What a line of output holds.

    Attributes:
        kind: Targets alone, the source before them, or a JSON object.
        has_scores: Whether log-probabilities stand beside targets.
        n_best: How many candidates there are.
    """

    kind: AnswerFormat = "text"
    has_scores: bool = False
    n_best: int = 1

    def line(self, answer: Answer) -> str:
        """One line for one answer."""
        if self.kind == "jsonl":
            return json.dumps(self._table(answer), ensure_ascii=False)
        cells = [answer.source] if self.kind == "tsv" else []
        if isinstance(answer, Unpredicted):
            return "" if answer.is_blank else "\t".join([*cells, ""])
        for candidate in answer.candidates:
            # A target of several lines, or columns, would shift all that comes after it.
            cells.append(_BREAKS.sub(" ", candidate.text))
            if self.has_scores:
                cells.append(f"{candidate.log_prob:.6f}")
        return "\t".join(cells)

    def is_rewritten(self, answer: Answer) -> bool:
        """Whether a target held line ends or tabs, which this form has no place for."""
        return (
            self.kind != "jsonl"
            and isinstance(answer, Prediction)
            and any(_BREAKS.search(candidate.text) for candidate in answer.candidates)
        )

    def _table(self, answer: Answer) -> dict[str, object]:
        if isinstance(answer, Unpredicted):
            table: dict[str, object] = {
                "source": answer.source,
                "target": "",
                "log_prob": None,
                "reason": answer.reason,
                "unseen": [],
            }
            return table | ({"candidates": []} if self.n_best > 1 else {})
        table = {
            "source": answer.source,
            "target": answer.text,
            "log_prob": answer.log_prob,
            "unseen": [
                {"symbol": one.symbol, "start": one.start, "end": one.end} for one in answer.unseen
            ],
        }
        if not answer.is_complete:
            table["is_complete"] = False
        if self.n_best > 1:
            table["candidates"] = [
                {"target": candidate.text, "log_prob": candidate.log_prob}
                for candidate in answer.candidates
            ]
        return table


def look_line(answer: Answer) -> str:
    """The alignment of one answer, or why there is none."""
    reason = answer.reason if isinstance(answer, Unpredicted) else "this model never looks back"
    alignment = None if isinstance(answer, Unpredicted) else answer.alignment
    if alignment is None:
        table: dict[str, object] = {"source": [], "target": [], "weights": [], "reason": reason}
    else:
        table = look_table(alignment)
    return json.dumps(table, ensure_ascii=False)


def look_table(alignment: Alignment) -> dict[str, object]:
    """An alignment's symbols, roles and weights."""
    return {
        "source": [label.text or label.shown for label in alignment.source],
        "target": [label.text or label.shown for label in alignment.target],
        "weights": [[round(float(weight), 7) for weight in row] for row in alignment.weights],
        "source_roles": [label.role for label in alignment.source],
        "target_roles": [label.role for label in alignment.target],
        **_trust_table(alignment),
    }


def _trust_table(alignment: Alignment) -> dict[str, object]:
    """How each row was used, and what erasing its strongest position costs, in nats."""
    trust = alignment.trust
    if trust is None:
        return {}
    strongest = trust.strongest(alignment.weights)
    effects = [float(row[top]) for row, top in zip(trust.effects, strongest, strict=True)]
    return {
        "labels": alignment.row_labels(),
        "effects": [round(effect, 4) for effect in effects],
        "summary": alignment.summary(),
    }
