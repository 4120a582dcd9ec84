"""What may be wrong with a file of pairs: the kinds, by name, and what was found of each."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import regex

KEPT = 10_000
"""So many places of a kind are kept for each file; all are counted."""

_EXCERPT = 30
_HIDDEN = regex.compile(r"[\p{C}\p{Zl}\p{Zp}--\p{Zs}]|[\p{Zs}--[ ]]|^ +| +$", regex.V1)
_MARK = regex.compile(r"\p{M}")


@dataclass(frozen=True)
class Kind:
    """Something that may be wrong.

    Attributes:
        name: Its name for programs, which does not change.
        one: What is said of one.
        many: What is said of several.
        is_grave: Whether training refuses such a file.
        is_mended: Whether a clean copy is free of it.
    """

    name: str
    one: str
    many: str
    is_grave: bool = False
    is_mended: bool = False


ENCODING = Kind("encoding", "line is not UTF-8", "lines are not UTF-8", True, True)
EMPTY = Kind("empty", "file without a pair", "files without a pair", True)
JSON = Kind(
    "json",
    "line is no object with a source and a target",
    "lines are no objects with a source and a target",
    True,
)
COLUMNS = Kind(
    "columns", "line has another number of columns", "lines have another number of columns", True
)
ONE_SIDED = Kind(
    "one_sided", "line has text on one side only", "lines have text on one side only", True
)
TOO_LONG = Kind(
    "too_long",
    "field is longer than training allows",
    "fields are longer than training allows",
    True,
)
BYTE_ORDER_MARK = Kind(
    "byte_order_mark",
    "byte-order mark at the beginning",
    "byte-order marks at the beginning",
    is_mended=True,
)
LINE_ENDS = Kind("line_ends", "line ends in CRLF or CR", "lines end in CRLF or CR", is_mended=True)
SEPARATORS = Kind(
    "separators",
    "line holds what other programs take for a line's end",
    "lines hold what other programs take for a line's end",
    is_mended=True,
)
BLANKS = Kind(
    "blanks",
    "line holds a no-break or other unusual blank",
    "lines hold no-break or other unusual blanks",
    is_mended=True,
)
ZERO_WIDTH = Kind(
    "zero_width",
    "line holds characters of no width",
    "lines hold characters of no width",
    is_mended=True,
)
EDGE_BLANKS = Kind(
    "edge_blanks",
    "field begins or ends with a blank",
    "fields begin or end with a blank",
    is_mended=True,
)
MIXED_FORMS = Kind(
    "mixed_forms",
    "field is not in the Unicode form of the others",
    "fields are not in the Unicode form of the others",
    is_mended=True,
)
OTHER_FORM = Kind(
    "other_form",
    "side is in another Unicode form than in training",
    "sides are in another Unicode form than in training",
)
SWAPPED = Kind("swapped", "file whose sides look swapped", "files whose sides look swapped")
CONTROL = Kind("control", "line holds control characters", "lines hold control characters")
PRIVATE_USE = Kind(
    "private_use", "line holds characters of private use", "lines hold characters of private use"
)
REPLACEMENT = Kind(
    "replacement",
    "line holds U+FFFD, where a character was lost",
    "lines hold U+FFFD, where a character was lost",
)
MOJIBAKE = Kind(
    "mojibake",
    "field looks like UTF-8 that was read as something else",
    "fields look like UTF-8 that was read as something else",
)
QUOTES = Kind("quotes", "field has stray quotes", "fields have stray quotes")
LOOK_ALIKES = Kind("look_alikes", "word mixes scripts", "words mix scripts")
TWO_CODINGS = Kind(
    "two_codings",
    "field uses the rarer of two characters that mean the same",
    "fields use the rarer of two characters that mean the same",
)
TAG_ORDER = Kind(
    "tag_order", "line has its tags in another order", "lines have their tags in another order"
)
BLANK_LINES = Kind("blank_lines", "blank line", "blank lines")
FURTHER_COLUMNS = Kind(
    "further_columns",
    "line has further columns: more right targets to evaluate, refused by train",
    "lines have further columns: more right targets to evaluate, refused by train",
)
LONG = Kind("long", "field is far longer than the others", "fields are far longer than the others")
LENGTH_RATIO = Kind(
    "length_ratio", "pair has sides of unusual lengths", "pairs have sides of unusual lengths"
)
DUPLICATES = Kind("duplicates", "pair is a repetition", "pairs are repetitions")
SEVERAL_TARGETS = Kind(
    "several_targets", "source has several targets", "sources have several targets"
)
SAME_PAIR = Kind("same_pair", "pair is in {other} too", "pairs are in {other} too")
SAME_SOURCE = Kind(
    "same_source",
    "source is in {other} too, with another target",
    "sources are in {other} too, with other targets",
)
UNSEEN = Kind("unseen", "symbol is not in {other}", "symbols are not in {other}")
HANGUL = Kind("hangul", "side is in Hangul syllables", "sides are in Hangul syllables")

KINDS = (
    ENCODING,
    EMPTY,
    JSON,
    COLUMNS,
    ONE_SIDED,
    TOO_LONG,
    SWAPPED,
    BYTE_ORDER_MARK,
    LINE_ENDS,
    SEPARATORS,
    BLANKS,
    ZERO_WIDTH,
    EDGE_BLANKS,
    MIXED_FORMS,
    OTHER_FORM,
    CONTROL,
    PRIVATE_USE,
    REPLACEMENT,
    MOJIBAKE,
    QUOTES,
    LOOK_ALIKES,
    TWO_CODINGS,
    TAG_ORDER,
    BLANK_LINES,
    FURTHER_COLUMNS,
    LONG,
    LENGTH_RATIO,
    DUPLICATES,
    SEVERAL_TARGETS,
    SAME_PAIR,
    SAME_SOURCE,
    UNSEEN,
    HANGUL,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where something may be wrong.

    Attributes:
        line: Its line, from one; 0 for the file as a whole.
        text: What stands there, in visible form.
        side: "source", "target" or "tags"; empty if it is not of one of them.
        note: What more there is to say.
    """

    line: int
    text: str
    side: str = ""
    note: str = ""


