"""What occurs more than once: in a file, and in two files that should have nothing in common."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from regard.text.ailments import (
    DUPLICATES,
    SAME_PAIR,
    SAME_SOURCE,
    SEVERAL_TARGETS,
    SWAPPED,
    TAG_ORDER,
    UNSEEN,
    Finding,
    Findings,
    excerpt,
    with_marks,
)
from regard.text.symbols import Segmenter, normalized
from regard.text.table import Table
from regard.text.tags import parts_of, tags_of

_CHUNK = 10_000
_MARGIN = 0.3


@dataclass(frozen=True)
class Index:
    """Where each source, with its tags, stands in a table.

    Attributes:
        table: The table.
        keys: Sources with their tags, in the order of the table.
        first: The first place of each key.
        more: Further places, by the first.
    """

    table: Table
    keys: list[str]
    first: dict[str, int]
    more: dict[int, list[int]]

    @classmethod
    def of(cls, table: Table) -> "Index":
        """The index of a table."""
        keys = table.sources
        if table.tags:
            in_order = {tags: _in_order(tags) for tags in set(table.tags)}
            keys = [
                f"{source}\t{in_order[tags]}"
                for source, tags in zip(table.sources, table.tags, strict=True)
            ]
        first: dict[str, int] = {}
        more: defaultdict[int, list[int]] = defaultdict(list)
        for place, key in enumerate(keys):
            before = first.setdefault(key, place)
            if before != place:
                more[before].append(place)
        return cls(table, keys, first, dict(more))

    def places(self, key: str) -> list[int]:
        """All places of a key."""
        place = self.first.get(key)
        return [] if place is None else [place, *self.more.get(place, [])]


def look_at_repetitions(index: Index, found: Findings) -> None:
    """Find pairs that stand there twice, and sources with several targets."""
    table = index.table
    for place in sorted(index.more):
        places = [place, *index.more[place]]
        targets = Counter(table.targets[one] for one in places)
        if len(targets) > 1:
            several = " | ".join(
                f"{excerpt(target)} ({count})" for target, count in targets.most_common(10)
            )
            text = f"{_source(table, place)} → {several}"
            found.add(SEVERAL_TARGETS, Finding(table.numbers[place], text))
        for one in places:
            count = targets.pop(table.targets[one], 1)
            if count > 1:
                finding = Finding(table.numbers[one], _pair(table, one), note=f"{count} times")
                found.add(DUPLICATES, finding, count=count - 1)


def look_at_tag_order(table: Table, found: Findings) -> None:
    """Find tags that are written in another order elsewhere."""
    orders: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    written: dict[tuple[str, ...], str] = {}
    for tags, count in Counter(table.tags).items():
        orders[_in_order(tags)][tags_of(tags)] += count
        written.setdefault(tags_of(tags), tags)
    usual = {order: seen.most_common(1)[0][0] for order, seen in orders.items() if len(seen) > 1}
    if not usual:
        return
    for number, tags in zip(table.numbers, table.tags, strict=True):
        expected = usual.get(_in_order(tags))
        if expected is not None and tags_of(tags) != expected:
            note = f"mostly it is {excerpt(written[expected])}"
            found.add(TAG_ORDER, Finding(number, excerpt(tags), "tags", note))


def compare(index: Index, earlier: Index, name: str, found: Findings) -> None:
    """Find what an earlier file has too.

    Args:
        index: The later file.
        earlier: The earlier file.
        name: What the earlier file is called.
        found: Is told.
    """
    table, other = index.table, earlier.table
    for place, key in enumerate(index.keys):
        if key not in earlier.first:
            continue
        places = earlier.places(key)
        same = [one for one in places if other.targets[one] == table.targets[place]]
        line = other.numbers[same[0] if same else places[0]]
        finding = Finding(table.numbers[place], _pair(table, place), note=f"there line {line}")
        found.add(SAME_PAIR if same else SAME_SOURCE, finding, name)


def symbols_of(cells: list[str], segmenter: Segmenter) -> set[str]:
    """All symbols of a side."""
    symbols, plain = set[str](), Segmenter(segmenter.kind)
    for start in range(0, len(cells), _CHUNK):
        text = normalized("\n".join(cells[start : start + _CHUNK]), segmenter.normalize)
        symbols.update(plain.texts(text))
    return symbols - {"\n"}


def look_for_unseen(
    table: Table,
    side: str,
    texts: Callable[[str], Sequence[str]],
    unseen: set[str],
    name: str,
    found: Findings,
) -> None:
    """Find where symbols stand that the training file has nowhere.

    Args:
        table: The later file.
        side: The side that is looked at.
        texts: Cuts it into symbols.
        unseen: The symbols.
        name: What the training file is called.
        found: Is told.
    """
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    for number, cell in zip(table.numbers, table.side(side), strict=True):
        for symbol in unseen.intersection(texts(cell)):
            counts[symbol] += 1
            first.setdefault(symbol, number)
    for symbol, number in first.items():
        count = counts[symbol]
        note = f"on {count:,} line{'' if count == 1 else 's'}"
        found.add(UNSEEN, Finding(number, with_marks(symbol), side, note), name)


def look_for_swapped(table: Table, first: Table, name: str, found: Findings) -> None:
    """Find out whether the sides look like the other sides of the training file."""
    source, target = (_profile(cells) for _, cells in table.sides)
    first_source, first_target = (_profile(cells) for _, cells in first.sides)
    straight = _common(source, first_source) + _common(target, first_target)
    crossed = _common(source, first_target) + _common(target, first_source)
    if crossed > straight + _MARGIN:
        text = f"{excerpt(table.sources[0])} → {excerpt(table.targets[0])}"
        note = f"its sources look like the targets of {name}"
        found.add(SWAPPED, Finding(0, text, note=note))


def _profile(cells: list[str]) -> Counter[str]:
    return Counter("".join(cells[:_CHUNK]))


def _common(one: Counter[str], other: Counter[str]) -> float:
    sizes = one.total(), other.total()
    return sum(min(one[symbol] / sizes[0], other[symbol] / sizes[1]) for symbol in one)


def _in_order(tags: str) -> str:
    return ";".join(sorted(parts_of(tags_of(tags))))


def _source(table: Table, place: int) -> str:
    tags = f" ({table.tags[place]})" if table.tags else ""
    return excerpt(table.sources[place]) + tags


def _pair(table: Table, place: int) -> str:
    return f"{_source(table, place)} → {excerpt(table.targets[place])}"
