"""Words in pieces: often whole, seldom syllables or letters.

Pieces are learnt by merging the commonest neighbours again and again (Sennrich
et al. 2016, arXiv:1508.07909), with the tokenizers library. A word is cut by
the longest piece that fits, from left to right (Wu et al. 2016,
arXiv:1609.08144), which needs the pieces alone: a trained model cuts without
that library. A piece that goes on with a word begins with a mark, `TIE`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import regex

from regard.errors import MissingExtraError

TIE = "\u2060"
"""The word joiner: no text has a reason to begin a word with it."""

_CLUSTER = regex.compile(r"\X")
_CACHED = 50_000
_BEGINNING = "\u2581"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol and where it stands in the string it was read from.

    Attributes:
        text: The symbol, normalised.
        start: Its first code point in the user's string.
        end: One past its last.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Pieces:
    """All pieces of one side.

    Attributes:
        known: The pieces; those inside a word begin with `TIE`.

    Examples:
        >>> pieces = Pieces(frozenset({"walk", TIE + "ed", TIE + "s"}))
        >>> [(symbol.text.replace(TIE, "+"), symbol.start) for symbol in pieces.cut("walked")]
        [('walk', 0), ('+ed', 4)]
    """

    known: frozenset[str]
    longest: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "longest", max(map(len, self.known), default=0))

    def cut(self, word: str) -> tuple[Symbol, ...]:
        """The pieces of a word. What no piece fits is a symbol of its own, a grapheme long."""
        return _cut(self, word)


@lru_cache(_CACHED)
def _cut(pieces: Pieces, word: str) -> tuple[Symbol, ...]:
    symbols: list[Symbol] = []
    start = 0
    while start < len(word):
        tie = TIE if start else ""
        end = min(len(word), start + pieces.longest)
        while end > start and tie + word[start:end] not in pieces.known:
            end -= 1
        if end == start:
            cluster = _CLUSTER.match(word, start)
            end = cluster.end() if cluster else start + 1
        symbols.append(Symbol(tie + word[start:end], start, end))
        start = end
    return tuple(symbols)


def learn_pieces(lines: Iterable[str], count: int) -> Pieces:
    """Find the pieces of some text.

    Args:
        lines: The text; words stand between blanks.
        count: How many pieces there may be; the letters inside
            words are always among them.

    Raises:
        MissingExtraError: The tokenizers library is not installed.
    """
    try:
        from tokenizers import Tokenizer
        from tokenizers.models import BPE
        from tokenizers.pre_tokenizers import WhitespaceSplit
        from tokenizers.trainers import BpeTrainer
    except ImportError:
        raise MissingExtraError("cutting words into subwords", "subword") from None
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = WhitespaceSplit()
    # The library's own prefix for pieces inside words breaks ties at random: beginnings are
    # marked instead.
    marked = (" ".join(_BEGINNING + word for word in line.split()) for line in lines)
    tokenizer.train_from_iterator(
        marked, BpeTrainer(vocab_size=count, show_progress=False, special_tokens=[])
    )
    found = tokenizer.get_vocab()
    firsts = {piece.removeprefix(_BEGINNING) for piece in found if piece.startswith(_BEGINNING)}
    inner = {TIE + piece for piece in found if not piece.startswith(_BEGINNING)}
    return Pieces(frozenset((firsts | inner) - {""}))