class Findings:
    """All that was found in one file.

    Attributes:
        counts: How often, by kind and, for comparisons, the other file.
        places: Where, for each of these; at most `KEPT`.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[Kind, str]] = Counter()
        self.places: defaultdict[tuple[Kind, str], list[Finding]] = defaultdict(list)

    def add(self, kind: Kind, finding: Finding, other: str = "", *, count: int = 1) -> None:
        """Count something, and keep its place."""
        self.counts[kind, other] += count
        kept = self.places[kind, other]
        if len(kept) < KEPT:
            kept.append(finding)

    def of(self, kind: Kind) -> Iterable[tuple[str, int, list[Finding]]]:
        """The other file, the count and the places, for each other file that there is."""
        for (found, other), count in self.counts.items():
            if found is kind:
                yield other, count, self.places[kind, other]

    @property
    def are_grave(self) -> bool:
        """Whether training would refuse the file."""
        return any(kind.is_grave for kind, _ in self.counts)


def visible(text: str, also: str = "") -> str:
    r"""The text with a number for each character that cannot be seen.

    Args:
        text: Any text.
        also: Characters that are shown by their numbers as well.

    Examples:
        >>> visible("a\u00a0b ")
        'a<U+00A0>b<U+0020>'
    """
    if also:
        text = "".join(_number(one) if one in also else one for one in text)
    return _HIDDEN.sub(lambda match: "".join(map(_number, match.group())), text)


def with_marks(text: str) -> str:
    r"""The text in visible form, with a number for each combining mark as well.

    Examples:
        >>> with_marks("cafe\u0301")
        'cafe<U+0301>'
    """
    return visible(text, "".join(_MARK.findall(text)))


def excerpt(text: str, start: int = 0, also: str = "") -> str:
    """What stands around a place, in visible form."""
    first, last = max(0, start - _EXCERPT), start + _EXCERPT
    part = text[first:last]
    if first:
        part = "..." + part.lstrip(" ")
    if last < len(text):
        part = part.rstrip(" ") + "..."
    return visible(part, also)


def _number(character: str) -> str:
    return "<TAB>" if character == "\t" else f"<U+{ord(character):04X}>"
