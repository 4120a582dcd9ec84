"""NETtalk's words as pairs and links.

python -m benchmarks.nettalk FOLDER OUTPUT

FOLDER holds its files: a word, and one symbol for each letter, "-" for a silent one.
OUTPUT gets train.tsv, dev.tsv, test.tsv, and test.links with the links that people
made: letter i with the symbol that it is pronounced by.
"""

import gzip
import sys
from pathlib import Path

SILENT = "-"


def convert(folder: Path, output: Path) -> None:
    output.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("nettalk_*")):
        name = path.name.removeprefix("nettalk_").split(".")[0]
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        rows = [line.split("\t")[:2] for line in text.decode("utf-8").splitlines()]
        kept = [(word, phones) for word, phones in rows if set(phones) != {SILENT}]
        (output / f"{name}.tsv").write_text("".join(map(pair, kept)), "utf-8")
        if name == "test":
            (output / "test.links").write_text("".join(map(links, kept)), "utf-8")


def pair(row: tuple[str, str]) -> str:
    return f"{row[0]}\t{' '.join(row[1].replace(SILENT, ''))}\n"


def links(row: tuple[str, str]) -> str:
    sounding = [place for place, phone in enumerate(row[1]) if phone != SILENT]
    return " ".join(f"{letter}-{phone}" for phone, letter in enumerate(sounding)) + "\n"


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
