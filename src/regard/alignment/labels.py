"""What every picture needs: labels as a reader sees them, and the margins' numbers."""

import unicodedata
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import regex
from jaxtyping import Float

from regard.alignment.trust import Trust

Role = Literal["content", "end", "tag"]

CAPTION = "Row t: weights used to write symbol t. Rows sum to one."
_UNTESTED = "Shape only: not tested."
_TESTED = "Ring: the position whose erasure costs most. Hatched: no effect (idle, spread)."

_VISIBLE = {" ": "␣", "\u00a0": "⍽", "\x7f": "␡"} | {chr(c): chr(0x2400 + c) for c in range(32)}
_CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Label:
    """A symbol at the edge of an alignment.

    Attributes:
        text: The symbol, in the user's own characters.
        start: Its first code point in the user's string.
        end: One past its last. Of an end symbol or a tag both are the string's length.
        role: content, end or tag.
    """

    text: str
    start: int
    end: int
    role: Role = "content"

    @property
    def span(self) -> tuple[int, int]:
        """Start and end."""
        return self.start, self.end

    @property
    def shown(self) -> str:
        """The label as it is drawn: blanks made visible, lone marks on a circle."""
        if self.role == "end":
            return "‹end›"
        if self.role == "tag":
            return f"‹{visible(self.text, shows_blanks=True)}›"
        text = visible(self.text, shows_blanks=True)
        is_lone_mark = bool(text) and unicodedata.category(text[0]).startswith("M")
        return f"◌{text}" if is_lone_mark else text

    @property
    def direction(self) -> Literal["ltr", "rtl"]:
        """Which way the label is written."""
        for character in self.text:
            kind = unicodedata.bidirectional(character)
            if kind in ("L", "R", "AL"):
                return "ltr" if kind == "L" else "rtl"
        return "ltr"

    def shortened(self, clusters: int) -> str:
        """What is drawn, cut after some grapheme clusters, never within one."""
        parts = _CLUSTER.findall(self.shown)
        return self.shown if len(parts) <= clusters else "".join(parts[: clusters - 1]) + "…"


@runtime_checkable
class Drawable(Protocol):
    """What a picture is made of."""

    @property
    def source(self) -> tuple[Label, ...]:
        """The columns' labels."""
        ...

    @property
    def target(self) -> tuple[Label, ...]:
        """The rows' labels."""
        ...

    @property
    def weights(self) -> Float[np.ndarray, "target source"]:
        """One row for each target symbol."""
        ...

    @property
    def look(self) -> str:
        """Which look of the model this is."""
        ...

    @property
    def trust(self) -> Trust | None:
        """What erasing showed, if it was tried."""
        ...


def caption(drawable: Drawable) -> str:
    """What the picture is of, and whether anything was tested."""
    look = f" ({visible(drawable.look, shows_blanks=False)})" if drawable.look else ""
    return f"{CAPTION} {_UNTESTED if drawable.trust is None else _TESTED}{look}"


def title(drawable: Drawable) -> str:
    """The two strings, as they are read; each is isolated, so the source always stands first."""
    return " → ".join(_side(labels) for labels in (drawable.source, drawable.target))


def visible(text: str, *, shows_blanks: bool) -> str:
    """The text with pictures for control characters, which no file of ours may hold."""
    return "".join(
        character
        if character == " " and not shows_blanks
        else _VISIBLE.get(character, character if _is_drawable(character) else "\ufffd")
        for character in text
    )


def _is_drawable(character: str) -> bool:
    is_control = unicodedata.category(character) in ("Cc", "Cs")
    return not is_control and ord(character) & 0xFFFE != 0xFFFE


def effective_sources(weights: Float[np.ndarray, "target source"]) -> Float[np.ndarray, " target"]:
    """Over how many positions each row spreads: exp of its entropy; 0 for an empty row."""
    exact = weights.astype(np.float64)
    logs = np.log(np.where(exact > 0, exact, 1))
    return np.where(exact.sum(-1) > 0, np.exp(-(exact * logs).sum(-1)), 0)


def _side(labels: tuple[Label, ...]) -> str:
    # Letters that were taken apart are read together.
    text = unicodedata.normalize("NFC", "".join(_spaced(labels)))
    return f"\u2068{text}\u2069" if any(one.direction == "rtl" for one in labels) else text


def _spaced(labels: tuple[Label, ...]) -> list[str]:
    pieces: list[str] = []
    end = 0
    for label in labels:
        if label.role == "content":
            pieces.append(" " if label.start > end else "")
            pieces.append(visible(label.text, shows_blanks=False))
            end = label.end
    return pieces
