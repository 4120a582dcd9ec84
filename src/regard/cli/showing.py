"""Carries out `regard show`."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from regard.alignment import Alignment, draw_text
from regard.cli.given import note_unseen
from regard.cli.words import is_unicode, say
from regard.errors import SettingsError
from regard.predictor import LookedUp, Predictor, replace_tags
from regard.text import Pair


def carry_out(
    folder: Path,
    text: str,
    *,
    tags: str | None,
    target: str | None,
    step: int | None,
    beam: int,
    files: Mapping[str, Path],
    longest: int | None,
    device: str,
) -> None:
    """Predict, or force a target, and show where the decoder looked."""
    for kind, path in files.items():
        if path.suffix.lower() != f".{kind}":
            raise SettingsError(f"--{kind} {path}: expected a name that ends in .{kind}.")
    predictor = Predictor.load(folder, device).with_text(longest=longest)
    pair = replace_tags(Pair(text, target or ""), tags)
    if target is None:
        prediction = next(iter(predictor.stream([pair], beam_size=beam, is_tested=True)))
        written, log_prob, alignment = prediction.text, prediction.log_prob, prediction.alignment
        for one in prediction.unseen:
            say(f"note: training never saw {one.symbol!r}.")
        if not prediction.is_complete:
            say("note: the prediction was ended by the length limit.")
    else:
        note_unseen(predictor, [pair])
        hypothesis = next(iter(predictor.forced([pair])))
        written, log_prob = target, hypothesis.log_prob
        looks = predictor.model.decoder.alignment is not None
        alignment = predictor.tested([pair], [hypothesis])[0] if looks else None
    print(f"{written}\t{log_prob:.4f}")
    if alignment is None:
        say("note: this model never looks back: it has no alignment.")
        if files:
            raise SettingsError("this model never looks back: there is no alignment to draw.")
    else:
        _show(alignment, files)
    if step is not None:
        print()
        print("\n".join(numbers(predictor.look_up(Pair(text, written, pair.tags), step), step)))


def _show(alignment: Alignment, files: Mapping[str, Path]) -> None:
    width = shutil.get_terminal_size((100, 24)).columns
    uses_blocks = is_unicode(sys.stdout.encoding) and "NO_COLOR" not in os.environ
    print(draw_text(alignment, width=width, uses_blocks=uses_blocks))
    for path in files.values():
        alignment.save(path)
        say(f"wrote {path}")


def numbers(looked: LookedUp, step: int) -> list[str]:
    """One step in numbers: scores, mask, weights, context, and what follows."""
    heads = len(looked.scores)
    names = ["score"] if heads == 1 else [f"score {head}" for head in range(1, heads + 1)]
    head = "".join(f"{name:>10}" for name in names)
    lines = [f"step {step} writes {looked.written}", f" place{head}   open    weight  symbol"]
    for place, label in enumerate(looked.source):
        scores = "".join(f"{score:10.4f}" for score in looked.scores[:, place])
        opened = "yes" if looked.mask[place] else "no"
        lines.append(
            f"{place + 1:6d}{scores}{opened:>7}{looked.weights[place]:10.4f}  {label.shown}"
        )
    lines.append(f"weights sum to {looked.weights.sum():.6f}")
    lines.append(f"context ({len(looked.context)} numbers)")
    for start in range(0, len(looked.context), 8):
        lines.append("".join(f"{number:10.4f}" for number in looked.context[start : start + 8]))
    likely = ", ".join(f"{symbol} {chance:.4f}" for symbol, chance in looked.likeliest)
    lines.append(f"next symbol: {likely}")
    return lines
