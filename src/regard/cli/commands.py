"""The other commands' options. The work is imported inside, so that help comes at once."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from regard.cli.options import (
    ColumnOrder,
    Device,
    LinkKind,
    Longest,
    Method,
    Model,
    OpenBeam,
    Output,
    PairsFile,
    Reverse,
    Rows,
    SourceFile,
    Symmetrize,
    TagsColumn,
    TargetFile,
    Threshold,
)


def demo(
    output: Annotated[Path, typer.Option("-o", "--output", help="Where the model goes.")] = Path(
        "demo"
    ),
    page: Annotated[Path, typer.Option("--html", help="Where the page goes.")] = Path("demo.html"),
    minutes: Annotated[float, typer.Option(min=0.01, help="How long to train.")] = 1.75,
) -> None:
    """Train on real English pronunciations, predict, and show an alignment: two minutes."""
    from regard.cli.demonstration import carry_out

    carry_out(output, page, minutes)


def show(
    model: Model,
    text: Annotated[str, typer.Argument(help="A source.", show_default=False)],
    tags: Annotated[
        str | None, typer.Option(help="Its tags, such as V;PST.", show_default=False)
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Force this output.", show_default=False)
    ] = None,
    step: Annotated[
        int | None, typer.Option(min=1, help="One step in numbers.", show_default=False)
    ] = None,
    beam: OpenBeam = None,
    html: Annotated[Path | None, typer.Option(help="Write a page.", show_default=False)] = None,
    svg: Annotated[Path | None, typer.Option(help="Write a picture.", show_default=False)] = None,
    png: Annotated[
        Path | None, typer.Option(help="Write a picture (plot extra).", show_default=False)
    ] = None,
    pdf: Annotated[
        Path | None, typer.Option(help="Write a picture (plot extra).", show_default=False)
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write numbers.", show_default=False)] = None,
    longest: Longest = None,
    device: Device = "cpu",
) -> None:
    """Show one prediction and where the decoder looked."""
    from regard.cli.given import refuse_beside
    from regard.cli.showing import carry_out

    refuse_beside("--target", target is not None, {"--beam": beam})
    named = {"html": html, "svg": svg, "png": png, "pdf": pdf, "json": json}
    files = {kind: path for kind, path in named.items() if path is not None}
    carry_out(
        model,
        text,
        tags=tags,
        target=target,
        step=step,
        beam=beam or 1,
        files=files,
        longest=longest,
        device=device,
    )


def align(
    model: Model,
    pairs: PairsFile = None,
    output: Output = None,
    output_format: Annotated[
        Literal["pharaoh", "jsonl", "npz"], typer.Option("--format", help="How it is written.")
    ] = "pharaoh",
    threshold: Threshold = None,
    method: Method = None,
    link: LinkKind = None,
    rows: Rows = None,
    reverse: Reverse = None,
    symmetrize: Symmetrize = None,
    longest: Longest = None,
    columns: ColumnOrder = None,
    tags_column: TagsColumn = None,
    source_file: SourceFile = None,
    target_file: TargetFile = None,
    device: Device = "cpu",
) -> None:
    """Align given pairs: where the decoder looks while it writes each target."""
    from regard.cli.aligning import carry_out
    from regard.cli.given import (
        data_given,
        linking_given,
        other_given,
        predictor_given,
        require_with,
    )

    data = data_given(pairs, source_file, target_file, "PAIRS")
    require_with("--reverse", reverse is not None, {"--symmetrize": symmetrize})
    require_with(
        "--format pharaoh",
        output_format == "pharaoh",
        {"--link": link, "--threshold": threshold, "--reverse": reverse},
    )
    linking = linking_given(method, link, threshold, rows, symmetrize)
    predictor = predictor_given(model, device, data, columns, tags_column, longest)
    carry_out(
        predictor,
        data,
        output,
        output_format=output_format,
        linking=linking,
        other=other_given(reverse, device),
    )


def score(
    model: Model,
    pairs: PairsFile = None,
    output: Output = None,
    longest: Longest = None,
    columns: ColumnOrder = None,
    tags_column: TagsColumn = None,
    source_file: SourceFile = None,
    target_file: TargetFile = None,
    device: Device = "cpu",
) -> None:
    """Print the log-probability of each given target, a line each."""
    from regard.cli.given import data_given, predictor_given
    from regard.cli.scoring import carry_out

    data = data_given(pairs, source_file, target_file, "PAIRS")
    carry_out(predictor_given(model, device, data, columns, tags_column, longest), data, output)


def info(
    model: Model,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Say what a model folder holds."""
    from regard.cli.information import carry_out

    carry_out(model, as_json=json)


def learn(
    topic: Annotated[
        str | None,
        typer.Argument(help="What to learn; all topics if left out.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Every number, one JSON object.")] = False,
) -> None:
    """The mechanism, step by step, computed by the library itself."""
    from regard.cli.learning import carry_out

    carry_out(topic, as_json=json)


def serve(
    models: Annotated[
        list[Path] | None,
        typer.Argument(help="Model folders; the laboratory alone without any.", show_default=False),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    host: Annotated[str, typer.Option(help="0.0.0.0 lets other machines in.")] = "127.0.0.1",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Such as longest=200 or deadline=10.",
            show_default=False,
        ),
    ] = None,
    device: Device = "cpu",
) -> None:
    """Serve models: a page where one watches the decoder look back, and a REST service."""
    from regard.cli.serving import carry_out

    carry_out(models or [], host=host, port=port, assignments=settings or [], device=device)
