"""Small tasks whose true alignment is known.

    copy      abc -> abc
    reverse   abc -> cba
    insert    abc -> aa'bc     every vowel is followed by itself and a mark

A model that has learnt one of them must look where the links say.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from regard.errors import SettingsError
from regard.text.pairs import Pair

LETTERS = "abcdefghijklmnopqrst"
VOWELS = "aeio"


@dataclass(frozen=True)
class Toy:
    """A pair and its true links.

    Attributes:
        pair: Source and target, a letter a symbol.
        origins: For each target symbol, the source position that it comes from.
    """

    pair: Pair
    origins: tuple[int, ...]


def make_toys(task: str, count: int, *, length: int = 10, seed: int = 0) -> list[Toy]:
    """Random strings and what the task makes of them.

    Args:
        task: "copy", "reverse" or "insert".
        count: How many.
        length: How many letters a source has at most; at least half as many.
        seed: The same seed gives the same toys.

    Raises:
        SettingsError: The task is unknown.

    Examples:
        >>> make_toys("reverse", 1, length=3)[0].origins
        (2, 1, 0)
    """
    if task not in TASKS:
        raise SettingsError(f"unknown toy {task!r}: expected {', '.join(TASKS)}.")
    chance = random.Random(f"{task} {seed}")
    toys: list[Toy] = []
    for _ in range(count):
        size = chance.randint((length + 1) // 2, length) if task != "reverse" else length
        source = "".join(chance.choices(LETTERS, k=size))
        origins, target = TASKS[task](source)
        toys.append(Toy(Pair(source, target), origins))
    return toys


def _copy(source: str) -> tuple[tuple[int, ...], str]:
    return tuple(range(len(source))), source


def _reverse(source: str) -> tuple[tuple[int, ...], str]:
    return tuple(reversed(range(len(source)))), source[::-1]


def _insert(source: str) -> tuple[tuple[int, ...], str]:
    grown = [letter + letter + "'" if letter in VOWELS else letter for letter in source]
    origins = tuple(index for index, piece in enumerate(grown) for _ in piece)
    return origins, "".join(grown)


TASKS: dict[str, Callable[[str], tuple[tuple[int, ...], str]]] = {
    "copy": _copy,
    "reverse": _reverse,
    "insert": _insert,
}
