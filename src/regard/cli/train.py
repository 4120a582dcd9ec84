"""regard train: the options. The work is in `regard.cli.training`."""

from pathlib import Path
from typing import Annotated

import typer

from regard.cli.options import ColumnOrder, SourceFile, TagsColumn, TargetFile


def option(help_text: str, *names: str, metavar: str | None = None) -> object:
    """An option that is open unless it is given."""
    return typer.Option(*names, help=help_text, metavar=metavar, show_default=False)


Data = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TRAIN...",
        help="Files of pairs, or patterns; - is standard input.",
        show_default=False,
    ),
]
Dev = Annotated[
    list[str] | None,
    option("Pairs to judge by, once a file; a fixed tenth is held out without."),
]
Assignments = Annotated[
    list[str] | None,
    option("A setting: decoder.hidden_size=256.", "--set", metavar="NAME=VALUE"),
]


def train(
    data: Data = None,
    dev: Dev = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="The model folder.")] = Path(
        "model"
    ),
    config: Annotated[Path | None, option("A TOML file of settings.", "-c", "--config")] = None,
    assignments: Assignments = None,
    attention: Annotated[
        str | None, option("scaled dot, dot, cosine, general, additive, concat, none.")
    ] = None,
    encoder: Annotated[str | None, option("lstm, gru, transformer.")] = None,
    decoder: Annotated[str | None, option("lstm, gru, transformer.")] = None,
    epochs: Annotated[int | None, option("Passes over the data.")] = None,
    minutes: Annotated[float | None, option("A time budget; the course is fitted to it.")] = None,
    seed: Annotated[int | None, option("The same seed gives the same model.")] = None,
    seeds: Annotated[
        int | None, option("Train so many models, which write together: an ensemble.")
    ] = None,
    distill: Annotated[
        bool, typer.Option("--distill", help="Let one model learn from them and stand for all.")
    ] = False,
    device: Annotated[str | None, option("auto, cpu, cuda, ...")] = None,
    precision: Annotated[str | None, option("auto, float32, bfloat16.")] = None,
    source_symbols: Annotated[str | None, option("graphemes, characters, words, subwords.")] = None,
    target_symbols: Annotated[str | None, option("graphemes, characters, words, subwords.")] = None,
    normalize: Annotated[str | None, option("Unicode form: nfc, nfd, none.")] = None,
    unseen: Annotated[str | None, option("Unseen symbols: copy, unknown, error.")] = None,
    columns: ColumnOrder = None,
    tags_column: TagsColumn = None,
    source_file: SourceFile = None,
    target_file: TargetFile = None,
    dev_source_file: SourceFile = None,
    dev_target_file: TargetFile = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a model that is there.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Tell nothing on the way.")] = False,
) -> None:
    """Train a model on pairs of strings. No settings are needed."""
    from regard.cli.given import columns_given, files_given, files_if_given
    from regard.cli.training import carry_out

    shortcuts = {
        "decoder.attention": attention and attention.replace("-", " ").replace("_", " "),
        "encoder.kind": encoder,
        "decoder.kind": decoder,
        "training.epochs": epochs,
        "training.minutes": minutes,
        "training.seed": seed,
        "training.seeds": seeds,
        "training.distill": distill or None,
        "training.device": device,
        "training.precision": precision,
        "text.source.symbols": source_symbols,
        "text.target.symbols": target_symbols,
        "text.source.normalize": normalize,
        "text.target.normalize": normalize,
        "text.unseen": unseen,
        "text.columns": columns_given(columns, tags_column),
    }
    carry_out(
        files_given(data or [], source_file, target_file, "TRAIN"),
        files_if_given(dev or [], dev_source_file, dev_target_file),
        output=output,
        config=config,
        assignments=assignments or [],
        shortcuts={name: value for name, value in shortcuts.items() if value is not None},
        resume=resume,
        overwrite=overwrite,
        quiet=quiet,
    )
