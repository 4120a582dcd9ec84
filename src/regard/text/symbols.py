"""A line becomes symbols, each with its span in the user's own string.

    graphemes    what a reader calls a character, with all its marks
    characters   Unicode code points
    words        what stands between blanks

Hangul syllables that are written, or normalised, as letters count as letters.
Normalisation is done cluster by cluster, so a symbol can always point back to
the very characters that it came from.
"""

import unicodedata
from dataclasses import dataclass
from typing import Literal

import regex

SymbolKind = Literal["graphemes", "characters", "words"]
Form = Literal["nfc", "nfd", "none"]

_CLUSTER = regex.compile(r"\X")
_GRAPHEME = regex.compile(r"[\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB]\p{M}*|\X")
_WORD = regex.compile(r"\S+")


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
class Segmenter:
    """How strings of one side are cut into symbols and put together again.

    Attributes:
        kind: What a symbol is.
        normalize: The Unicode form symbols are brought to; "none" leaves them.
        output: The Unicode form in which strings are written.

    Example:
        >>> [symbol.text for symbol in Segmenter("words").split("d ʒ ɑ̃")]
        ['d', 'ʒ', 'ɑ̃']
    """

    kind: SymbolKind = "graphemes"
    normalize: Form = "none"
    output: Form = "none"

    def texts(self, line: str) -> list[str]:
        """The symbols of a line, without their spans."""
        if self.kind == "words":
            return _WORD.findall(normalized(line, self.normalize))
        if line.isascii():
            return list(line)
        if self.normalize != "none":
            return [symbol.text for symbol in self.split(line)]
        return list(line) if self.kind == "characters" else _GRAPHEME.findall(line)

    def split(self, line: str) -> list[Symbol]:
        """The symbols of a line, with their spans."""
        if self.kind == "words":
            return [
                Symbol(normalized(match.group(), self.normalize), match.start(), match.end())
                for match in _WORD.finditer(line)
            ]
        symbols: list[Symbol] = []
        for match in _CLUSTER.finditer(line):
            cluster, start, end = match.group(), match.start(), match.end()
            form = normalized(cluster, self.normalize)
            pieces = list(form) if self.kind == "characters" else _GRAPHEME.findall(form)
            for piece in pieces:
                # A cluster that normalisation rewrote is the origin of all its pieces.
                stop = end if form != cluster else start + len(piece)
                symbols.append(Symbol(piece, start, stop))
                start = start if form != cluster else stop
        return symbols

    def join(self, texts: list[str]) -> str:
        """The string that symbols write."""
        return normalized((" " if self.kind == "words" else "").join(texts), self.output)


def normalized(text: str, form: Form) -> str:
    """The text in a Unicode form; canonical forms only, so nothing is lost."""
    if form == "none" or text.isascii():
        return text
    return unicodedata.normalize("NFC" if form == "nfc" else "NFD", text)
