"""Every example runs: docstrings, README and documents."""

import doctest
import importlib
import pkgutil
import re
import shlex
from pathlib import Path

import nbformat
import pytest
import torch
from nbclient import NotebookClient

import regard
from regard.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))
MODULES = [module.name for module in pkgutil.walk_packages(regard.__path__, "regard.")]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name):
    module = importlib.import_module(name)
    names = {export: getattr(regard, export) for export in regard.__all__} | {"torch": torch}
    results = doctest.testmod(module, extraglobs=names | vars(module))
    assert results.failed == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```" in page.read_text("utf-8")], ids=lambda page: page.name
)
def test_every_block_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"torch": torch, "regard": regard}
    for kind, block in re.findall(r"```(\w+)\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        if kind == "python":
            exec(compile(block, str(page), "exec"), names)
        elif kind == "console":
            for line in block.splitlines():
                words = shlex.split(line.removeprefix("$ "))
                assert words[0] == "regard"
                assert main(words[1:]) == 0, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_every_page_stands_in_the_contents():
    contents = (ROOT / "mkdocs.yml").read_text("utf-8")
    for page in PAGES[1:]:
        assert f" {page.relative_to(ROOT / 'docs').as_posix()}\n" in contents + "\n", page


def test_every_module_opens_with_a_paragraph_and_every_public_name_says_what_it_is():
    for name in regard.__all__:
        assert (getattr(regard, name).__doc__ or "").strip(), name


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_every_cell_of_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [
        out.data for cell in notebook.cells for out in cell.get("outputs", []) if "data" in out
    ]
    assert any("<svg" in data.get("text/html", "") for data in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_kept_without_outputs(path):
    cells = nbformat.read(path, as_version=4).cells
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_the_glossary_gives_each_word_one_meaning():
    rows = (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8").split("|---|---|\n")[1]
    words = [word.strip() for row in rows.splitlines() for word in row.split("|")[1].split(",")]
    assert [word for word in words if words.count(word) > 1] == []
    assert {"told", "open", "hidden", "head", "residual path", "relative bias"} <= set(words)
