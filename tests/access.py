"""What a screen reader or a weak eye would stumble over in a page, by axe."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
playwright = pytest.importorskip("playwright.sync_api")

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")


@contextmanager
def browsing() -> Iterator:
    """A browser without a window."""
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


def violations(page) -> list[str]:
    """Each rule that is broken, with the places."""
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']} {[node['html'][:200] for node in one['nodes']][:3]}"
        for one in found
    ]
