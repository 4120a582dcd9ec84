"""Symbols and their ids.

Four ids are special and no user's symbol can collide with them: padding,
start, end, and unknown. Unknown has an embedding that training has used,
because rare symbols are replaced by it now and then (see `text.batch`).
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from regard.errors import VocabularyError
from regard.text.characters import HALF

PADDING, START, END, UNKNOWN = range(4)
SPECIAL = ("<padding>", "<start>", "<end>", "<unknown>")

_MOST = 2**63


@dataclass(frozen=True)
class Vocabulary:
    """The symbols of one side, each with how often training saw it.

    Attributes:
        symbols: The symbols; the first has id 4.
        counts: How often each occurred in the training data.

    Raises:
        VocabularyError: A symbol occurs twice, or the counts do not fit.

    Examples:
        >>> vocabulary = Vocabulary.of(["ab", "a"])
        >>> vocabulary.encode("abx")
        [4, 5, 3]
    """

    symbols: tuple[str, ...]
    counts: tuple[int, ...]
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = {symbol: index for index, symbol in enumerate(self.symbols, len(SPECIAL))}
        if len(ids) != len(self.symbols) or len(self.counts) != len(self.symbols):
            raise VocabularyError("a vocabulary needs distinct symbols, and a count for each.")
        object.__setattr__(self, "_ids", ids)

    @classmethod
    def of(cls, lines: Iterable[Iterable[str]]) -> "Vocabulary":
        """The vocabulary of some lines of symbols, the most frequent first."""
        counts = Counter(symbol for line in lines for symbol in line)
        return cls.of_counts(counts)

    @classmethod
    def of_counts(cls, counts: Counter[str]) -> "Vocabulary":
        """The vocabulary of counted symbols, the most frequent first."""
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls(tuple(symbol for symbol, _ in ordered), tuple(count for _, count in ordered))

    def __len__(self) -> int:
        return len(self.symbols) + len(SPECIAL)

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._ids

    def encode(self, symbols: Iterable[str]) -> list[int]:
        """The ids of symbols; one that training never saw is unknown."""
        ids = self._ids
        return [ids.get(symbol, UNKNOWN) for symbol in symbols]

    def decode(self, tokens: Sequence[int]) -> list[str]:
        """The symbols of ids; special ones by their names."""
        return [
            SPECIAL[token] if token < len(SPECIAL) else self.symbols[token - len(SPECIAL)]
            for token in tokens
        ]

    def to_json(self) -> str:
        """The vocabulary as a JSON object, a symbol a line."""
        rows = (
            json.dumps([symbol, count], ensure_ascii=False)
            for symbol, count in zip(self.symbols, self.counts, strict=True)
        )
        body = ",\n  ".join(rows)
        return f'{{"special": {json.dumps(SPECIAL)}, "symbols": [\n  {body}\n]}}\n'

    @classmethod
    def from_json(cls, text: str) -> "Vocabulary":
        """Read what `to_json` wrote.

        Raises:
            VocabularyError: It is something else.
        """
        try:
            table = json.loads(text)
            special = tuple(table["special"])
            pairs = [(symbol, count) for symbol, count in table["symbols"]]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise VocabularyError(f"this is no vocabulary: {error}.") from None
        if special != SPECIAL:
            raise VocabularyError(f"this is no vocabulary: its special symbols are not {SPECIAL}.")
        for symbol, count in pairs:
            is_symbol = isinstance(symbol, str) and not HALF.search(symbol)
            if not is_symbol or not isinstance(count, int) or not 0 <= count < _MOST:
                raise VocabularyError(
                    f"this is no vocabulary: expected a symbol and its count, found {symbol!r:.60}."
                )
        return cls(tuple(symbol for symbol, _ in pairs), tuple(count for _, count in pairs))
