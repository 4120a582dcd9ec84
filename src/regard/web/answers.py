"""Predictions, alignments, steps and lessons as plain tables for JSON."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from regard.alignment import Alignment, picture
from regard.errors import SettingsError
from regard.learn import Figure, Lesson, Part
from regard.learn.bench import Bench, Looked
from regard.model import ModelSettings
from regard.predictor import Candidate, Change, Prediction, Predictor, written_name
from regard.text import Pair

Table = dict[str, object]

_MOST_SHOWN = 6


def prediction_table(prediction: Prediction, *, has_alignments: bool) -> Table:
    """What a model makes of a source."""
    return {
        "source": prediction.source,
        "target": prediction.text,
        "log_prob": prediction.log_prob,
        "is_complete": prediction.is_complete,
        "unseen": [asdict(one) for one in prediction.unseen],
        "candidates": [_candidate(one, has_alignments) for one in prediction.candidates],
    }


def alignment_table(alignment: Alignment) -> Table:
    """A map, as `Alignment.to_json` has it, with its labels as they are shown and its links."""
    table: Table = json.loads(alignment.to_json())
    return table | {
        "shown": {
            "source": [_shown(label.shown, label.direction) for label in alignment.source],
            "target": [_shown(label.shown, label.direction) for label in alignment.target],
        },
        "pharaoh": alignment.pharaoh(),
        "summary": alignment.summary(),
    }


def inspected_table(model: Predictor, pair: Pair, beam_size: int | None) -> Table:
    """The tested map of one string, with flags, verdict and picture; of its target without a beam."""
    found = model.inspect([pair], is_forced=beam_size is None, beam_size=beam_size or 1)
    case = found.cases[0]
    return {
        "source": pair.source,
        "target": case.text,
        "log_prob": case.log_prob,
        "alignment": alignment_table(case.alignment),
        "svg": picture(case.alignment),
        "flags": [flag.text for flag in case.flags],
        "inspection": found.to_table(),
    }


def step_table(model: Predictor, pair: Pair, step: int, change: Change | None) -> Table:
    """One step in numbers, as it was, and as it would have been under other weights."""
    before = model.look_up(pair, step)
    after = before if change is None else model.look_up(pair, step, change)
    best = [set(np.argsort(-one.chances, kind="stable")[:_MOST_SHOWN]) for one in (before, after)]
    order = sorted(best[0] | best[1], key=lambda token: -float(before.chances[token]))
    return {
        "step": step,
        "written": before.written,
        "source": [_shown(label.shown, label.direction) for label in before.source],
        "mask": list(before.mask),
        "scores": _numbers(before.scores),
        "weights": _numbers(before.weights),
        "context": _numbers(before.context),
        "changed_weights": _numbers(after.weights),
        "changed_context": _numbers(after.context),
        "moved": float(np.linalg.norm(after.context - before.context)),
        "symbols": [
            {
                "symbol": written_name(model.saved, int(token)),
                "before": float(before.chances[token]),
                "after": float(after.chances[token]),
            }
            for token in order
        ],
    }


def model_table(name: str, model: Predictor) -> Table:
    """What a person wants to know of a model before asking it."""
    settings: ModelSettings = model.settings
    return {
        "name": name,
        "looks_back": model.model.decoder.alignment is not None,
        "look": model.model.decoder.alignment,
        "has_tags": model.has_tags,
        "encoder": settings.encoder.kind,
        "decoder": settings.decoder.kind,
        "attention": settings.decoder.attention,
        "members": settings.members,
        "parameters": sum(parameter.numel() for parameter in model.model.parameters()),
        "source_symbols": len(model.saved.vocabularies.source.symbols),
        "target_symbols": len(model.saved.vocabularies.target.symbols),
        "is_valid": all(check.is_met for check in model.checks),
        "checks": [check.text for check in model.checks],
    }


def lesson_table(lesson: Lesson) -> Table:
    """A lesson with its words, for the page."""
    return {
        "topic": lesson.topic,
        "title": lesson.title,
        "parts": [_part(part) for part in lesson.parts],
        "numbers": lesson.to_table(),
    }


def looked_table(looked: Looked) -> Table:
    """Every stage of a look."""
    return {
        "scores": _numbers(looked.scores),
        "weights": _numbers(looked.weights),
        "context": _numbers(looked.context),
        "sums": _numbers(looked.sums),
        "entropies": _numbers(looked.entropies),
        "jacobian": _numbers(looked.jacobian),
        "predicted": _numbers(looked.predicted),
        "moved": _numbers(looked.moved),
        "variance": _number(looked.variance),
    }


def require_look(model: Predictor, name: str) -> None:
    """Refuse a model that has no map.

    Raises:
        SettingsError: It never looks back.
    """
    if model.model.decoder.alignment is None:
        raise SettingsError(f"model {name!r} never looks back: it has no alignment.")


def _candidate(candidate: Candidate, has_alignments: bool) -> Table:
    table: Table = {"target": candidate.text, "log_prob": candidate.log_prob}
    if has_alignments and candidate.alignment is not None:
        table["alignment"] = alignment_table(candidate.alignment)
    return table


def _part(part: Part) -> Table:
    return {
        "heading": part.heading,
        "text": part.text,
        "figures": [_figure(figure) for figure in part.figures],
        "bench": None if part.bench is None else _bench(part.bench),
    }


def _figure(figure: Figure) -> Table:
    return {
        "name": figure.name,
        "caption": figure.caption,
        "kind": figure.kind,
        "rows": figure.rows,
        "columns": figure.columns,
        "numbers": figure.to_json(),
    }


def _bench(bench: Bench) -> Table:
    return {name: value for name, value in asdict(bench).items() if value is not None}


def _shown(text: str, direction: str) -> Table:
    return {"text": text, "direction": direction}


def _numbers(array: np.ndarray | Sequence[float]) -> object:
    """Nested lists in which what is no number is null."""
    values = np.asarray(array, np.float64)
    if np.isfinite(values).all():
        return values.tolist()
    return [_numbers(one) if isinstance(one, np.ndarray) else _number(float(one)) for one in values]


def _number(number: float) -> float | None:
    return number if math.isfinite(number) else None
