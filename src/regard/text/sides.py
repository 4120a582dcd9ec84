"""One side of a file by itself: what a column of sources, or of targets, tells."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import regex

from regard.text.ailments import (
    LENGTH_RATIO,
    LONG,
    LOOK_ALIKES,
    MIXED_FORMS,
    QUOTES,
    TOO_LONG,
    TWO_CODINGS,
    Finding,
    Findings,
    excerpt,
    visible,
    with_marks,
)
from regard.text.symbols import Form, Segmenter, are_clusters, are_hangul, are_phones
from regard.text.table import Table

LONGEST = 2000
"""Training refuses longer strings, unless `text.longest` says otherwise."""

HEAD = 10_000
"""How a side is cut is chosen from so many strings."""

_FEWEST = 20
_SCRIPTS = {name: regex.compile(rf"\p{{{name}}}") for name in ("Latin", "Cyrillic", "Greek")}
_WORD = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{M}]+")
# Letters that a reader takes for those of one of the other two scripts. Greek letters that
# Latin notations use for themselves (alpha, beta, theta, chi, ...) are not among them.
_ALIKE = frozenset(
    "aceijopsuvxyABCEHIJKMNOPSTXYZасеіјорѕухһԁԛԝӏАВСЕНІЈКМОРЅТХУҮονιρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
)
# Characters that mean the same, and letters of languages where one of them is another letter.
_CODINGS = (
    ("şș", "ğı"),
    ("ţț", ""),
    ("ŞȘ", "ğı"),
    ("ŢȚ", ""),
    ("يی", ""),
    ("كک", ""),
    ("gɡ", ""),
    (":ː", ""),
    ("εɛ", ""),
)
_MARKS_IN_WORDS = ("'’ʼ", "-‐‑")


def segmenter_of(cells: Sequence[str], side: str) -> Segmenter:
    """How training cuts a side unless it is told otherwise, from the first strings of it."""
    head = cells[:HEAD]
    if side == "target" and are_phones(head):
        return Segmenter("words")
    return Segmenter(
        "characters" if are_clusters(head) else "graphemes", "nfd" if are_hangul(head) else "none"
    )


def form_of(cells: Iterable[str]) -> Form:
    """The Unicode form of most cells; "none" if they are the same in both forms."""
    text = "\n".join(cells)
    if text.isascii():
        return "none"
    is_composed, is_decomposed = (unicodedata.is_normalized(form, text) for form in ("NFC", "NFD"))
    if is_composed or is_decomposed:
        return "none" if is_composed and is_decomposed else "nfc" if is_composed else "nfd"
    balance = 0
    for cell in text.split("\n"):
        if not cell.isascii():
            balance += unicodedata.is_normalized("NFC", cell)
            balance -= unicodedata.is_normalized("NFD", cell)
    return "nfc" if balance >= 0 else "nfd"


def look_at_side(
    table: Table, side: str, cells: list[str], segmenter: Segmenter, form: Form, found: Findings
) -> None:
    """Find what is wrong with one side, whatever the other holds."""
    _look_at_forms(table, side, cells, form, found)
    alphabet = set("\n".join(cells))
    if segmenter.kind != "words":
        places = list(_look_alikes(cells, alphabet))
        if len(places) <= _some(cells):
            for place, word, strange in places:
                names = ", ".join(unicodedata.name(one, "?") for one in strange)
                finding = Finding(table.numbers[place], visible(word, strange), side, names)
                found.add(LOOK_ALIKES, finding)
    _look_at_codings(table, side, cells, alphabet, segmenter, found)
    if '"' in alphabet:
        for place in _stray(cells):
            found.add(QUOTES, Finding(table.numbers[place], excerpt(cells[place]), side))


def look_at_lengths(table: Table, segmenters: Sequence[Segmenter], found: Findings) -> None:
    """Find what is too long, and sides of lengths that do not go together."""
    lengths: list[np.ndarray] = []
    for (side, cells), segmenter in zip(table.sides, segmenters, strict=True):
        measure = _words if segmenter.kind == "words" else len
        own = np.maximum(1, np.fromiter(map(measure, cells), np.int64, len(cells)))
        lengths.append(own)
        limit = max(100, 8 * float(np.median(own))) if len(own) else 0
        for place in np.flatnonzero(own > min(limit, LONGEST)):
            count = len(segmenter.texts(cells[place])) if own[place] > LONGEST else int(own[place])
            kind = TOO_LONG if count > LONGEST else LONG
            note = f"{count:,} symbols" + (f", {LONGEST:,} are allowed" if kind is TOO_LONG else "")
            if count > min(limit, LONGEST):
                found.add(kind, Finding(table.numbers[place], excerpt(cells[place]), side, note))
    if len(table.numbers) < _FEWEST:
        return
    source, target = lengths
    ratio = np.log(target / source)
    middle = float(np.median(ratio))
    spread = 1.4826 * float(np.median(np.abs(ratio - middle)))
    is_odd = np.abs(ratio - middle) > max(np.log(4), 6 * spread)
    for place in np.flatnonzero(is_odd & (np.maximum(source, target) >= 10)):
        note = f"{source[place]:,} symbols to {target[place]:,}; usual is 1 to {np.exp(middle):.2g}"
        text = f"{excerpt(table.sources[place])} → {excerpt(table.targets[place])}"
        found.add(LENGTH_RATIO, Finding(table.numbers[place], text, note=note))


def _look_at_forms(table: Table, side: str, cells: list[str], form: Form, found: Findings) -> None:
    if form == "none" or _is_in(form, "\n".join(cells)):
        return
    for place, cell in enumerate(cells):
        if not cell.isascii() and not _is_in(form, cell):
            word = next(
                word for word in regex.split(r"(?<=\s)(?=\S)", cell) if not _is_in(form, word)
            )
            note = f"most {side}s are {form.upper()}"
            found.add(MIXED_FORMS, Finding(table.numbers[place], with_marks(word[:60]), side, note))


def _look_alikes(cells: Sequence[str], alphabet: set[str]) -> Iterator[tuple[int, str, str]]:
    """Words with a few letters of another script that look like the others."""
    present = {
        name: [letter for letter in alphabet if script.match(letter)]
        for name, script in _SCRIPTS.items()
    }
    if sum(bool(letters) for letters in present.values()) < 2:
        return
    counts = Counter("".join(cells))
    usage = {name: sum(counts[letter] for letter in letters) for name, letters in present.items()}
    main = max(usage, key=usage.__getitem__)
    others = "".join(
        letter for name, letters in present.items() if name != main for letter in letters
    )
    rare = regex.compile(f"[{others}]")
    for place, cell in enumerate(cells):
        if rare.search(cell):
            for word in _WORD.findall(cell):
                strange = _strange(word, main)
                if strange and all(
                    unicodedata.normalize("NFD", one)[0] in _ALIKE for one in strange
                ):
                    yield place, word, strange


def _strange(word: str, main: str) -> str:
    """The letters of a word that are not of its own script."""
    letters = {name: "".join(script.findall(word)) for name, script in _SCRIPTS.items()}
    own = max(letters, key=lambda name: (len(letters[name]), name == main))
    return "".join(letters[name] for name in letters if name != own)


def _look_at_codings(
    table: Table,
    side: str,
    cells: list[str],
    alphabet: set[str],
    segmenter: Segmenter,
    found: Findings,
) -> None:
    groups = [(group, f"[{group}]") for group, other in _CODINGS if alphabet.isdisjoint(other)]
    if segmenter.kind != "words":
        # Between letters only: elsewhere they are quotes and dashes.
        groups += [(group, rf"(?<=\p{{L}})[{group}](?=\p{{L}})") for group in _MARKS_IN_WORDS]
    for group, pattern in groups:
        if len(alphabet & set(group)) < 2:
            continue
        finder = regex.compile(pattern)
        counts = Counter(finder.findall("\n".join(cells)))
        main = max(group, key=counts.__getitem__)
        for place, cell in enumerate(cells):
            for match in finder.finditer(cell):
                if match.group() != main:
                    note = f"U+{ord(match.group()):04X}, mostly it is U+{ord(main):04X} ({main})"
                    text = excerpt(cell, match.start(), match.group())
                    found.add(TWO_CODINGS, Finding(table.numbers[place], text, side, note))
                    break


def _stray(cells: Sequence[str]) -> list[int]:
    """Places of cells with quotes that look left over from a table of another kind."""
    wrapped = [
        place for place, cell in enumerate(cells) if len(cell) > 1 and cell[0] == cell[-1] == '"'
    ]
    if 10 * len(wrapped) >= 9 * len(cells):
        return wrapped
    odd = [
        place
        for place, cell in enumerate(cells)
        if len(cell) > 1 and '"' in (cell[0], cell[-1]) and cell.count('"') % 2
    ]
    # Where it is frequent it is part of a notation, such as the stress of X-SAMPA.
    odd = odd if len(odd) <= _some(cells) else []
    return sorted({*odd, *(place for place in wrapped if '""' in cells[place])})


def _is_in(form: Form, text: str) -> bool:
    return unicodedata.is_normalized("NFC" if form == "nfc" else "NFD", text)


def _some(cells: Sequence[str]) -> int:
    return max(10, len(cells) // 10)


def _words(cell: str) -> int:
    return len(cell.split())
