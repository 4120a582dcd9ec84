"""The real data that ships with the package: English words and their phones.

Cut from the CMU Pronouncing Dictionary (BSD-style licence, kept beside the
files), without stress marks: a train, a dev and a test part that share no word.
"""

from importlib.resources import files
from pathlib import Path

from regard.errors import SettingsError

PARTS = ("train", "dev", "test")


def sample_path(part: str) -> Path:
    """The file of one part of the sample: "train", "dev" or "test"."""
    if part not in PARTS:
        raise SettingsError(f"unknown part {part!r}: expected {', '.join(PARTS)}.")
    return Path(str(files("regard.text") / "data" / f"english.{part}.tsv"))
