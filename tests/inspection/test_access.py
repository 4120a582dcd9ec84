"""The pages that are files: the report of an inspection, and a map."""

import pytest

from regard import InspectionSettings
from regard.inspection import report
from tests.access import browsing, needs_browser, violations
from tests.web.served import predictor

pytestmark = [needs_browser, pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


@pytest.fixture(scope="module")
def page():
    with browsing() as browser:
        yield browser.new_context(bypass_csp=True).new_page()


def test_a_report_is_accessible(page, tmp_path):
    pairs = [("abcd"[: 1 + n % 4], "hgfe"[: 1 + n % 3]) for n in range(24)]
    found = predictor().inspect(
        pairs, is_forced=True, settings=InspectionSettings(resamples=20, word_pairs=4)
    )
    path = tmp_path / "report.html"
    path.write_text(report(found), "utf-8")
    page.goto(path.as_uri())
    assert violations(page) == []


@pytest.mark.parametrize("is_tested", [False, True])
def test_a_map_is_accessible(page, tmp_path, is_tested):
    alignment = predictor().align([("abcd", "hgf")], is_tested=is_tested)[0]
    alignment.save(tmp_path / "map.html")
    page.goto((tmp_path / "map.html").as_uri())
    assert violations(page) == []
