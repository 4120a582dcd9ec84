"""Carries out `regard compare`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.progress import TextColumn

from regard.cli.given import note_unseen, percent
from regard.cli.words import bar, say
from regard.errors import SettingsError
from regard.evaluation import Comparison, Difference, Evaluation, Scored, compare, evaluate
from regard.predictor import Predictor, scored_of, with_alternatives
from regard.text import Pair, Parallel

_SHOWN = 10
_SURE = 0.05


@dataclass(frozen=True)
class _Side:
    """One of the two models, and what it wrote."""

    name: str
    scored: Sequence[Scored]
    evaluation: Evaluation


def carry_out(
    models: Mapping[str, Predictor],
    data: str | Parallel,
    *,
    beam: int,
    alternatives: bool,
    as_json: bool,
) -> None:
    """Predict with both, and print how far they are apart."""
    if len({Path(name).resolve() for name in models}) < 2:
        raise SettingsError("expected two different models to compare, found one twice.")
    judge = next(iter(models.values()))
    read = judge.pairs(data, with_others=True)
    if len({model.settings.text.target.symbols for model in models.values()}) > 1:
        say("note: the models write other kinds of symbols; both are scored in the first's.")
    pairs = with_alternatives(read) if alternatives else read
    first, second = (_side(name, model, judge, pairs, beam) for name, model in models.items())
    found = compare(first.scored, second.scored)
    if as_json:
        print(json.dumps(_table(first, second, found, pairs), ensure_ascii=False, allow_nan=False))
    else:
        print("\n".join(_lines(first, second, found, pairs)))


def _side(name: str, model: Predictor, judge: Predictor, pairs: Sequence[Pair], beam: int) -> _Side:
    note_unseen(model, pairs)
    with bar(TextColumn("{task.completed:,} of {task.total:,}")) as shown:
        task = shown.add_task(name, total=len(pairs))
        written = model.scored(
            pairs, beam, lambda done, total: shown.update(task, completed=done, total=total)
        )
    # Edits are counted in one and the same kind of symbols.
    scored = [
        scored_of(pair, one.text, judge.reader.target)
        for pair, one in zip(pairs, written, strict=True)
    ]
    return _Side(name, scored, evaluate(scored, f"beam {beam} | pairs {len(pairs)}"))


def _table(
    first: _Side, second: _Side, found: Comparison, pairs: Sequence[Pair]
) -> dict[str, object]:
    def cases(rows: Sequence[int]) -> list[dict[str, str]]:
        return [
            {
                "source": pairs[row].source,
                "target": pairs[row].target,
                "first": first.scored[row].text,
                "second": second.scored[row].text,
            }
            for row in rows
        ]

    return {
        "first": {"model": first.name, **first.evaluation.to_table()},
        "second": {"model": second.name, **second.evaluation.to_table()},
        **found.to_table(),
        "cases": {"first_only": cases(found.first_only), "second_only": cases(found.second_only)},
    }


def _lines(first: _Side, second: _Side, found: Comparison, pairs: Sequence[Pair]) -> list[str]:
    lines = [f"{found.pairs:,} pairs"]
    for side, name in ((first, "first"), (second, "second")):
        lines += [
            f"{name:<8}{side.name}",
            f"  exact match        {percent(side.evaluation.accuracy)}",
            f"  symbol error rate  {percent(side.evaluation.symbol_error_rate)}",
        ]
    lines += [
        "second less first, in points",
        f"  exact match        {_points(found.accuracy)}",
        f"  symbol error rate  {_points(found.symbol_error_rate)}",
        _judged(found),
        "",
        f"both right {len(found.both):,}, only the first {len(found.first_only):,}, only the second "
        f"{len(found.second_only):,}, neither {len(found.neither):,}",
    ]
    for name, rows in (("first", found.first_only), ("second", found.second_only)):
        if rows:
            lines += ["", f"only the {name} is right: source, target, first, second"]
        lines += [
            f"  {pairs[row].source}\t{pairs[row].target}\t{first.scored[row].text}\t"
            f"{second.scored[row].text}"
            for row in rows[:_SHOWN]
        ]
        if len(rows) > _SHOWN:
            lines.append(f"  and {len(rows) - _SHOWN:,} more")
    return lines


def _points(difference: Difference) -> str:
    low, high = 100 * difference.low, 100 * difference.high
    return (
        f"{100 * difference.value:+6.2f}     95 % interval {low:+.2f} to {high:+.2f}   "
        f"p {difference.p:.4f}"
    )


def _judged(found: Comparison) -> str:
    told: list[str] = []
    for name, one, better in (
        ("exact matches", found.accuracy, found.accuracy.value > 0),
        ("symbol errors", found.symbol_error_rate, found.symbol_error_rate.value < 0),
    ):
        if one.p <= _SURE:
            told.append(f"by {name} the {'second' if better else 'first'} is better")
        else:
            told.append(f"by {name} no difference is shown")
    return f"  {'; '.join(told)} (at p {_SURE:g})"
