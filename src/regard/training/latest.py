"""What is needed to go on with a training as if it had never stopped.

One file holds it all, so it is there whole or not at all: of each model that
was begun its parameters, the best ones so far, the optimiser's moments, the
state of the random numbers, and where in which epoch it stands; of a finished
one the best parameters alone. No pickle.
"""

import hashlib
import json
from collections.abc import Mapping
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
    """Where the training of one model stands.

    Attributes:
        update: Updates done.
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
        log: Its lines of training.jsonl.
        is_finished: Whether there is nothing left to do.
    """

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


@dataclass(frozen=True)
class Latest:
    """The whole state of the training of one model.

    Attributes:
        position: Where it stands.
        tensors: Everything else, by name.
    """

    position: Position
    tensors: dict[str, Tensor]

    def part(self, name: str) -> dict[str, Tensor]:
        """The tensors of one part, without its prefix."""
        return _under(f"{name}.", self.tensors)


@dataclass(frozen=True)
class States:
    """The states of the models of one training.

    Attributes:
        each: Of each model that was begun, by its number from zero.
        turns: How many trainings there are one after the other: of `minutes` each has its share.
        fingerprint: Of the data and the settings they belong to.
    """

    each: dict[int, Latest]
    turns: int
    fingerprint: str


@dataclass(frozen=True)
class _Course:
    turns: int
    positions: dict[int, Position]


_COURSE = TypeAdapter(_Course)


def save_latest(folder: Path, states: States) -> None:
    """Write the states into a model folder.

    Raises:
        CheckpointError: They cannot be written; those before are still there.
    """
    tensors = {
        f"{index}.{name}": tensor.detach().cpu().contiguous()
        for index, latest in states.each.items()
        for name, tensor in latest.tensors.items()
    }
    course = _Course(states.turns, {at: latest.position for at, latest in states.each.items()})
    metadata = {"course": json.dumps(asdict(course)), "fingerprint": states.fingerprint}
    metadata["checksum"] = _checksum(tensors, metadata)
    try:
        (folder / NAME).parent.mkdir(exist_ok=True)
        write_file(folder / NAME, save_tensors(tensors, metadata))
    except OSError as error:
        raise CheckpointError(f"{folder / NAME}: cannot be written: {error.strerror}.") from None


def load_latest(folder: Path) -> States:
    """Read the states of a training from a model folder.

    Raises:
        CheckpointError: There are none, or they are damaged.
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
        course = _COURSE.validate_json(metadata["course"])
        each = {
            index: Latest(position, _under(f"{index}.", tensors))
            for index, position in course.positions.items()
        }
        return States(each, course.turns, metadata["fingerprint"])
    except (*DAMAGE, OSError) as error:
        raise CheckpointError(f"{path}: is damaged: {first_line(error)}.") from None


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _checksum(tensors: dict[str, Tensor], metadata: dict[str, str]) -> str:
    text = json.dumps([metadata["course"], metadata["fingerprint"], tensors_checksum(tensors)])
    return hashlib.sha256(text.encode()).hexdigest()


def moments(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """A copy of the optimiser's state as named tensors."""
    state = optimizer.state_dict()["state"]
    return {
        f"{index}.{name}": value.clone()
        for index, values in state.items()
        for name, value in values.items()
    }


def restore_moments(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Give an optimiser a copy of the state that `moments` returned."""
    table = optimizer.state_dict()
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        index, _, name = key.partition(".")
        state.setdefault(int(index), {})[name] = value.clone()
    table["state"] = state
    optimizer.load_state_dict(table)
