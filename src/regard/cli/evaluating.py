"""Carries out `regard evaluate`."""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.progress import TextColumn

from regard.alignment import Link
from regard.cli.given import note_unseen, percent
from regard.cli.words import bar, say
from regard.errors import DataError
from regard.evaluation import Evaluation, Gold, LinkScores, TextMeasures, score_links
from regard.predictor import Linking, Predictor, links
from regard.text import Pair, Parallel

_SHOWN = 20


@dataclass(frozen=True)
class LinkTask:
    """Links to be compared with the right ones.

    Attributes:
        gold: The right ones, a line a pair.
        linking: How links are made.
        other: A model of the other direction, to join with.
    """

    gold: list[Gold]
    linking: Linking
    other: Predictor | None = None


def carry_out(
    predictor: Predictor,
    data: str | Parallel,
    *,
    beam: int,
    errors: bool,
    as_json: bool,
    alternatives: bool = False,
    text_measures: TextMeasures | None = None,
    link_task: LinkTask | None = None,
) -> None:
    """Predict, compare, and print the measures."""
    pairs = predictor.pairs(data, with_others=link_task is None)
    note_unseen(predictor, pairs)
    scores = None if link_task is None else _link_scores(predictor, pairs, link_task)
    if not alternatives:
        _note_conflicts(pairs)
    with bar(TextColumn("{task.completed:,} of {task.total:,}")) as shown:
        task = shown.add_task("predicting", total=len(pairs))
        evaluation = predictor.evaluate(
            pairs,
            beam_size=beam,
            alternatives=alternatives,
            text_measures=text_measures,
            listen=lambda done, total: shown.update(task, completed=done, total=total),
        )
    visible = predictor.reader.target.shown
    if as_json:
        table = evaluation.to_table() | ({} if scores is None else scores.to_table())
        if errors:
            table["confusions"] = [
                {
                    "target": visible(one.target),
                    "predicted": visible(one.predicted),
                    "count": one.count,
                }
                for one in evaluation.confusions
            ]
        print(json.dumps(table, ensure_ascii=False))
        return
    links_lines = [] if scores is None else _link_lines(scores)
    print("\n".join([*links_lines, *_lines(evaluation, visible, errors=errors)]))


def _link_scores(predictor: Predictor, pairs: Sequence[Pair], task: LinkTask) -> LinkScores:
    if len(pairs) != len(task.gold):
        raise DataError(f"{len(pairs)} pairs, but links for {len(task.gold)}: expected as many.")
    with bar(TextColumn("{task.completed:,} of {task.total:,}")) as shown:
        progress = shown.add_task("linking", total=len(pairs))
        found: list[list[Link]] = []
        for each in links(predictor, pairs, task.linking, task.other):
            found.append(each)
            shown.advance(progress)
    return score_links(found, task.gold)


def _link_lines(scores: LinkScores) -> list[str]:
    return [
        f"alignment error    {percent(scores.alignment_error_rate)}",
        f"  precision        {percent(scores.precision)}",
        f"  recall           {percent(scores.recall)}",
    ]


def _lines(evaluation: Evaluation, visible: Callable[[str], str], *, errors: bool) -> list[str]:
    lines = [
        f"pairs              {evaluation.pairs:6,}",
        f"exact match        {percent(evaluation.accuracy)}",
        f"word error rate    {percent(evaluation.word_error_rate)}",
        f"symbol error rate  {percent(evaluation.symbol_error_rate)}",
    ]
    for score in evaluation.texts:
        low, high = score.measure.low, score.measure.high
        name = {"bleu": "BLEU", "chrf": "chrF"}[score.name]
        lines.append(
            f"{name:<18} {score.measure.value:6.2f}     95 % interval {low:.2f} to {high:.2f}"
        )
        lines.append(f"                   {score.signature}")
    return [*lines, *(_confusions(evaluation, visible) if errors else []), evaluation.signature]


def _note_conflicts(pairs: Sequence[Pair]) -> None:
    targets: defaultdict[tuple[str, frozenset[str]], set[str]] = defaultdict(set)
    for pair in pairs:
        targets[pair.asked].add(pair.target)
    count = sum(len(each) > 1 for each in targets.values())
    if count:
        say(
            f"note: {count} sources stand there with several targets; --alternatives takes any of "
            "them as right."
        )


def _confusions(evaluation: Evaluation, visible: Callable[[str], str]) -> list[str]:
    lines = ["", " count  should be -> was written"]
    for one in evaluation.confusions[:_SHOWN]:
        lines.append(
            f"{one.count:6d}  {visible(one.target) or 'nothing'} -> "
            f"{visible(one.predicted) or 'nothing'}"
        )
    hidden = len(evaluation.confusions) - _SHOWN
    return [*lines, f"        and {hidden} other kinds" if hidden > 0 else "", ""]
