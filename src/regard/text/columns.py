"""Which column of a file holds what."""

from dataclasses import dataclass, replace

from regard.errors import SettingsError

NAMES = ("source", "target", "tags")
"""What JSON Lines and Parquet call the columns, unless something else is said."""


@dataclass(frozen=True)
class Columns:
    """Which column of a file holds what, counted from zero; where columns have names, their names.

    Attributes:
        source: The source's column.
        target: The target's column, or None for files of sources alone.
        tags: The tags' column, or None.
        allows_more: Whether further columns are passed over.
        has_others: Whether further columns hold targets that are right as well.
        names: What JSON Lines and Parquet call source, target and tags.
    """

    source: int = 0
    target: int | None = 1
    tags: int | None = None
    allows_more: bool = False
    has_others: bool = False
    names: tuple[str, str, str] = NAMES

    def with_others(self) -> "Columns":
        """The same, with further targets behind the last column, unless those are passed over."""
        return self if self.allows_more else replace(self, has_others=True)

    @classmethod
    def parse(cls, text: str) -> "Columns":
        """Read an order such as "source,tags,target", "1,3,2", or "source=word,target=phones".

        Numbers say, from one, where source, target and tags stand. Names list
        the columns in their order, with "-" for one that is passed over. With
        "=" they say what JSON Lines and Parquet call them.

        Raises:
            SettingsError: It is neither.
        """
        if "=" in text:
            return cls(names=_named(text))
        words = [word.strip() for word in text.replace("\t", ",").split(",")]
        are_places = all(word.isdecimal() and len(word) < 10 and int(word) > 0 for word in words)
        if are_places and len(words) in (2, 3):
            places = [int(word) - 1 for word in words]
        elif all(word in (*NAMES, "-") for word in words) and {"source", "target"} <= set(words):
            places = [words.index(name) for name in NAMES if name in words]
        else:
            places = []
        if not places or len(set(places)) != len(places):
            raise _unclear(text)
        return cls(places[0], places[1], places[2] if len(places) > 2 else None, allows_more=True)

    @property
    def count(self) -> int:
        """How many columns a line must have."""
        return 1 + max(
            place for place in (self.source, self.target, self.tags, 0) if place is not None
        )

    @property
    def needed(self) -> tuple[str, ...]:
        """The names of the columns that every line must have."""
        return self.names[: 1 if self.target is None else 2]


def _named(text: str) -> tuple[str, str, str]:
    rows = [part.partition("=")[::2] for part in text.split(",")]
    table = {what.strip(): name.strip() for what, name in rows}
    source, target, tags = (table.get(name, name) for name in NAMES)
    is_clear = len(table) == len(rows) and set(table) <= set(NAMES)
    if not is_clear or len({source, target, tags, ""}) != 4:
        raise _unclear(text)
    return source, target, tags


def _unclear(text: str) -> SettingsError:
    return SettingsError(
        f"columns are {text!r}: expected names such as 'source,tags,target', the numbers of source, "
        "target and tags such as '1,3,2', or what JSON Lines and Parquet call them, such as "
        "'source=word,target=phones'."
    )
