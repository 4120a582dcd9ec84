"""An alignment: where the decoder looked for each symbol that it wrote.

Plain data: no tensors, no model. Rows are the target, columns the source; row t
holds the weights that were used to write target symbol t. Beside the user's
own symbols there are an end symbol on both sides and, where a task has them,
tags; each carries its role.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast, get_args

import numpy as np
from jaxtyping import Float32

from regard.alignment import html, plot, svg, terminal
from regard.alignment.labels import Label, Role
from regard.alignment.links import (
    Link,
    LinkMethod,
    best_links,
    links_of,
    pharaoh,
    strong_links,
)
from regard.alignment.trust import RowLabel, Trust
from regard.errors import DataError, SettingsError, ShapeError
from regard.files import write_file


@dataclass(frozen=True, eq=False)
class Alignment:
    """Target x source weights with their symbols.

    Attributes:
        source: The columns' labels.
        target: The rows' labels.
        weights: Each row sums to one.
        look: Which look of the model this is, in words.
        trust: What erasing showed of each row, if it was tried.

    Raises:
        ShapeError: Labels and weights, or what erasing showed, do not fit together.
    """

    source: tuple[Label, ...]
    target: tuple[Label, ...]
    weights: Float32[np.ndarray, "target source"]
    look: str = ""
    trust: Trust | None = None

    def __post_init__(self) -> None:
        if self.trust is not None and self.trust.effects.shape != self.weights.shape:
            raise ShapeError(
                f"effects have shape {self.trust.effects.shape}, weights {self.weights.shape}."
            )
        if self.weights.shape != (len(self.target), len(self.source)):
            raise ShapeError(
                f"weights have shape {self.weights.shape}: expected one row for each of "
                f"{len(self.target)} target symbols, one column for each of {len(self.source)}."
            )

    def content(self) -> Float32[np.ndarray, "content_target content_source"]:
        """The weights between content symbols alone; they stand first on both sides."""
        rows = sum(label.role == "content" for label in self.target)
        columns = sum(label.role == "content" for label in self.source)
        return self.weights[:rows, :columns]

    def links(self, threshold: float | None = None, method: LinkMethod | None = None) -> list[Link]:
        """Hard links between content symbols.

        Args:
            threshold: Link all pairs of at least this weight; if None, each
                target symbol with its strongest source symbol.
            method: Another way to link, such as "mutual"; see `regard.alignment.links`.

        Raises:
            SettingsError: There is no such method, or it has no threshold.
        """
        content = self.content()
        if method is not None:
            return links_of(content, method, threshold)
        return best_links(content) if threshold is None else strong_links(content, threshold)

    def row_labels(self) -> tuple[RowLabel, ...]:
        """How each row was used, as far as erasing shows; empty if that was not tried."""
        return () if self.trust is None else self.trust.labels(self.weights)

    def summary(self) -> str:
        """What erasing showed, in a sentence."""
        rows = sum(label.role == "content" for label in self.target)
        if self.trust is None:
            return "Not tested: the shape alone is no evidence."
        return self.trust.summary(self.weights, rows)

    def pharaoh(self, threshold: float | None = None) -> str:
        """The links as `source-target` pairs, counted from zero."""
        return pharaoh(self.links(threshold))

    def to_json(self) -> str:
        """The whole alignment as a JSON object."""
        table: dict[str, object] = {
            "source": [asdict(label) for label in self.source],
            "target": [asdict(label) for label in self.target],
            "weights": [[round(float(weight), 7) for weight in row] for row in self.weights],
            "look": self.look,
        }
        if self.trust is not None:
            table |= {
                "labels": self.row_labels(),
                "summary": self.summary(),
                "trust": {
                    "effects": _rounded(self.trust.effects),
                    "uniform": _rounded(self.trust.uniform),
                    "permuted": _rounded(self.trust.permuted),
                    "threshold": self.trust.threshold,
                    "blocks": self.trust.blocks,
                },
            }
        return json.dumps(table, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Alignment":
        """Read what `to_json` wrote.

        Raises:
            DataError: It is something else.
        """
        try:
            table = json.loads(text)
            source, target = (_labels(table[side]) for side in ("source", "target"))
            weights = _numbers(table["weights"]).reshape(len(target), len(source))
            return cls(source, target, weights, str(table["look"]), _trust(table, weights.shape))
        except (
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            OverflowError,
            RecursionError,
            MemoryError,
        ) as error:
            raise DataError(f"this is no alignment: {str(error)[:200]}.") from None

    def save(self, path: str | Path) -> None:
        """Write a picture or the numbers: .svg, .html, .png, .pdf or .json.

        Raises:
            SettingsError: The ending is another.
            MissingExtraError: A .png or .pdf is asked for without matplotlib.
            DataError: The file cannot be written.
        """
        path = Path(path)
        try:
            write_file(path, self._drawn(path.suffix.lower()))
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}.", path) from None

    def _drawn(self, kind: str) -> bytes:
        if kind == ".json":
            return self.to_json().encode()
        if kind == ".svg":
            return svg.draw(self).encode()
        if kind == ".html":
            return html.page(self).encode()
        if kind in (".png", ".pdf"):
            return plot.draw(self, kind[1:])
        raise SettingsError(f"cannot draw {kind!r}: expected .svg, .html, .png, .pdf or .json.")

    def __str__(self) -> str:
        return terminal.draw(self)

    def _repr_html_(self) -> str:
        return svg.draw(self)


def _rounded(values: np.ndarray) -> list[object]:
    return values.astype(np.float64).round(5).tolist()


def _trust(table: Mapping[str, object], shape: tuple[int, ...]) -> Trust | None:
    if "trust" not in table:
        return None
    found = cast(Mapping[str, object], table["trust"])
    effects = _numbers(found["effects"]).reshape(shape)
    uniform, permuted = (
        _numbers(found[name]).reshape(shape[0]) for name in ("uniform", "permuted")
    )
    blocks = tuple(cast(Iterable[int], found.get("blocks", ())))
    is_whole = all(type(block) is int and block > 0 for block in blocks)
    if blocks and not (is_whole and sum(blocks) == shape[1]):
        raise ValueError(f"expected blocks of {shape[1]} positions in all")
    return Trust(effects, uniform, permuted, float(_numbers(found["threshold"])), blocks)


def _numbers(found: object) -> np.ndarray:
    numbers = np.array(found)
    if numbers.dtype.kind not in "iuf" and numbers.size:
        raise ValueError("expected numbers")
    with np.errstate(over="ignore"):
        numbers = numbers.astype(np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError("expected finite numbers")
    return numbers


def _labels(rows: Iterable[Mapping[str, object]]) -> tuple[Label, ...]:
    return tuple(_label(row) for row in rows)


def _label(row: Mapping[str, object]) -> Label:
    text, start, end, role = (row[name] for name in ("text", "start", "end", "role"))
    if not (isinstance(text, str) and isinstance(start, int) and isinstance(end, int)):
        raise ValueError(f"expected a label's text and span, found {str(row)[:60]!r}")
    if role not in get_args(Role):
        raise ValueError(f"expected a role among {', '.join(get_args(Role))}, found {role!r:.60}")
    return Label(text, start, end, cast(Role, role))
