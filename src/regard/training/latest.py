"""What is needed to go on with a training as if it had never stopped.

One file holds it all, so it is there whole or not at all: the parameters, the
best parameters so far, the optimiser's moments, the state of the random
numbers, and where in which epoch the training stands. No pickle.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from pydantic import TypeAdapter
from safetensors import safe_open
from safetensors.torch import save as save_tensors
from torch import Tensor

from regard.errors import CheckpointError
from regard.files import write_file
from regard.model import DAMAGE, first_line, own_file, tensors_checksum

NAME = Path("latest") / "state.safetensors"


@dataclass
class Position:
    """Where a training stands.

    Attributes:
        member: Which of several models is trained, from zero.
        update: Updates done, of this model.
        epoch: The epoch it is in.
        batch: Batches done in it.
        best: The best dev result, smaller is better: word error rate plus
            symbol error rate. None before the first evaluation.
        stale: Evaluations since then.
        loss: Sum of the losses since the last evaluation.
        losses: How many those were.
        target_symbols: Target symbols trained on.
        wall_seconds: Time spent, pauses between sessions left out.
        cpu_seconds: Time of all cores spent.
        log: The lines of training.jsonl, those of earlier models included.
        is_finished: Whether there is nothing left to do.
    """

    member: int = 0
    update: int = 0
    epoch: int = 0
    batch: int = 0
    best: float | None = None
    stale: int = 0
    loss: float = 0.0
    losses: int = 0
    target_symbols: int = 0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    log: list[str] = field(default_factory=list[str])
    is_finished: bool = False


_POSITION = TypeAdapter(Position)


@dataclass(frozen=True)
class Latest:
    """The whole state of a training.

    Attributes:
        position: Where it stands.
        tensors: Everything else, by name.
        fingerprint: Of the data and the settings it belongs to.
    """

    position: Position
    tensors: dict[str, Tensor]
    fingerprint: str

    def part(self, name: str) -> dict[str, Tensor]:
        """The tensors of one part, without its prefix."""
        prefix = f"{name}."
        return {
            key.removeprefix(prefix): tensor
            for key, tensor in self.tensors.items()
            if key.startswith(prefix)
        }


def save_latest(folder: Path, latest: Latest) -> None:
    """Write the state into a model folder.

    Raises:
        CheckpointError: It cannot be written; the one before is still there.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in latest.tensors.items()}
    position = json.dumps(asdict(latest.position))
    metadata = {"position": position, "fingerprint": latest.fingerprint}
    metadata["checksum"] = _checksum(tensors, metadata)
    try:
        (folder / NAME).parent.mkdir(exist_ok=True)
        write_file(folder / NAME, save_tensors(tensors, metadata))
    except OSError as error:
        raise CheckpointError(f"{folder / NAME}: cannot be written: {error.strerror}.") from None


def load_latest(folder: Path) -> Latest:
    """Read the state of a training from a model folder.

    Raises:
        CheckpointError: There is none, or it is damaged.
    """
    path = own_file(folder, str(NAME))
    if path is None:
        raise CheckpointError(f"{folder / NAME}: no such file: there is no training to resume.")
    try:
        with safe_open(path, "pt") as file:
            metadata = dict(file.metadata() or {})
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if metadata.pop("checksum") != _checksum(tensors, metadata):
            raise CheckpointError(f"{path}: is damaged: its checksum does not fit.")
        position = _POSITION.validate_python(json.loads(metadata["position"]))
        return Latest(position, tensors, metadata["fingerprint"])
    except (*DAMAGE, OSError) as error:
        raise CheckpointError(f"{path}: is damaged: {first_line(error)}.") from None


def _checksum(tensors: dict[str, Tensor], metadata: dict[str, str]) -> str:
    text = json.dumps([metadata["position"], metadata["fingerprint"], tensors_checksum(tensors)])
    return hashlib.sha256(text.encode()).hexdigest()


def moments(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's state as named tensors."""
    state = optimizer.state_dict()["state"]
    return {
        f"{index}.{name}": value
        for index, values in state.items()
        for name, value in values.items()
    }


def restore_moments(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Give an optimiser the state that `moments` returned."""
    table = optimizer.state_dict()
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        index, _, name = key.partition(".")
        state.setdefault(int(index), {})[name] = value
    table["state"] = state
    optimizer.load_state_dict(table)
