"""Growth as pictures: SVG that is the same whenever it is made of the same figures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.growth import Curve


def curves_of_large(found: dict[str, Any]) -> list[Curve]:
    """Time and memory against the pairs of a training, from the results of `benchmarks.large`."""
    rows = sorted(found["rows"].values(), key=lambda row: row["count"])
    places = tuple(row["count"] for row in rows)
    times = (
        ("µs a pair: prepare", "prepare_seconds"),
        ("µs a pair: prepare again", "again_seconds"),
        ("µs a pair: an epoch's order", "order_seconds"),
    )
    sizes = (
        ("MiB: peak of prepare", "prepare_peak"),
        ("MiB: peak of an epoch's order", "order_peak"),
        ("MiB: growth in the end", "anonymous"),
    )
    across = "pairs of the corpus"
    curves = [
        Curve(across, up, places, tuple(1e6 * row[name] / row["count"] for row in rows))
        for up, name in times
    ]
    return curves + [
        Curve(across, up, places, tuple(row[name] for row in rows)) for up, name in sizes
    ]


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Six curves, each in a panel of its own.

    Args:
        curves: What is drawn.
        path: The picture.
    """
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "regard"
    from matplotlib import pyplot as plt
    from matplotlib import ticker

    figure, panels = plt.subplots(2, 3, figsize=(11, 6.2), layout="constrained")
    for panel, curve in zip(panels.flat, curves, strict=True):
        panel.loglog(curve.places, curve.values, "o-", color="#3b5b92")
        panel.set_xlabel(curve.across)
        panel.set_ylabel(curve.up)
        panel.set_ylim(min(curve.values) / 3, max(curve.values) * 3)
        panel.set_xticks(curve.places, [_short(place) for place in curve.places])
        panel.minorticks_off()
        panel.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 3)))
        panel.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        panel.grid(visible=True, alpha=0.3)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _short(place: float) -> str:
    if place >= 1_000_000:
        return f"{place / 1_000_000:g}M"
    return f"{place / 1_000:g}k" if place >= 1_000 else f"{place:g}"
