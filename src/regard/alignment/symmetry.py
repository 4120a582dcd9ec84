"""Two directions become one alignment.

A model that writes the target from the source links each target position, one
that writes the other way each source position. Links in both are trusted
most; `grow-diag` adds, next to what is linked, links of either direction that
reach a position not linked yet, and `final` adds such links anywhere: if one
of the two positions is free, or (`and`) only if both are.

Och and Ney (2003), doi:10.1162/089120103321337421; Koehn et al. (2005).
"""

from collections.abc import Collection
from typing import Literal, get_args

from regard.alignment.links import Link
from regard.errors import SettingsError

Symmetry = Literal["intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"]

_NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def symmetrized(
    forwards: Collection[Link], backwards: Collection[Link], symmetry: Symmetry
) -> list[Link]:
    """One alignment of two, sorted.

    Args:
        forwards: Links of one direction.
        backwards: Links of the other, as source and target of the first.
        symmetry: How.

    Raises:
        SettingsError: There is no such way.

    Examples:
        >>> forwards, backwards = [Link(0, 0), Link(0, 1)], [Link(0, 0), Link(1, 1)]
        >>> symmetrized(forwards, backwards, "intersection")
        [Link(source=0, target=0)]
        >>> symmetrized(forwards, backwards, "grow-diag")
        [Link(source=0, target=0), Link(source=0, target=1), Link(source=1, target=1)]
    """
    if symmetry not in get_args(Symmetry):
        expected = ", ".join(get_args(Symmetry))
        raise SettingsError(f"unknown way {symmetry!r}: expected one of {expected}.")
    one, other = set(forwards), set(backwards)
    if symmetry == "union":
        return sorted(one | other)
    growth = _Growth(one & other)
    if symmetry.startswith("grow-diag"):
        growth.grow(one | other)
    if "final" in symmetry:
        growth.close(one, needs_both=symmetry.endswith("and"))
        growth.close(other, needs_both=symmetry.endswith("and"))
    return sorted(growth.links)


class _Growth:
    def __init__(self, links: set[Link]) -> None:
        self.links = links
        self.sources = {link.source for link in links}
        self.targets = {link.target for link in links}

    def grow(self, union: set[Link]) -> None:
        """Add neighbours from the union that reach a free position, until there are none."""
        queue = sorted(self.links)
        while queue:
            added: list[Link] = []
            for link in queue:
                for source, target in _NEIGHBOURS:
                    near = Link(link.source + source, link.target + target)
                    is_free = near.source not in self.sources or near.target not in self.targets
                    if is_free and near in union and near not in self.links:
                        self._add(near)
                        added.append(near)
            queue = sorted(self.links) if added else []

    def close(self, links: set[Link], *, needs_both: bool) -> None:
        """Add links whose positions are free."""
        for link in sorted(links):
            free = (link.source not in self.sources, link.target not in self.targets)
            if all(free) if needs_both else any(free):
                self._add(link)

    def _add(self, link: Link) -> None:
        self.links.add(link)
        self.sources.add(link.source)
        self.targets.add(link.target)
