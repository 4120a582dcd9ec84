"""An alignment as text.

Labels stand at the ends of the lines, and columns are headed by numbers with a
legend: no terminal agrees with another on how wide a character is, and so a
wrong guess cannot shear the grid.
"""

import numpy as np
from jaxtyping import Float

from regard.alignment.labels import CAPTION, Drawable, Label, effective_sources, title, visible

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " .:-=+*#%@"
_MARGIN = 24
_TESTED = 20


def draw(drawable: Drawable, *, width: int = 80, uses_blocks: bool = True) -> str:
    """The picture as lines of text.

    Args:
        drawable: The alignment.
        width: How many characters a line may have; where the source is longer,
            neighbouring columns share a cell that shows the largest of them,
            and each row names its three strongest positions.
        uses_blocks: Whether block elements may be used, or ASCII alone.
    """
    ramp = BLOCKS if uses_blocks else ASCII
    columns = len(drawable.source)
    trust = drawable.trust
    kinds = () if trust is None else trust.labels(drawable.weights)
    strongest = [] if trust is None else trust.strongest(drawable.weights)
    room = max(8, width - _MARGIN - (_TESTED if kinds else 0))
    wide = next((width for width in (3, 2) if width * columns <= room), 1)
    pool = 1 if wide > 1 else max(1, -(-2 * columns // room))
    cells = _pooled(drawable.weights, pool)
    lines = [title(drawable), CAPTION.split(".")[0].lower() + _look(drawable), _legend(drawable)]
    if pool == 1:
        lines.append(
            "     "
            + "".join(f"{number % 100:{wide}d}" for number in range(1, columns + 1))
            + "   sources"
            + ("  effect" if kinds else "")
        )
    else:
        lines.append(f"     each cell is the largest of {pool} columns" + "   sources")
    effective = effective_sources(drawable.weights)
    for row, label in enumerate(drawable.target):
        bars = "".join(_mark(float(weight), ramp) * wide for weight in cells[row])
        top = _strongest(drawable, row) if pool > 1 else ""
        tested = (
            ""
            if trust is None
            else (f"{trust.effects[row, strongest[row]]:7.2f}  {kinds[row]:<11}  ")
        )
        lines.append(
            f"{row + 1:3d} |{bars}| {effective[row]:4.1f}  {tested}{_isolated(label)}{top}"
        )
    lines.append(_coverage(drawable, pool, wide))
    if trust is not None:
        rows = sum(label.role == "content" for label in drawable.target)
        lines.append(trust.summary(drawable.weights, rows))
    return "\n".join(lines)


def _look(drawable: Drawable) -> str:
    look = f"{visible(drawable.look, shows_blanks=False)}; " if drawable.look else ""
    return (
        f"   ({look}{'shape only: not tested' if drawable.trust is None else 'tested by erasing'})"
    )


def _legend(drawable: Drawable) -> str:
    named = (f"{number} {_isolated(label)}" for number, label in enumerate(drawable.source, 1))
    return "columns: " + "  ".join(named)


def _mark(weight: float, ramp: str) -> str:
    if not np.isfinite(weight):
        return "?"
    return ramp[min(len(ramp) - 1, int(np.ceil(weight * (len(ramp) - 1) - 0.25)))]


def _isolated(label: Label) -> str:
    # Isolates keep a right-to-left label from turning its neighbours round.
    text = label.shortened(24)
    return f"\u2068{text}\u2069" if label.direction == "rtl" else text


def _strongest(drawable: Drawable, row: int) -> str:
    order = np.argsort(-drawable.weights[row], kind="stable")[:3]
    named = (f"{column + 1} {_isolated(drawable.source[column])}" for column in order)
    return "   <- " + ", ".join(named)


def _coverage(drawable: Drawable, pool: int, wide: int) -> str:
    if pool > 1:
        return ""
    sums = drawable.weights.sum(0)
    return (
        "cov  "
        + "".join(f"{min(round(10 * float(total)), 99):{wide}d}" for total in sums)
        + ("   tenths of a row: what each position gave in all")
    )


def _pooled(
    weights: Float[np.ndarray, "target source"], pool: int
) -> Float[np.ndarray, "target cells"]:
    if pool == 1:
        return weights
    padded = np.pad(weights, ((0, 0), (0, -weights.shape[1] % pool)))
    return padded.reshape(len(weights), -1, pool).max(-1)
