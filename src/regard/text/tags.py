"""Tags: what a form is asked to be, as a set of features.

    V;PST;3;SG                V, PST, 3, SG
    N;ABL(SG;PSS(1,PL))       N, ABL, ABL:SG, ABL:PSS, PSS:1, PSS:PL
    ARGAC3S+ARGNO2P           ARGAC3S, ARGNO2P

A set has no order, so a feature inside of another keeps that one's name: without
it "my houses" and "our house" would be the same set. What is joined by "+" is asked
for at once and learnt apart: a model then combines what it has only seen apart.

The notation is that of UniMorph (Batsuren et al. 2022, arXiv:2205.03608) and of
earlier releases of the same schema.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import cast

from regard.errors import DataError

_PIECE = re.compile(r"[^;,|()\s]+|[();,|]")
_JOINED = re.compile(r"\)\s*\+\s*|\s+\+\s+")


def tags_of(tags: object) -> tuple[str, ...]:
    """The features of "V;PST;3;SG", of nested "N;ABL(PL)", or of a list of them.

    Each stands once, in the order of the text.

    Raises:
        DataError: It is neither text nor a list.

    Examples:
        >>> tags_of("N;ABL(SG;PSS(1,PL))")
        ('N', 'ABL', 'ABL:SG', 'ABL:PSS', 'PSS:1', 'PSS:PL')
    """
    listed = [tags] if isinstance(tags, str) else tags
    parts = cast(Sequence[object], listed) if isinstance(listed, list | tuple) else [None]
    if not all(isinstance(part, str | int) for part in parts):
        raise DataError(f"expected tags such as 'V;PST;3;SG' or a list of them, found {tags!r}.")
    return tuple(dict.fromkeys(tag for part in parts for tag in _features(str(part))))


def parts_of(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags with what "+" joins taken apart: what a model learns.

    Examples:
        >>> parts_of(["V", "ARGAC3S+ARGNO2P"])
        ('V', 'ARGAC3S', 'ARGNO2P')
    """
    return tuple(dict.fromkeys(part for tag in tags for part in _parts(tag)))


def told_of(tags: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """Tags as a model was taught to read them.

    One that training saw stands for itself, of any other the parts are told. A
    model that was taught no nested tag is told their own names, as often as
    they stand there.

    Args:
        tags: What `tags_of` gave.
        known: The tags of the training data.

    Examples:
        >>> told_of(["V", "NOM:SG", "A+B"], ["V", "SG", "A"])
        ('V', 'SG', 'A', 'B')
        >>> told_of(["V", "NOM:SG"], ["V", "SG", "ACC:SG"])
        ('V', 'NOM:SG')
    """
    is_flat = not any(":" in tag for tag in known)
    told: list[str] = []
    for tag in tags:
        read = tag.rpartition(":")[2] if is_flat else tag
        for part in [read] if read in known else _parts(read):
            if read != tag or part not in told:
                told.append(part)
    return tuple(told)


def _features(text: str) -> Iterator[str]:
    around, last = [""], ""
    for piece in _PIECE.findall(_JOINED.sub(lambda found: ");" if ")" in found[0] else "+", text)):
        if piece == "(":
            around.append(f"{last}:" if last else around[-1])
        elif piece == ")":
            around = around[:-1] or [""]
        elif piece not in ";,|":
            yield around[-1] + piece
        last = piece.rpartition("+")[2] if piece not in "();,|" else ""


def _parts(tag: str) -> list[str]:
    outer, mark, name = tag.rpartition(":")
    parts = name.split("+")
    return [outer + mark + part for part in parts] if all(parts) else [tag]
