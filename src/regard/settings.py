"""A TOML table becomes validated, frozen settings, strictly.

A setting is a field of a frozen pydantic model. An unknown name is refused
with the nearest right one, a wrong type or an impossible value with what was
expected; nothing is converted in silence.
"""

import difflib
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regard.errors import SettingsError

Count = Annotated[int, Field(ge=1)]
Few = Annotated[int, Field(ge=1, le=64)]
Amount = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
ShareBelowOne = Annotated[float, Field(ge=0, lt=1)]

_SHOWN = 100

Own = TypeVar("Own", bound="Settings")
Value = TypeVar("Value")


class Settings(BaseModel):
    """The root of all settings: frozen, strict, nothing extra."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def of(cls: type[Own], table: Mapping[str, object]) -> Own:
        """Settings from a table, tables within it included.

        Raises:
            SettingsError: A name is unknown or a value impossible.
        """
        try:
            return cls.model_validate(table)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = [str(part) for part in first["loc"]]
            if first["type"] == "extra_forbidden":
                raise SettingsError(_unknown(cls, place)) from None
            given = repr(first["input"])
            given = given if len(given) <= _SHOWN else f"{given[:_SHOWN]}..."
            raise SettingsError(f"setting {'.'.join(place)} is {given}: {first['msg']}.") from None

    def changed(self: Own, assignment: str) -> Own:
        """The same with one setting changed, such as "decoder.hidden_size=256".

        Raises:
            SettingsError: It is no assignment, or the name or value is wrong.
        """
        name, equals, value = assignment.partition("=")
        if not equals:
            raise SettingsError(f"{assignment!r}: expected NAME=VALUE.")
        return self.with_values({name.strip(): _value(value.strip())})

    def with_values(self: Own, values: Mapping[str, object]) -> Own:
        """The same with some settings changed, by their dotted names.

        Raises:
            SettingsError: A name or a value is wrong.
        """
        table = self.model_dump(exclude_unset=True, exclude_none=True)
        for name, value in values.items():
            place = table
            *parents, last = name.split(".")
            for parent in parents:
                inner = place.setdefault(parent, {})
                if not isinstance(inner, dict):
                    raise SettingsError(_unknown(type(self), name.split(".")))
                place = cast(dict[str, object], inner)
            place[last] = value
        return self.of(table)

    def to_table(self) -> dict[str, object]:
        """Plain tables of what is set; settings left open are not in it."""
        return self.model_dump(exclude_none=True)

    def flat(self) -> dict[str, object]:
        """What is set, by its dotted name."""
        return dict(_leaves(self.to_table(), ()))

    def said(self) -> dict[str, object]:
        """What somebody asked for, by its dotted name, even where that is the usual value."""
        return dict(_leaves(self.model_dump(exclude_unset=True, exclude_none=True), ()))

    def to_toml(self) -> str:
        """The settings as TOML."""
        return to_toml(self.to_table())


def chosen(name: str, value: Value | None) -> Value:
    """The value of a setting that was settled.

    Raises:
        SettingsError: It is still open.
    """
    if value is None:
        raise SettingsError(
            f"{name} is open: expected a value, which training chooses where none is set."
        )
    return value


def read_toml(path: str | Path) -> dict[str, object]:
    """A TOML file as tables.

    Raises:
        SettingsError: It cannot be read, or is no TOML.
    """
    try:
        return toml_of(Path(path).read_bytes(), path)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}.") from None


def toml_of(content: bytes, place: str | Path) -> dict[str, object]:
    """The bytes of a TOML file as tables.

    Args:
        content: The bytes.
        place: Where they come from, for messages.

    Raises:
        SettingsError: They are no TOML.
    """
    try:
        return tomllib.loads(content.decode("utf-8"))
    # Beside its own errors, the reader of TOML passes on those of numbers that are too long.
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{place}: {error}.") from None


def _unknown(settings: type[BaseModel], place: list[str]) -> str:
    known: type[BaseModel] | None = settings
    for part in place[:-1]:
        annotation = known.model_fields[part].annotation if part in known.model_fields else None
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            break
        known = annotation
    nearest = difflib.get_close_matches(place[-1], known.model_fields, 1, 0.5)
    hint = (
        f"did you mean {nearest[0]!r}?"
        if nearest
        else f"there are {', '.join(known.model_fields)}."
    )
    return f"unknown setting {'.'.join(place)}; {hint}"


def _leaves(table: Mapping[str, object], name: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(cast(dict[str, object], value), (*name, key))
        else:
            yield ".".join((*name, key)), value


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def to_toml(table: Mapping[str, object], name: tuple[str, ...] = ()) -> str:
    """Nested tables of strings, numbers, booleans and lists of them as TOML."""
    lines = [f"[{'.'.join(name)}]"] if name else []
    inner: list[str] = []
    for key, value in table.items():
        if isinstance(value, dict):
            inner.append(to_toml(cast(dict[str, object], value), (*name, key)))
        else:
            # Strings, numbers, booleans and lists of them are written alike in JSON and TOML,
            # but for one character, which TOML wants escaped.
            text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
            lines.append(f"{key} = {text}")
    return "\n\n".join(["\n".join(lines), *(part.strip("\n") for part in inner)]).strip("\n") + "\n"
