"""The report: one HTML file for a person, with no script and no outside request.

Everything that hovering shows also stands in a table that opens by keyboard and
is read aloud. Printed, all maps are there.
"""

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from regard.alignment import RowLabel, picture
from regard.evaluation import Measure
from regard.inspection.inspection import Case, Inspection
from regard.inspection.shapes import Histogram
from regard.inspection.verdict import PositionUse

_MOST = 24
_INK: dict[RowLabel, str] = {
    "used": "#2f6f4f",
    "misdirected": "#c8502b",
    "spread": "#8a8d46",
    "idle": "#8b8f97",
}
_DESCRIBED = {
    "flatness": "Entropy of the median row, as a share of the largest",
    "peak": "Largest weight of the median row",
    "order": "Order of the strongest positions: 1 monotone, -1 reversed",
    "band_mass": "Mass within one place of the better diagonal",
    "saturation": "Gradient left to the scores (1 - sum of squares)",
    "marginal_tv": "Distance of the coverage from uniform",
}


def report(found: Inspection) -> str:
    """The whole page.

    Args:
        found: What an inspection found.
    """
    template = (files("regard.inspection") / "report.html").read_text("utf-8")
    cases = found.doubtful()[:_MOST]
    parts = {
        "verdict": escape(found.verdict),
        "class": found.verdict.replace(" ", "-"),
        "headline": escape(found.headline),
        "reasons": "".join(f"<li>{escape(reason)}</li>" for reason in _reasons(found)),
        "look": escape(
            f"{found.look}; {'given targets' if found.mode == 'forced' else 'as predicted'}"
        ),
        "checks": "".join(_check_row(found)),
        "use": "" if found.use is None else _use(found.use),
        "shape": escape("; ".join(found.shape.reading) or "nothing to say"),
        "pictures": "".join(
            _histogram(one) for one in found.shape.figures if one.name in _DESCRIBED
        ),
        "offsets": _offsets(found),
        "flags": _flags(found),
        "cases": "".join(_case(place, case) for place, case in enumerate(cases, 1)),
        "shown": f"{len(cases)} of {len(found.cases)}",
    }
    for name, content in parts.items():
        template = template.replace("{{" + name + "}}", content)
    return template


def _reasons(found: Inspection) -> list[str]:
    words = () if found.words is None else (found.words.text,)
    return [*found.judgement.reasons[1:], *words]


def _check_row(found: Inspection) -> list[str]:
    return [
        f"<tr class='{'met' if one.is_met else 'failed'}'><th scope='row'>{one.name}</th>"
        f"<td>{escape(one.title)}</td><td>{'holds' if one.is_met else 'FAILS'}</td>"
        f"<td class='number'>{one.value:.1e}</td><td class='number'>{one.tolerance:.0e}</td></tr>"
        for one in found.checks
    ]


def _use(use: PositionUse) -> str:
    rows = [
        ("gap", use.gap, "nats: erasing the strongest position, less erasing another"),
        (
            "agree",
            use.agree,
            f"above chance ({use.chance:.2f}): the strongest has the largest effect",
        ),
        ("uniform", use.uniform, "nats: looking everywhere alike"),
        ("keep, uniform", use.keep_uniform, "of symbols kept, looking everywhere alike"),
        ("keep, permuted", use.keep_permuted, "of symbols kept, weights permuted"),
        ("keep, erased", use.keep_erased, "of symbols kept, strongest position erased"),
        *((f"{one.name}, gap", one.gap, "nats, erased in it alone") for one in use.heads),
    ]
    table = "".join(_measure_row(name, measure, text) for name, measure, text in rows)
    return (
        "<table><thead><tr><th scope='col'>figure</th><th scope='col'>value</th><th scope='col'>95 % "
        f"interval</th><th scope='col'>meaning</th></tr></thead><tbody>{table}</tbody></table>"
        f"{_bar('Rows that write content', use.labels)}{_bar('Rows that write the end', use.end_labels)}"
    )


def _measure_row(name: str, measure: Measure, text: str) -> str:
    return (
        f"<tr><th scope='row'>{escape(name)}</th><td class='number'>{measure.value:.3f}</td>"
        f"<td class='number'>{measure.low:.3f} to {measure.high:.3f}</td><td>{escape(text)}</td></tr>"
    )


