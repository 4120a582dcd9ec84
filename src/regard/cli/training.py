"""Carries out `regard train`."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from regard.cli.given import percent
from regard.cli.watch import Watch
from regard.cli.words import say
from regard.settings import read_toml
from regard.text import Files, Parallel
from regard.training import RunSettings, train


def carry_out(
    data: str | Parallel | Files,
    dev: str | Parallel | Files | None,
    *,
    output: Path,
    config: Path | None,
    assignments: Sequence[str],
    shortcuts: Mapping[str, object],
    resume: bool,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Train, tell about it, and print the final scores."""
    settings = RunSettings.of({} if config is None else read_toml(config))
    settings = settings.with_values(shortcuts)
    for assignment in assignments:
        settings = settings.changed(assignment)
    with Watch(is_quiet=quiet) as watch:
        train(
            data,
            dev,
            output=output,
            settings=settings,
            resume=resume,
            overwrite=overwrite,
            command=command_line(),
            listen=watch,
        )
    if watch.final is not None:
        print(f"dev error rate     {percent(watch.final.word_error_rate)}")
        print(f"dev symbol errors  {percent(watch.final.symbol_error_rate)}")
    if not quiet:
        say(f"saved in {output}; look with: regard show {shlex.quote(str(output))} TEXT")
        if watch.store is not None:
            say(
                f"tokens stay in {watch.store}, whence another training on the same text begins at "
                "once; the model does not need that folder"
            )


def command_line() -> str:
    """The command as it was typed, without what only concerns this one try."""
    words = [word for word in sys.argv[1:] if word not in ("--resume", "--overwrite")]
    return shlex.join(["regard", *words])
