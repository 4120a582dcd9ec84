"""Every status that a server may answer is explained where users and readers look."""

import re
from pathlib import Path

from regard.web import app, shield

ROOT = Path(__file__).parents[2]
PLACES = re.compile(r"(?:_Refusal|HTTPException|_error)\((\d{3})|Error: (\d{3})")


def answered():
    code = "".join(Path(module.__file__).read_text("utf-8") for module in (app, shield))
    # The framework answers 400 and 405 by itself.
    return {one or other for one, other in PLACES.findall(code)} | {"400", "405"}


def test_statuses_are_found_in_the_code():
    assert {"403", "404", "413", "421", "422", "500", "503", "504"} < answered()


def test_the_page_on_serving_explains_each_status():
    page = (ROOT / "docs" / "how-to" / "serve.md").read_text("utf-8")
    assert set(re.findall(r"^\| (\d{3}) \|", page, re.MULTILINE)) == answered()


def test_the_application_lists_each_status():
    assert set(re.findall(r"\b\d{3}\b", app.__doc__ or "")) == answered()
