"""A line becomes symbols, each with its span in the user's own string.

    graphemes    what a reader calls a character, with all its marks
    characters   Unicode code points
    words        what stands between blanks
    subwords     words in pieces (see `text.subwords`)

Hangul syllables that are written, or normalised, as letters count as letters.
Normalisation is done cluster by cluster, so a symbol can always point back to
the very characters that it came from.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from regard.text.subwords import TIE, Pieces, Symbol

SymbolKind = Literal["graphemes", "characters", "words", "subwords"]
Form = Literal["nfc", "nfd", "none"]

_LONGEST_PHONE = 3.0
_MANY = 2

_CLUSTER = regex.compile(r"\X")
_GRAPHEME = regex.compile(r"[\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB]\p{M}*|\X")
_WORD = regex.compile(r"\S+")


@dataclass(frozen=True)
class Segmenter:
    """How strings of one side are cut into symbols and put together again.

    Attributes:
        kind: What a symbol is.
        normalize: The Unicode form symbols are brought to; "none" leaves them.
        output: The Unicode form in which strings are written.
        pieces: What subwords are cut into; None for other kinds.

    Examples:
        >>> [symbol.text for symbol in Segmenter("words").split("d ʒ ɑ̃")]
        ['d', 'ʒ', 'ɑ̃']
    """

    kind: SymbolKind = "graphemes"
    normalize: Form = "none"
    output: Form = "none"
    pieces: Pieces | None = None

    def texts(self, line: str) -> list[str]:
        """The symbols of a line, without their spans."""
        if self.kind == "words":
            return _WORD.findall(normalized(line, self.normalize))
        if self.kind == "subwords":
            return [symbol.text for symbol in self._subwords(line)]
        # Of ASCII, a line's end alone is two characters and one grapheme.
        if line.isascii() and "\r\n" not in line:
            return list(line)
        if self.normalize != "none":
            return [symbol.text for symbol in self.split(line)]
        return list(line) if self.kind == "characters" else _GRAPHEME.findall(line)

    def split(self, line: str) -> list[Symbol]:
        """The symbols of a line, with their spans."""
        if self.kind == "subwords":
            return list(self._subwords(line))
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
        return normalized(self._joined(texts), self.output)

    def shown(self, text: str) -> str:
        """A symbol as a person should see it."""
        return text.removeprefix(TIE) if self.kind == "subwords" else text

    def place(self, texts: list[str]) -> list[Symbol]:
        """Symbols with their spans in the string that they write.

        Where the output form composes symbols anew, each is placed where the
        text that is written so far ends.
        """
        text, placed, end = self.join(texts), list[Symbol](), 0
        is_plain = text == self._joined(texts)
        for count, own in enumerate(texts, 1):
            if is_plain:
                start = end + len(self._gap(own)) if count > 1 else 0
                end = start + len(self.shown(own))
            else:
                start, end = end, max(end, len(self.join(texts[:count])))
            placed.append(Symbol(own, start, end))
        return placed

    def _joined(self, texts: list[str]) -> str:
        if self.kind != "subwords":
            return (" " if self.kind == "words" else "").join(texts)
        return " ".join(texts).replace(f" {TIE}", "").removeprefix(TIE)

    def _gap(self, text: str) -> str:
        is_inside = self.kind == "subwords" and text.startswith(TIE)
        return " " if self.kind in ("words", "subwords") and not is_inside else ""

    def _subwords(self, line: str) -> Iterator[Symbol]:
        pieces = self.pieces or Pieces(frozenset())
        for match in _WORD.finditer(line):
            word, first = normalized(match.group(), self.normalize), match.start()
            for piece in pieces.cut(word):
                if word == match.group():
                    yield Symbol(piece.text, first + piece.start, first + piece.end)
                else:
                    yield Symbol(piece.text, first, match.end())


def normalized(text: str, form: Form) -> str:
    """The text in a Unicode form; canonical forms only, so nothing is lost."""
    if form == "none" or text.isascii():
        return text
    return unicodedata.normalize("NFC" if form == "nfc" else "NFD", text)


def are_phones(targets: Sequence[str]) -> bool:
    """Whether most targets are short symbols with blanks between them."""
    spaced = [target.split() for target in targets if " " in target.strip()]
    words = [word for target in spaced for word in target]
    if len(spaced) * 2 <= len(targets) or not words:
        return False
    return sum(len(unicodedata.normalize("NFC", word)) for word in words) / len(words) <= (
        _LONGEST_PHONE
    )


def are_clusters(lines: Iterable[str]) -> bool:
    """Whether letters and marks make far more graphemes than there are of them.

    So it is in the scripts of India and South-East Asia, and where vowels are
    written as marks: a thousand clusters, of which new words have new ones, are
    made of sixty letters and marks, which new words share.
    """
    graphemes = {cluster for line in lines for cluster in _GRAPHEME.findall(line)}
    characters = {character for cluster in graphemes for character in cluster}
    return len(graphemes) > _MANY * len(characters)


def are_hangul(lines: Iterable[str]) -> bool:
    """Whether most letters are Hangul syllables."""
    # A syllable is written as one character but is two or three letters: they generalise.
    letters = [character for line in lines for character in line if character.isalpha()]
    return 2 * sum("\uac00" <= character <= "\ud7a3" for character in letters) > len(letters)
