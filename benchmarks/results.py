"""Results of the last run, kept as JSON with the machine and the versions."""

import json
import platform
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch

import regard

FOLDER = Path(__file__).parent / "results"


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    processor = platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return {
        "processor": processor,
        "threads": torch.get_num_threads(),
        "has_avx512_bf16": torch.cpu._is_avx512_bf16_supported(),
        "has_amx": torch.cpu._is_amx_tile_supported(),
        "regard": regard.__version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "date": date.today().isoformat(),
    }


def keep(name: str, table: Mapping[str, object]) -> Path:
    """Write one result file."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    path.write_text(
        json.dumps({"machine": machine(), **table}, indent=1, ensure_ascii=False) + "\n"
    )
    return path


def kept(name: str) -> dict[str, Any] | None:
    """Read one result file; None if there is none."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None
