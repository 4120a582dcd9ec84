"""Tags: what a form is asked to be, as a set of features.

    V;PST;3;SG                V, PST, 3, SG
    N;ABL(SG;PSS(1,PL))       N, ABL, ABL:SG, ABL:PSS, PSS:1, PSS:PL
    ARGAC3S+ARGNO2P           ARGAC3S, ARGNO2P

A set has no order, so a feature inside of another keeps that one's name: without
it "my houses" and "our house" would be the same set. What is joined by "+" is asked for
at once, and is told apart: a model then combines what it has only seen apart.

The notation is that of UniMorph (Batsuren et al. 2022, arXiv:2205.03608) and of
earlier releases of the same schema.
"""

import re
from collections.abc import Container, Iterable, Iterator
from typing import cast

from regard.errors import DataError

_PIECE = re.compile(r"[^;,|()\s]+|[()]")


def tags_of(tags: object) -> tuple[str, ...]:
    """The features of "V;PST;3;SG", of nested "N;ABL(PL)", or of a list of them.

    Each stands once, in the order of the text.

    Raises:
        DataError: It is neither text nor a list.

    Example:
        >>> tags_of("N;ABL(SG;PSS(1,PL))")
        ('N', 'ABL', 'ABL:SG', 'ABL:PSS', 'PSS:1', 'PSS:PL')
    """
    if isinstance(tags, str):
        return tuple(dict.fromkeys(_features(tags)))
    if isinstance(tags, list | tuple):
        return tuple(str(tag) for tag in cast(list[object], tags))
    raise DataError(f"expected tags such as 'V;PST;3;SG' or a list of them, found {tags!r}.")


def parts_of(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags with what "+" joins taken apart: what a model learns.

    Example:
        >>> parts_of(["V", "ARGAC3S+ARGNO2P"])
        ('V', 'ARGAC3S', 'ARGNO2P')
    """
    return tuple(part for tag in tags for part in _parts(tag))


def told_of(tags: Iterable[str], known: Container[str]) -> tuple[str, ...]:
    """Tags as a model was taught to read them.

    A tag that training saw stands for itself. Of any other the parts are told,
    and a part that was never seen inside of its feature is told without it.

    Args:
        tags: What `tags_of` gave.
        known: The tags of the training data.

    Example:
        >>> told_of(["V", "NOM:SG", "A+B"], {"V", "SG", "A"})
        ('V', 'SG', 'A', 'B')
    """
    return tuple(
        _seen(part, known)
        for tag in tags
        for part in ([tag] if tag in known else _parts(tag))
    )  # fmt: skip


def _features(text: str) -> Iterator[str]:
    around, last = [""], ""
    for piece in _PIECE.findall(text.replace(")+", ");")):
        if piece == "(":
            around.append(f"{last}:" if last else "")
        elif piece == ")":
            around = around[:-1] or [""]
        else:
            last = piece
            yield around[-1] + piece


def _parts(tag: str) -> list[str]:
    outer, mark, name = tag.rpartition(":")
    parts = name.split("+")
    return [outer + mark + part for part in parts] if all(parts) else [tag]


def _seen(tag: str, known: Container[str]) -> str:
    name = tag.rpartition(":")[2]
    return tag if tag in known or name not in known else name
