"""What the commands share: how they speak. Light to import."""

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn


def say(text: str) -> None:
    """A note, on standard error."""
    print(text, file=sys.stderr, flush=True)


def bar(*columns: ProgressColumn) -> Progress:
    """A progress bar on standard error, shown on a terminal only."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *columns,
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


def is_unicode(encoding: str | None) -> bool:
    """Whether an encoding has more than ASCII."""
    return (encoding or "ascii").lower().replace("-", "").startswith("utf")
