"""Everything that can go wrong, as one family.

    RegardError
    ├── ShapeError        (ValueError)   arrays that do not fit together
    ├── KindError         (TypeError)    an array of the wrong kind, such as an integer mask
    ├── SettingsError     (ValueError)   an unknown, mistyped or impossible setting
    ├── DataError         (ValueError)   a file that is not what it should be: file, line
    ├── VocabularyError   (ValueError)   a symbol that may not be used
    ├── CheckpointError   (OSError)      a model folder that cannot be read or written
    ├── MissingExtraError (ImportError)  an optional library is not installed
    └── StoppedError      (RuntimeError) training was asked to stop; it saved first

Each is also one of Python's own errors, so a plain `except ValueError` works.
"""

from pathlib import Path


class RegardError(Exception):
    """The root of the family: catch this to catch them all."""


class ShapeError(RegardError, ValueError):
    """Two arrays do not fit together."""


class KindError(RegardError, TypeError):
    """An array has the wrong kind of numbers."""


class SettingsError(RegardError, ValueError):
    """A setting is unknown, of the wrong type, or impossible."""


class DataError(RegardError, ValueError):
    """A file of text is not what it should be.

    Args:
        message: What was expected and what was found.
        path: The file, or None for text that came from a program.
        line: The line's number, counted from one.
        reason: The same in a few words, where this line alone is at fault.
    """

    def __init__(
        self,
        message: str,
        path: str | Path | None = None,
        line: int | None = None,
        *,
        reason: str | None = None,
    ) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        self.reason = reason
        place = ", ".join(
            part for part in (self.path, None if line is None else f"line {line}") if part
        )
        super().__init__(f"{place}: {message}" if place else message)


class VocabularyError(RegardError, ValueError):
    """A symbol was met that the model's policy does not allow.

    Args:
        message: Which, and where.
        reason: The same in a few words, where one line alone is at fault.
    """

    def __init__(self, message: str, *, reason: str | None = None) -> None:
        self.reason = reason
        super().__init__(message)


class CheckpointError(RegardError, OSError):
    """A model folder is missing, damaged, or of another format."""


class MissingExtraError(RegardError, ImportError):
    """An optional library is needed and not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs an extra: pip install 'regard[{extra}]'")


class StoppedError(RegardError, RuntimeError):
    """Training was stopped from outside, after it had saved its state.

    Args:
        message: How to go on.
        signal_number: The signal that asked for it.
    """

    def __init__(self, message: str, signal_number: int) -> None:
        self.signal_number = signal_number
        super().__init__(message)
