"""regard predict: the options. The work is in `regard.cli.prediction`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from regard.cli.options import (
    Beam,
    ColumnOrder,
    Device,
    Longest,
    Model,
    Output,
    Refused,
    TagsColumn,
    Unseen,
)


def predict(
    model: Model,
    file: Annotated[str, typer.Argument(help="A source a line; - is standard input.")] = "-",
    output: Output = None,
    beam: Beam = 1,
    n_best: Annotated[
        int,
        typer.Option("--n-best", min=1, help="Candidates a line; the beam is as wide at least."),
    ] = 1,
    scores: Annotated[bool, typer.Option("--scores", help="Add log-probabilities.")] = False,
    alignments: Annotated[
        Path | None, typer.Option(help="Write alignments, JSON Lines.", show_default=False)
    ] = None,
    output_format: Annotated[
        Literal["text", "tsv", "jsonl"], typer.Option("--format", help="How lines are written.")
    ] = "text",
    unseen: Unseen = None,
    longest: Longest = None,
    refused: Refused = "empty",
    columns: ColumnOrder = None,
    tags_column: TagsColumn = None,
    device: Device = "cpu",
) -> None:
    """Predict: N lines in, N lines out, in order; blank in, blank out."""
    from regard.cli.answers import LineForm
    from regard.cli.given import sources_given
    from regard.cli.prediction import carry_out
    from regard.predictor import Predictor

    predictor = Predictor.load(model, device).with_text(unseen=unseen, longest=longest)
    form = LineForm(output_format, has_scores=scores, n_best=n_best)
    rows = sources_given(predictor, file, columns, tags_column)
    if not carry_out(
        predictor,
        rows,
        form,
        output=output,
        alignments=alignments,
        beam=beam,
        stops=refused == "stop",
    ):
        raise typer.Exit(1)
