"""Write down the hash of every file that makes up the tested set of versions.

python scripts/hash_constraints.py

It asks pip what it would install of `constraints.txt` here, and keeps the SHA-256
of each file. The hashes are those of the files for this system and this Python;
torch is left out, for which of its builds is right depends on the machine.
"""

import json
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_OUT = ("regard", "torch")


def main() -> None:
    """Ask pip, and write `constraints-hashes.txt`."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--report", "-",
               "--ignore-installed", "-c", ROOT / "constraints.txt", f"{ROOT}[check]"]  # fmt: skip
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    rows: dict[str, str] = {}
    for one in json.loads(told.stdout)["install"]:
        name, version = one["metadata"]["name"], one["metadata"]["version"]
        if name not in LEFT_OUT:
            digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
            rows[name] = f"{name}=={version} --hash=sha256:{digest}\n"
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    head = f"# The files of constraints.txt without torch, for {system}.\n"
    lines = [rows[name] for name in sorted(rows, key=lambda name: name.lower().replace("_", "-"))]
    (ROOT / "constraints-hashes.txt").write_text(head + "".join(lines))


if __name__ == "__main__":
    main()
