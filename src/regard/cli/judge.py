"""The options of the commands that judge: data, models, maps. The work is imported inside."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli.options import (
    Alternatives,
    Beam,
    ColumnOrder,
    Device,
    LinkKind,
    Longest,
    Method,
    Model,
    OpenBeam,
    PairsFile,
    Reverse,
    Rows,
    SourceFile,
    Symmetrize,
    TagsColumn,
    TargetFile,
    Threshold,
)

LowerCase = Annotated[bool, typer.Option("--lower-case", help="BLEU and chrF pass over capitals.")]
GoldLinks = Annotated[
    Path | None,
    typer.Option("--links", help="Right links: adds the alignment error rate.", show_default=False),
]
LinksFrom = Annotated[
    int | None, typer.Option(min=0, max=1, help="Its first position.", show_default="0")
]
LinksReversed = Annotated[bool, typer.Option("--links-reversed", help="It names targets first.")]
LinksColumn = Annotated[
    int | None, typer.Option(min=1, help="Its column with links.", show_default=False)
]


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="Files of pairs, training first.", show_default=False),
    ] = None,
    fix: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write clean copies here.", show_default=False),
    ] = None,
    examples: Annotated[
        int | None, typer.Option(min=0, help="Places shown of a kind.", show_default="3")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    columns: ColumnOrder = None,
    tags_column: TagsColumn = None,
    source_file: SourceFile = None,
    target_file: TargetFile = None,
    dev_source_file: SourceFile = None,
    dev_target_file: TargetFile = None,
) -> None:
    """Say what is wrong with files of pairs before anything is trained on them."""
    from regard.cli.checking import carry_out
    from regard.cli.given import columns_given, examined_given, refuse_beside

    refuse_beside("--json", json, {"--examples": examples})
    order = columns_given(columns, tags_column)
    given = examined_given(files or [], source_file, target_file, dev_source_file, dev_target_file)
    if not carry_out(
        given, order, as_json=json, folder=fix, examples=3 if examples is None else examples
    ):
        raise typer.Exit(1)


def evaluate(
    model: Model,
    pairs: PairsFile = None,
    beam: Beam = 1,
    errors: Annotated[bool, typer.Option("--errors", help="List the confusions.")] = False,
    alternatives: Alternatives = False,
    bleu: Annotated[bool, typer.Option("--bleu", help="BLEU (mt extra).")] = False,
    chrf: Annotated[bool, typer.Option("--chrf", help="chrF (mt extra).")] = False,
    lower_case: LowerCase = False,
    gold: GoldLinks = None,
    links_from: LinksFrom = None,
    links_reversed: LinksReversed = False,
    links_column: LinksColumn = None,
    threshold: Threshold = None,
    method: Method = None,
    link: LinkKind = None,
    rows: Rows = None,
    reverse: Reverse = None,
    symmetrize: Symmetrize = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    longest: Longest = None,
    columns: ColumnOrder = None,
    tags_column: TagsColumn = None,
    source_file: SourceFile = None,
    target_file: TargetFile = None,
    device: Device = "cpu",
) -> None:
    """Predict the sources and compare with the targets."""
    from regard.cli.evaluating import LinkTask, carry_out
    from regard.cli.given import (
        data_given,
        linking_given,
        other_given,
        predictor_given,
        require_with,
    )
    from regard.evaluation import LinkLayout, TextMeasures, read_links

    data = data_given(pairs, source_file, target_file, "PAIRS")
    require_with("--bleu or --chrf", bleu or chrf, {"--lower-case": lower_case})
    require_with(
        "--links",
        gold is not None,
        {
            "--links-from": links_from,
            "--links-reversed": links_reversed,
            "--links-column": links_column,
            "--threshold": threshold,
            "--method": method,
            "--link": link,
            "--rows": rows,
            "--reverse": reverse,
            "--symmetrize": symmetrize,
        },
    )
    require_with("--reverse", reverse is not None, {"--symmetrize": symmetrize})
    linking = linking_given(method, link, threshold, rows, symmetrize)
    predictor = predictor_given(model, device, data, columns, tags_column, longest)
    task = (
        None
        if gold is None
        else LinkTask(
            read_links(gold, LinkLayout(links_from or 0, links_reversed, links_column)),
            linking,
            other_given(reverse, device),
        )
    )
    carry_out(
        predictor,
        data,
        beam=beam,
        errors=errors,
        as_json=json,
        alternatives=alternatives,
        text_measures=TextMeasures(bleu, chrf, lower_case),
        link_task=task,
    )


def compare(
    first: Annotated[Path, typer.Argument(help="A model folder.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="Another.", show_default=False)],
    pairs: PairsFile = None,
    beam: Beam = 1,
    alternatives: Alternatives = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    longest: Longest = None,
    columns: ColumnOrder = None,
    tags_column: TagsColumn = None,
    source_file: SourceFile = None,
    target_file: TargetFile = None,
    device: Device = "cpu",
) -> None:
    """Compare two models on the same pairs: the difference, and whether chance explains it."""
    from regard.cli.comparing import carry_out
    from regard.cli.given import data_given, predictor_given

    data = data_given(pairs, source_file, target_file, "PAIRS")
    models = {
        str(folder): predictor_given(folder, device, data, columns, tags_column, longest)
        for folder in (first, second)
    }
    carry_out(models, data, beam=beam, alternatives=alternatives, as_json=json)


def inspect(
    model: Model,
    pairs: PairsFile = None,
    forced: Annotated[
        bool, typer.Option("--forced", help="Test the given targets, not what the model writes.")
    ] = False,
    beam: OpenBeam = None,
    html: Annotated[Path | None, typer.Option(help="Write a report.", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Such as effect=0.2 or shape.sink=0.5.",
            show_default=False,
        ),
    ] = None,
    longest: Longest = None,
    columns: ColumnOrder = None,
    tags_column: TagsColumn = None,
    source_file: SourceFile = None,
    target_file: TargetFile = None,
    device: Device = "cpu",
) -> None:
    """Test whether the map may be believed: exact checks, shape, use, verdict."""
    from regard.cli.given import data_given, predictor_given, refuse_beside
    from regard.cli.inspecting import carry_out

    data = data_given(pairs, source_file, target_file, "PAIRS")
    refuse_beside("--forced", forced, {"--beam": beam})
    carry_out(
        predictor_given(model, device, data, columns, tags_column, longest),
        data,
        is_forced=forced,
        beam=beam or 1,
        html=html,
        as_json=json,
        assignments=settings or [],
    )
