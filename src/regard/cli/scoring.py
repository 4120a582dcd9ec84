"""Carries out `regard score`."""

from pathlib import Path

from regard.cli.given import note_unseen, rows_given
from regard.predictor import Predictor
from regard.text import Parallel, open_output


def carry_out(predictor: Predictor, data: str | Parallel, output: Path | None) -> None:
    """Print the log-probability of each target; a blank line stays one."""
    with open_output(output or "-") as file:
        for chunk in rows_given(predictor, data):
            pairs = [row for row in chunk if row is not None]
            note_unseen(predictor, pairs)
            scores = predictor.forced(pairs)
            for row in chunk:
                line = "" if row is None else f"{next(scores).log_prob:.6f}"
                file.write(line.encode() + b"\n")
