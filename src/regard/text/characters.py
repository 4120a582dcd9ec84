"""Characters that are seldom meant: those that cannot be seen, and those that were damaged.

separators     what other programs take for the end of a line
blanks         no-break and other blanks of a width of their own
zero width     nothing to be seen, unless the script needs it: joiners stay beside
               letters that join (Arabic, Indic scripts, emoji), and the blank without
               width beside letters of scripts that are written without blanks
"""

from collections.abc import Sequence

import regex

from regard.text.ailments import (
    BLANKS,
    CONTROL,
    MOJIBAKE,
    PRIVATE_USE,
    REPLACEMENT,
    SEPARATORS,
    ZERO_WIDTH,
    Finding,
    Findings,
    Kind,
    excerpt,
)

_JOINING = (
    r"[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Mand}"
    r"\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}"
    r"\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Bali}\p{scx=Java}"
    r"\p{scx=Sund}\p{scx=Newa}\p{scx=Tirh}\p{Extended_Pictographic}\ufe0f\U0001f3fb-\U0001f3ff]"
)
_UNSPACED = (
    r"[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}]"
)
_WIDTHLESS = r"\xad\u061c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"

HALF = regex.compile("[\ud800-\udfff]")
"""Half of a pair of code units; a string in UTF-8 has none."""

SEPARATOR = regex.compile(r"[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
BLANK = regex.compile(r"[\xa0\u2000-\u200a\u202f\u205f]")
WIDTHLESS = regex.compile(
    rf"[{_WIDTHLESS}]|(?<!{_JOINING})(?:\u200c|\u200d(?!{_JOINING}))"
    rf"|(?<!{_UNSPACED})\u200b(?!{_UNSPACED})"
)
_ANY_WIDTHLESS = regex.compile(rf"[{_WIDTHLESS}\u200b-\u200d]")
_CONTROL = regex.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\ufff9-\ufffb\ufffe\uffff]")
_PRIVATE = regex.compile(r"[\ue000-\uf8ff\U000f0000-\U0010fffd]")
_LOST = regex.compile("\ufffd")

CLASSES: tuple[tuple[Kind, regex.Pattern[str], regex.Pattern[str]], ...] = (
    (SEPARATORS, SEPARATOR, SEPARATOR),
    (BLANKS, BLANK, BLANK),
    (ZERO_WIDTH, _ANY_WIDTHLESS, WIDTHLESS),
    (CONTROL, _CONTROL, _CONTROL),
    (PRIVATE_USE, _PRIVATE, _PRIVATE),
    (REPLACEMENT, _LOST, _LOST),
)
"""What is looked for: the kind, the characters, and which of them count."""

# What bytes 80 to BF, the later ones of a character in UTF-8, look like in Windows-1252.
_LATER = "\x80-\xbf" + bytes(
    byte for byte in range(0x80, 0xA0) if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
).decode("windows-1252")
_MISREAD = regex.compile(rf"[\xc2-\xf4][{_LATER}]{{1,3}}")
_CLOSING = regex.compile(r"[\xc2-\xf4][»”’›°ºª®]")


def look_at_characters(lines: Sequence[str], found: Findings) -> None:
    """Find characters that are seldom meant."""
    # All kinds of characters first: most files have none of these, and need no second look.
    alphabet = "".join(set("\n".join(lines)))
    for kind, rough, exact in CLASSES:
        if not rough.search(alphabet):
            continue
        for number, line in enumerate(lines, 1):
            match = exact.search(line)
            if match:
                found.add(kind, Finding(number, excerpt(line, match.start())))
    if regex.search(r"[\xc2-\xf4]", alphabet) and regex.search(f"[{_LATER}]", alphabet):
        for number, line in enumerate(lines, 1):
            _look_for_mojibake(number, line, found)


def _look_for_mojibake(number: int, line: str, found: Findings) -> None:
    for match in _MISREAD.finditer(line):
        right = _reread(match.group())
        if right and not _CLOSING.fullmatch(match.group()):
            note = f"read anew as UTF-8: {excerpt(right)}"
            found.add(MOJIBAKE, Finding(number, excerpt(line, match.start()), note=note))
            return


def _reread(text: str) -> str | None:
    # Which of both wrong encodings it was does not matter where they agree.
    for encoding in ("windows-1252", "latin-1"):
        for end in range(len(text), 1, -1):
            try:
                return text[:end].encode(encoding).decode()
            except UnicodeError:
                continue
    return None
