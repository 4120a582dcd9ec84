"""The options that several commands take, each described once.

An option is open, None unless it is given, where it does nothing beside some other
option or without it: that it was given can then be told, and refused.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

Model = Annotated[Path, typer.Argument(help="The model folder.", show_default=False)]
PairsFile = Annotated[
    str | None, typer.Argument(help="A file of pairs; - is standard input.", show_default=False)
]
SourceFile = Annotated[
    Path | None, typer.Option(help="A file of sources, a line each.", show_default=False)
]
TargetFile = Annotated[
    Path | None, typer.Option(help="The file of their targets.", show_default=False)
]
ColumnOrder = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="ORDER",
        help="Where source, target and tags stand: 1,3,2 or source,tags,target; "
        "in JSON Lines and Parquet source=NAME,target=NAME.",
        show_default=False,
    ),
]
TagsColumn = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="[N]",
        help="Tags stand in a column: the third, if no number follows.",
        show_default=False,
    ),
]
Alternatives = Annotated[
    bool, typer.Option("--alternatives", help="Pairs of one source: any target is right.")
]
Beam = Annotated[int, typer.Option("--beam", min=1, help="Hypotheses kept side by side.")]
OpenBeam = Annotated[
    int | None,
    typer.Option("--beam", min=1, help="Hypotheses kept side by side.", show_default="1"),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write here; .gz compresses.", show_default=False),
]
Unseen = Annotated[
    Literal["copy", "unknown", "error"] | None,
    typer.Option(help="Unseen symbols in this run; as the model says without.", show_default=False),
]
Longest = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Most symbols of a side in this run; as the model says without.",
        show_default=False,
    ),
]
Refused = Annotated[
    Literal["empty", "stop"],
    typer.Option(help="A line that cannot be predicted: answer nothing and a reason, or stop."),
]
Device = Annotated[str, typer.Option(help="cpu, cuda, ...")]
Method = Annotated[
    Literal["weights", "erasure", "substitution"] | None,
    typer.Option(
        help="Where it looked, or what matters when erased or substituted.", show_default="weights"
    ),
]
LinkKind = Annotated[
    Literal["argmax", "threshold", "mutual", "itermax", "matching"] | None,
    typer.Option("--link", help="How links are made of a map.", show_default="argmax"),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Link all pairs of this weight; the strongest without.",
        show_default=False,
    ),
]
Rows = Annotated[
    Literal["predicting", "following"] | None,
    typer.Option(
        help="A symbol's row: the one that predicted it, or the one after.",
        show_default="predicting",
    ),
]
Reverse = Annotated[
    Path | None,
    typer.Option(help="A model of the other direction, to join with.", show_default=False),
]
Symmetrize = Annotated[
    Literal["intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"] | None,
    typer.Option(help="How both directions are joined.", show_default="grow-diag-final-and"),
]
