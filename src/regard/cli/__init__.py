"""The `regard` command: arguments in, one call, words out."""

from regard.cli.main import main, run

__all__ = ["main", "run"]
