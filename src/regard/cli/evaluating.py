"""Carries out `regard evaluate`."""

import json

from regard.cli.given import note_unseen, percent
from regard.errors import SettingsError
from regard.evaluation import Evaluation
from regard.predictor import Predictor
from regard.text import Parallel

_SHOWN = 20


def carry_out(
    predictor: Predictor, data: str | Parallel | None, *, beam: int, errors: bool, as_json: bool
) -> None:
    """Predict, compare, and print the measures."""
    if data is None:
        raise SettingsError("expected pairs to evaluate.")
    pairs = predictor.pairs(data)
    note_unseen(predictor, pairs)
    evaluation = predictor.evaluate(pairs, beam_size=beam)
    if as_json:
        table = evaluation.to_table()
        if errors:
            table["confusions"] = [
                {"target": one.target, "predicted": one.predicted, "count": one.count}
                for one in evaluation.confusions
            ]
        print(json.dumps(table, ensure_ascii=False))
        return
    print(f"pairs              {evaluation.pairs:6,}")
    print(f"exact match        {percent(evaluation.accuracy)}")
    print(f"word error rate    {percent(evaluation.word_error_rate)}")
    print(f"symbol error rate  {percent(evaluation.symbol_error_rate)}")
    if errors:
        print("\n".join(_confusions(evaluation)))
    print(evaluation.signature)


def _confusions(evaluation: Evaluation) -> list[str]:
    lines = ["", " count  should be -> was written"]
    for one in evaluation.confusions[:_SHOWN]:
        lines.append(f"{one.count:6d}  {one.target or 'nothing'} -> {one.predicted or 'nothing'}")
    hidden = len(evaluation.confusions) - _SHOWN
    return [*lines, f"        and {hidden} other kinds" if hidden > 0 else "", ""]