def _bar(name: str, shares: Mapping[RowLabel, float]) -> str:
    told = ", ".join(f"{share:.0%} {kind}" for kind, share in shares.items())
    x, parts = 0.0, list[str]()
    for kind, share in shares.items():
        parts.append(
            f"<rect x='{600 * x:.1f}' width='{600 * share:.1f}' height='18' fill='{_INK[kind]}'>"
            f"<title>{share:.1%} {kind}</title></rect>"
        )
        x += share
    return (
        f"<p class='bar'>{escape(name)}: {told}<br><svg role='img' aria-label='{escape(name)}: {told}' "
        f"viewBox='0 0 600 18' width='600' height='18'>{''.join(parts)}</svg></p>"
    )


def _histogram(one: Histogram) -> str:
    return _columns(
        f"{_DESCRIBED[one.name]}: median {one.median:.2f}",
        f"{one.low:.2f}",
        f"{one.high:.2f}",
        [float(count) for count in one.counts],
    )


def _offsets(found: Inspection) -> str:
    words = found.words
    if words is None or not words.rows:
        return ""
    reach = range(-5, 6)
    shares = [words.offsets.get(offset, 0.0) for offset in reach]
    return _columns(
        "Strongest position less the symbol whose substitution matters most",
        f"{reach[0]}",
        f"{reach[-1]}",
        shares,
    )


def _columns(name: str, low: str, high: str, values: Sequence[float]) -> str:
    most, wide = max(max(values), 1e-9), 240 / len(values)
    bars = "".join(
        f"<rect x='{place * wide:.1f}' y='{60 - 56 * value / most:.1f}' width='{wide - 1:.1f}' "
        f"height='{56 * value / most:.1f}'><title>{value:g}</title></rect>"
        for place, value in enumerate(values)
    )
    return (
        f"<figure><svg role='img' aria-label='{escape(name)}' viewBox='0 0 240 76' width='240' "
        f"height='76' fill='#33506b'>{bars}<path d='M0 60h240' stroke='#888'/>"
        f"<text x='0' y='73' font-size='10'>{low}</text><text x='240' y='73' font-size='10' "
        f"text-anchor='end'>{high}</text></svg><figcaption>{escape(name)}</figcaption></figure>"
    )


def _flags(found: Inspection) -> str:
    whole = [f"<li>{escape(flag.text)}</li>" for flag in found.shape.flags]
    counts = [
        f"<li>{escape(name)} in {count} of {len(found.cases)} pairs</li>"
        for name, count in sorted(found.shape.counts.items(), key=lambda one: -one[1])
    ]
    return "".join([*whole, *counts]) or "<li>none</li>"


def _case(place: int, case: Case) -> str:
    flags = "".join(f"<li>{escape(flag.text)}</li>" for flag in case.flags)
    drawn = picture(case.alignment, f"{place}")
    return (
        f"<article><h3>Line {case.number}: <bdi>{escape(case.source)}</bdi> to <bdi>{escape(case.text)}</bdi></h3>"
        f"<p>{escape(case.alignment.summary())} Log-probability {case.log_prob:.2f}.</p>"
        f"<div class='map'>{drawn}</div>{f'<ul>{flags}</ul>' if flags else ''}"
        f"<details><summary>As a table</summary>{_table(case)}</details></article>"
    )


def _table(case: Case) -> str:
    alignment, trust = case.alignment, case.alignment.trust
    kinds, rows, weights = alignment.row_labels(), list[str](), alignment.weights
    strongest = weights.argmax(1) if trust is None else trust.strongest(weights)
    for place, top in enumerate(strongest.tolist()):
        cells = [escape(alignment.source[top].shown), f"{weights[place, top]:.3f}"]
        if trust is not None:
            best = int(trust.effects[place].argmax())
            cells += [
                f"{trust.effects[place, top]:.2f}",
                escape(alignment.source[best].shown),
                f"{trust.effects[place, best]:.2f}",
                kinds[place],
            ]
        rows.append(
            f"<tr><th scope='row'><bdi>{escape(alignment.target[place].shown)}</bdi></th>"
            + "".join(f"<td><bdi>{cell}</bdi></td>" for cell in cells)
            + "</tr>"
        )
    names = ["symbol", "strongest", "weight"]
    names += ["its effect", "most effect", "effect", "row"] if trust is not None else []
    head = "".join(f"<th scope='col'>{name}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
