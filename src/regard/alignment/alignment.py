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
from typing import cast

import numpy as np
from jaxtyping import Float32

from regard.alignment import html, plot, svg, terminal
from regard.alignment.labels import Label, Role
from regard.alignment.links import Link, best_links, pharaoh, strong_links
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

    Raises:
        ShapeError: Labels and weights do not fit together.
    """

    source: tuple[Label, ...]
    target: tuple[Label, ...]
    weights: Float32[np.ndarray, "target source"]
    look: str = ""

    def __post_init__(self) -> None:
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

    def links(self, threshold: float | None = None) -> list[Link]:
        """Hard links between content symbols.

        Args:
            threshold: Link all pairs of at least this weight; if None, each
                target symbol with its strongest source symbol.
        """
        content = self.content()
        return best_links(content) if threshold is None else strong_links(content, threshold)

    def pharaoh(self, threshold: float | None = None) -> str:
        """The links as `source-target` pairs, counted from zero."""
        return pharaoh(self.links(threshold))

    def to_json(self) -> str:
        """The whole alignment as a JSON object."""
        table = {
            "source": [asdict(label) for label in self.source],
            "target": [asdict(label) for label in self.target],
            "weights": [[round(float(weight), 7) for weight in row] for row in self.weights],
            "look": self.look,
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
            weights = np.array(table["weights"], np.float32).reshape(len(target), len(source))
            return cls(source, target, weights, str(table["look"]))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"this is no alignment: {error}.") from None

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


def _labels(rows: Iterable[Mapping[str, object]]) -> tuple[Label, ...]:
    return tuple(
        Label(str(row["text"]), int(cast(int, row["start"])), int(cast(int, row["end"])),
              cast(Role, row["role"]))
        for row in rows
    )  # fmt: skip
