"""The page of dependencies, the tested set and its hashes say the same as the project."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGE = (ROOT / "docs" / "reference" / "dependencies.md").read_text("utf-8")
EXTRAS = PROJECT["optional-dependencies"]


def plain(name: str) -> str:
    """A package's name as installers compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def names_of(requirements: list[str]) -> set[str]:
    return {plain(re.match(r"[\w.-]+", one).group()) for one in requirements} - {"regard"}


def versions_of(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text().splitlines()
    pairs = [line.split()[0].split("==") for line in lines if not line.startswith("#")]
    return {plain(name): version for name, version in pairs}


def rows_of(heading: str) -> dict[str, list[str]]:
    """The cells of a table, by package."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
    return {plain(row[0].strip()): [cell.strip() for cell in row] for row in rows[2:]}


@pytest.mark.parametrize(
    ("heading", "requirements"),
    [
        ("At run time", PROJECT["dependencies"]),
        (
            "Extras",
            [one for name in ("data", "mt", "plot", "serve", "subword") for one in EXTRAS[name]],
        ),
        ("Tests and checks", [*EXTRAS["test"], *EXTRAS["check"]]),
    ],
)
def test_every_direct_dependency_has_its_row_and_every_row_is_one(heading, requirements):
    rows = rows_of(heading)
    extras = rows_of("Extras") if heading == "Tests and checks" else {}
    assert set(rows) == names_of(requirements) - set(extras)
    tested = versions_of("constraints.txt")
    assert {name: row[1] for name, row in rows.items()} == {name: tested[name] for name in rows}
    assert all(len(row) == 7 and all(row) for row in rows.values())


def test_an_extra_says_its_name_where_its_packages_are_told_of():
    told = {name: row[2].partition(":")[0].strip("`") for name, row in rows_of("Extras").items()}
    for extra in ("data", "mt", "plot", "serve", "subword"):
        assert names_of(EXTRAS[extra]) == {name for name, one in told.items() if one == extra}


def test_the_tested_set_has_a_hash_for_each_of_its_files_but_torch():
    tested = versions_of("constraints.txt")
    assert versions_of("constraints-hashes.txt") == {
        name: version for name, version in tested.items() if name != "torch"
    }
    lines = (ROOT / "constraints-hashes.txt").read_text().splitlines()[1:]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)
    names = list(versions_of("constraints-hashes.txt"))
    assert names == sorted(names)
