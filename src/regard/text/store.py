"""A large corpus kept on disk, and read from there as if it were in memory.

    source.ids source.offsets    tokens, and where each sequence begins
    target.ids target.offsets    (and tags)
    store.json                   what it was made of, and the checksums of these

The operating system keeps of it in memory what it has room for. The folder is
written under another name and renamed; one that is damaged, or of other data,
counts for nothing and is made anew.
"""

import hashlib
import json
import shutil
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regard.errors import CheckpointError, DataError, RegardError
from regard.files import aside_of, clear_stale
from regard.text.batch import Corpus, Integers, Sequences, Tokens
from regard.text.intake import Intake, TokenColumn

STORE_FORMAT = 2
TABLE = "store.json"


@dataclass(frozen=True)
class Stored:
    """What a store holds.

    Attributes:
        corpus: The pairs.
        about: What else was told of them when they were kept.
    """

    corpus: Corpus
    about: Mapping[str, object]


@dataclass(frozen=True)
class TokenStore:
    """A folder for a corpus.

    Attributes:
        folder: Where it lies.
        key: Says what it is made of: text, and how it is cut.
    """

    folder: Path
    key: str

    def load(self) -> Stored | None:
        """The corpus of this key; None if there is none that is whole."""
        try:
            table = json.loads((self.folder / TABLE).read_text("utf-8"))
            if (table["format"], table["key"]) != (STORE_FORMAT, self.key):
                return None
            for name, checksum in table["checksums"].items():
                if checksum_of(self.folder / name) != checksum:
                    return None
            return Stored(self._corpus(table["kinds"]), table["about"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def begin(self) -> Path:
        """An empty folder, under another name; `keep` renames it.

        Raises:
            CheckpointError: Something else stands where it will be.
        """
        if self.folder.exists() and not (self.folder / TABLE).is_file():
            raise CheckpointError(
                f"{self.folder}: expected a folder of tokens, which a large training keeps there; "
                "found something else. Move it, or train with --set training.store=memory."
            )
        clear_stale(self.folder)
        aside = aside_of(self.folder)
        aside.mkdir()
        return aside

    def keep(self, parts: Iterable[TokenColumn], about: Mapping[str, object]) -> Corpus:
        """Write a corpus, in the place of any other.

        Args:
            parts: The corpus.
            about: What else is to be known of it, as JSON has it.
        """
        aside = aside_of(self.folder)
        kinds: dict[str, str] = {}
        checksums: dict[str, str] = {}
        for part in parts:
            for what, chunks in (("ids", part.ids), ("offsets", part.offsets)):
                name = f"{part.name}.{what}"
                kinds[name], checksums[name] = _write(aside / name, chunks)
        for left in aside.glob("*.chunks"):
            left.unlink()
        table = {
            "format": STORE_FORMAT,
            "key": self.key,
            "kinds": kinds,
            "checksums": checksums,
            "about": dict(about),
        }
        (aside / TABLE).write_text(json.dumps(table, ensure_ascii=False), "utf-8")
        if self.folder.exists():
            shutil.rmtree(self.folder)
        aside.rename(self.folder)
        return self._corpus(kinds)

    def _corpus(self, kinds: Mapping[str, str]) -> Corpus:
        parts = (
            Sequences(
                *(
                    _mapped(self.folder / name, kinds[name])
                    for name in (f"{part}.ids", f"{part}.offsets")
                )
            )
            for part in Tokens._fields
        )
        return Corpus(*parts)


@contextmanager
def taking_in(store: TokenStore | None, limit: int) -> Generator[Intake]:
    """Take in pairs: in memory up to some bytes of tokens, and beyond in files if there is a store.

    Raises:
        CheckpointError: The store cannot be written.
    """
    intake = Intake(None if store is None else store.begin, limit)
    try:
        yield intake
    except OSError as error:
        if store is None or isinstance(error, RegardError):
            raise
        raise CheckpointError(
            f"{store.folder}: cannot be written: {error.strerror}. With --set "
            "training.store=memory nothing is."
        ) from None
    finally:
        intake.close()
        if intake.folder is not None:
            shutil.rmtree(intake.folder, ignore_errors=True)


def _write(path: Path, chunks: Iterator[Integers]) -> tuple[str, str]:
    digest, kind = hashlib.sha256(), "uint8"
    with open(path, "wb") as file:
        for chunk in chunks:
            content = chunk.tobytes()
            digest.update(content)
            file.write(content)
            kind = chunk.dtype.name
    return kind, digest.hexdigest()


def checksum_of(path: str | Path) -> str:
    """The SHA-256 of a file as it stands.

    Raises:
        DataError: It cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise DataError("no such file.", path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}.", path) from None


def _mapped(path: Path, kind: str) -> Integers:
    if path.stat().st_size == 0:
        return np.zeros(0, kind)
    # A plain array on the file's pages: no page is read before it is needed.
    return np.asarray(np.memmap(path, kind, "r"))
