"""Pairs and predictions as what is scored."""

from collections.abc import Sequence
from dataclasses import replace

from regard.evaluation import Scored
from regard.model import SideSettings
from regard.predictor.prediction import CountListener
from regard.predictor.searcher import Searcher
from regard.text import Pair, Segmenter
from regard.version import VERSION


def with_alternatives(pairs: Sequence[Pair]) -> list[Pair]:
    """One pair for each source with its tags; the targets of later ones are right as well.

    Examples:
        >>> rows = [Pair("read", "riːd"), Pair("a", "ə"), Pair("read", "rɛd")]
        >>> [(pair.target, pair.others) for pair in with_alternatives(rows)]
        [('riːd', ('rɛd',)), ('ə', ())]
        >>> rows = [Pair("a", "b", ("V", "1+PL")), Pair("a", "c", ("PL", "1", "V"))]
        >>> len(with_alternatives(rows))
        1
    """
    found: dict[tuple[str, frozenset[str]], Pair] = {}
    for pair in pairs:
        first = found.get(pair.asked)
        if first is None:
            found[pair.asked] = pair
        else:
            found[pair.asked] = replace(first, others=(*first.others, pair.target, *pair.others))
    return list(found.values())


def scored_of(pair: Pair, text: str, segmenter: Segmenter) -> Scored:
    """What was written beside the targets that are right."""
    references = (pair.target, *pair.others)
    targets = tuple(tuple(segmenter.texts(reference)) for reference in references)
    return Scored(text, tuple(segmenter.texts(text)), references, targets)


def signature_of(side: SideSettings, pairs: Sequence[Pair], beam_size: int) -> str:
    """What figures must share to be comparable, in a line."""
    any_alternative = " | any alternative" if any(pair.others for pair in pairs) else ""
    return (
        f"regard {VERSION} | beam {beam_size} | target symbols {side.symbols} | "
        f"normalize {side.normalize} | pairs {len(pairs)}{any_alternative}"
    )


def scored_by(
    searcher: Searcher,
    pairs: Sequence[Pair],
    beam_size: int,
    listen: CountListener | None = None,
) -> list[Scored]:
    """What a model writes for each source, beside what is right.

    Args:
        searcher: Finds it.
        pairs: The pairs, in their order.
        beam_size: Hypotheses side by side.
        listen: Is told how many are done, and of how many.
    """
    found: list[Scored] = []
    read = map(searcher.reader.read, pairs)
    for pair, (asked, hypotheses) in zip(pairs, searcher.found(read, beam_size, 1), strict=True):
        text = searcher.writer.text(asked, hypotheses[0])
        found.append(scored_of(pair, text, searcher.reader.target))
        if listen is not None:
            listen(len(found), len(pairs))
    return found
