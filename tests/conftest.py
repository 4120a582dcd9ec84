"""One seed, one tiny model, and where others' cases may be found."""

import os
from pathlib import Path

import pytest
import torch
from hypothesis import settings

# Tiny tensors gain nothing from threads, and lose much where something else runs: here, and
# in the processes that tests start.
torch.set_num_threads(1)
os.environ["OMP_NUM_THREADS"] = "1"

settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=50)
settings.load_profile("steady")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def conformance() -> Path:
    folder = SHARED / "conformance"
    if not folder.is_dir():
        pytest.skip("others' conformance cases are not beside this checkout")
    return folder
