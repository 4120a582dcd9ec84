"""Hard links of given pairs: which map, which row, which way to link."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from regard.alignment import (
    Alignment,
    Link,
    LinkMethod,
    Symmetry,
    by_words,
    following,
    links_of,
    symmetrized,
)
from regard.errors import SettingsError
from regard.inspection import InspectionSettings
from regard.predictor.inspecting import Inspector
from regard.predictor.predictor import Predictor
from regard.predictor.searcher import CHUNK
from regard.text import Pair

MapMethod = Literal["weights", "erasure", "substitution"]
Rows = Literal["predicting", "following"]


@dataclass(frozen=True)
class Linking:
    """How links are made of a map.

    Attributes:
        method: Where the decoder looked (weights), or what matters when a
            position is erased or a symbol substituted.
        links: How links are made of it; see `regard.alignment.links`.
        threshold: The least weight, for links of that name alone.
        rows: Whether a symbol's row is the one that predicted it, or the one after.
        symmetry: How links of the other direction are joined, if there is one.
    """

    method: MapMethod = "weights"
    links: LinkMethod = "argmax"
    threshold: float | None = None
    rows: Rows = "predicting"
    symmetry: Symmetry = "grow-diag-final-and"

    def of(self, alignment: Alignment) -> list[Link]:
        """The links of one map."""
        return links_of(alignment.content(), self.links, self.threshold)


def maps(predictor: Predictor, pairs: Sequence[Pair], linking: Linking) -> Iterator[Alignment]:
    """The maps of given pairs, in their order and in constant memory.

    Raises:
        SettingsError: The model never looks back.
    """
    if predictor.model.decoder.alignment is None:
        raise SettingsError("this model never looks back: it has no alignment.")
    text = predictor.settings.text
    has_pieces = "subwords" in (text.source.symbols, text.target.symbols)
    each = iter(pairs)
    while chunk := list(islice(each, CHUNK)):
        for alignment in _maps(predictor, chunk, linking.method):
            own = alignment if linking.rows == "predicting" else following(alignment)
            yield by_words(own) if has_pieces else own


def links(
    predictor: Predictor,
    pairs: Sequence[Pair],
    linking: Linking,
    other: Predictor | None = None,
) -> Iterator[list[Link]]:
    """The links of given pairs.

    Args:
        predictor: The model.
        pairs: The pairs.
        linking: How.
        other: A model that writes the source from the target, to join with.
    """
    forwards = maps(predictor, pairs, linking)
    if other is None:
        yield from (linking.of(alignment) for alignment in forwards)
        return
    turned = [Pair(pair.target, pair.source, pair.tags, pair.line, pair.file) for pair in pairs]
    for one, back in zip(forwards, maps(other, turned, linking), strict=True):
        reversed_links = [Link(link.target, link.source) for link in linking.of(back)]
        yield symmetrized(linking.of(one), reversed_links, linking.symmetry)


def _maps(predictor: Predictor, pairs: Sequence[Pair], method: MapMethod) -> list[Alignment]:
    hypotheses = list(predictor.forced(pairs))
    if method == "weights":
        found = [
            predictor.alignment_of(pair, one) for pair, one in zip(pairs, hypotheses, strict=True)
        ]
        return [one for one in found if one is not None]
    inspector = Inspector(predictor.saved, predictor.searcher, InspectionSettings())
    return inspector.effects(pairs, hypotheses, by_words=method == "substitution")
