"""What is built of the source tree holds all of it that is needed, and nothing else."""

import importlib.metadata
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "regard"
IGNORED = shutil.ignore_patterns(
    "__pycache__", "*.egg-info", ".*", "build", "dist", "site", "shared"
)


def sources() -> set[str]:
    """All files of the package, as they stand in the source tree."""
    return {
        str(path.relative_to(PACKAGE.parent))
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the source tree, without what earlier builds left in it."""
    try:
        version = importlib.metadata.version("setuptools")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("setuptools is not installed")
    if int(version.partition(".")[0]) < 77:
        pytest.skip(f"setuptools {version} does not know licence expressions")
    return shutil.copytree(ROOT, tmp_path_factory.mktemp("tree") / "regard", ignore=IGNORED)


def wheel_of(tree: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps",
               "--no-index", "--disable-pip-version-check", "-w", str(folder), str(tree)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(tree, tmp_path):
    with zipfile.ZipFile(wheel_of(tree, tmp_path)) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        assert names == sources()
        (about,) = (name for name in wheel.namelist() if name.endswith("METADATA"))
        text = wheel.read(about).decode()
    assert "License-Expression: Apache-2.0 AND BSD-2-Clause" in text
    for extra in ("data", "mt", "plot", "serve", "subword"):
        assert f"Provides-Extra: {extra}" in text


@pytest.mark.slow
def test_the_source_archive_builds_the_same_wheel_and_brings_the_tests(tree, tmp_path):
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=tree, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    unpacked = tmp_path / archive.name.removesuffix(".tar.gz")
    for path in ROOT.joinpath("tests").rglob("*.py"):
        assert (unpacked / path.relative_to(ROOT)).is_file(), path
    with zipfile.ZipFile(wheel_of(unpacked, tmp_path)) as wheel:
        assert {name for name in wheel.namelist() if ".dist-info/" not in name} == sources()


def test_data_of_every_room_is_declared():
    """A file that is no Python is in the wheel only if `pyproject.toml` says so."""
    import tomllib

    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    declared = table["tool"]["setuptools"]["package-data"]
    found = {
        str(path)
        for package, patterns in declared.items()
        for pattern in patterns
        for path in (PACKAGE.parent / package.replace(".", "/")).glob(pattern)
    }
    others = {str(PACKAGE.parent / name) for name in sources() if not name.endswith(".py")}
    assert others <= found
