"""The pictures in a real browser: labels and cells line up, keys work, nothing is requested."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from regard import Alignment
from regard.alignment import Trust, picture
from tests.alignment.test_alignment import SCRIPTS, alignment_of

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")

MEASURE = """
<script>
const boxes = [...document.querySelectorAll("svg")].map(svg => {
  const grid = [...svg.querySelectorAll("rect, image")].find(part => part.dataset.part === "grid")
    || svg.querySelectorAll("rect")[1] || svg.querySelector("image");
  const box = part => { const b = part.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
  const labels = [...svg.querySelectorAll("text[direction]")].map(text => ({box: box(text), turned: text.hasAttribute("transform")}));
  return {grid: box(grid), whole: box(svg), labels};
});
const pre = document.createElement("pre"); pre.id = "found"; pre.textContent = JSON.stringify(boxes);
document.body.append(pre);
</script>
"""
PRESS = """
<script>
const canvas = document.getElementById("matrix");
for (const key of ["ArrowDown", "ArrowRight", "Enter"]) canvas.dispatchEvent(new KeyboardEvent("keydown", {key}));
</script>
"""


def rendered(path: Path) -> str:
    """The page as the browser has it, its scripts done; the network is out of reach."""
    done = subprocess.run(
        [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
         "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={path.parent / 'profile'}",
         "--virtual-time-budget=3000", path.as_uri()],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if not done.stdout.strip():
        pytest.skip(f"Chromium does not start here: {done.stderr[-200:]}")
    return done.stdout


def examined(alignment: Alignment) -> Alignment:
    chance = np.random.default_rng(0)
    rows = len(alignment.weights)
    effects = chance.normal(0.2, 0.5, alignment.weights.shape).astype(np.float32)
    flat = np.zeros(rows, np.float32)
    return replace(alignment, trust=Trust(effects, flat, flat))


def test_labels_stand_beside_their_rows_and_columns(tmp_path):
    drawn = [alignment_of(text, text[::-1]) for text in SCRIPTS.values()]
    drawn += [alignment_of("a" * 40, "b" * 30), examined(alignment_of("abcdef", "ghij"))]
    page = tmp_path / "maps.html"
    body = "".join(f"<div>{picture(one)}</div>" for one in drawn)
    page.write_text(f"<!doctype html><meta charset='utf-8'><body>{body}{MEASURE}", "utf-8")
    dom = rendered(page)
    found = json.loads(unescape(re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)[1]))
    assert len(found) == len(drawn)
    for alignment, one in zip(drawn, found, strict=True):
        left, top, right, bottom = one["grid"]
        columns, rows = len(alignment.source), len(alignment.target)
        wide, high = (right - left) / columns, (bottom - top) / rows
        assert len(one["labels"]) == columns + rows
        for column, label in enumerate(one["labels"][:columns]):
            box = label["box"]
            assert box[3] <= top + 6, "a column's label stands above the grid"
            if not label["turned"]:
                middle = (box[0] + box[2]) / 2
                assert abs(middle - (left + (column + 0.5) * wide)) < wide / 2
        for row, label in enumerate(one["labels"][columns:]):
            box = label["box"]
            assert box[2] <= left + 1, "a row's label stands left of the grid"
            middle = (box[1] + box[3]) / 2
            assert abs(middle - (top + (row + 0.5) * high)) < high / 2
        assert all(label["box"][0] >= one["whole"][0] - 1 for label in one["labels"])


@pytest.mark.parametrize("is_tested", [False, True])
def test_the_page_answers_to_keys_and_says_what_is_under_them(tmp_path, is_tested):
    alignment = alignment_of("abc", "de")
    page = tmp_path / "one.html"
    (examined(alignment) if is_tested else alignment).save(page)
    text = page.read_text("utf-8")
    page.write_text(text.replace("</body>", f"{PRESS}</body>"), "utf-8")
    said = re.search(r'<p id="said"[^>]*>(.*?)</p>', rendered(page), re.DOTALL)[1]
    assert "Row 1" in said
    assert "column 2" in said
    assert "(held)" in said
    assert ("Erasing it costs" in said) == is_tested
