"""What the house promises about itself: floors, names, import time, budgets."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import regard

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "src" / "regard").rglob("*.py"))


def test_what_is_exported_is_there_and_sorted():
    assert list(regard.__all__) == sorted(regard.__all__)
    assert all(vars(regard).get(name) or getattr(regard, name) for name in regard.__all__)
    assert set(regard.__all__) <= set(dir(regard))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = regard.nothing


def test_the_stub_says_the_same_as_the_package():
    stub = (ROOT / "src" / "regard" / "__init__.pyi").read_text()
    assert sorted(re.findall(r"(\w+) as \1", stub)) == list(regard.__all__)


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import regard", "torch"),
        ("from regard.cli import main; main(['--help'])", "torch"),
        ("from regard.cli import main; main(['train', '--help'])", "torch"),
        ("from regard.cli import main; main(['check', '--help'])", "torch"),
        ("import regard; regard.train", "matplotlib"),
        ("import regard.evaluation", "sacrebleu"),
        ("import regard; regard.Alignment", "torch"),
    ],
)
def test_what_is_not_needed_is_not_imported(statement, absent):
    code = f"import sys; {statement}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_the_version_is_that_of_the_project_and_of_the_changelog():
    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{regard.__version__}"' in project
    heads = re.findall(r"^## \[?([\d.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heads[0] == regard.__version__
    assert regard.__version__ in (ROOT / "CITATION.cff").read_text()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_and_functions_keep_their_budgets(path):
    text = path.read_text()
    is_cli = "cli" in path.parts
    assert text.count("\n") <= 300
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a module opens with a paragraph"
    assert "TYPE_CHECKING" not in text, "a circle of types alone is still a circle"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            docstring = ast.get_docstring(node, clean=False) or ""
            length = node.end_lineno - node.lineno + 1 - docstring.count("\n")
            # A command's options are one list, however long.
            assert length <= (80 if is_cli else 40), f"{node.name} has {length} lines"
            assert node.args.kwarg is None, f"{node.name} takes **{node.args.kwarg.arg}"
            assert node.returns is not None, f"{node.name} does not say what it returns"


# A message, a file and a line; what is read, and what writes it.
IN_A_ROW = {"DataError": 3, "Writer": 3}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_constructors_keep_their_budget(path):
    """Eight arguments, of which those after the second are told by name; private classes are free in that."""
    for node in ast.walk(ast.parse(path.read_text())):
        for made in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(made, ast.FunctionDef) and made.name == "__init__":
                in_a_row = len(made.args.args) - 1
                assert in_a_row + len(made.args.kwonlyargs) <= 8, node.name
                assert node.name.startswith("_") or in_a_row <= IN_A_ROW.get(node.name, 2), (
                    node.name
                )


def names_in(path):
    """What a file calls its values, parameters, functions, classes and fields."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    return {
        *(node.id for node in nodes if isinstance(node, ast.Name)),
        *(node.arg for node in nodes if isinstance(node, ast.arg)),
        *(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)),
        *(node.attr for node in nodes if isinstance(node, ast.Attribute)),
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_words_of_the_house_are_used_as_it_says(path):
    """One word, one meaning: some names of the peers are nowhere."""
    never = {"src", "trg", "tgt", "attn", "alphas", "energy", "padding_mask", "memory_bank"}
    assert not names_in(path) & never


@pytest.mark.parametrize(
    "path", [path for path in FILES if "search" in path.parts], ids=lambda path: path.name
)
def test_a_search_ranks_by_log_probability_and_leaves_scores_to_the_look(path):
    assert not {name for name in names_in(path) if "score" in name}


def test_a_kind_of_setting_is_defined_once():
    found = Counter(
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"^(\w+) = Annotated\[", path.read_text("utf-8"), re.M)
    )
    assert {name: count for name, count in found.items() if count > 1} == {}
