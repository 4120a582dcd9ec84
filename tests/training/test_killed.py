"""Killed outright, resumed, killed again: the bits of a training that never stopped."""

import random
import time
from pathlib import Path

import pytest
import torch

from regard import load
from tests.training.killed import killed, sessions

TINY = {
    "encoder.embedding_size": 4, "encoder.hidden_size": 4, "decoder.embedding_size": 4,
    "decoder.hidden_size": 8, "encoder.heads": 2, "decoder.heads": 2, "training.epochs": 3,
    "training.batch_size": 10, "training.precision": "float32", "training.evaluate_every": 3,
}  # fmt: skip
KINDS = {
    "lstm": {},
    "transformer": {
        "encoder.kind": "transformer",
        "decoder.kind": "transformer",
        "encoder.hidden_size": 8,
    },
    "ensemble with early stopping": {
        "training.seeds": 2,
        "training.patience": 1,
        "training.epochs": 30,
        "training.learning_rate": 1e-5,
    },
}


@pytest.fixture(scope="module")
def context():
    with sessions() as context:
        yield context


def parameters(folder: Path) -> dict[str, torch.Tensor]:
    return load(folder).model.state_dict()


def are_alike(one: Path, other: Path) -> bool:
    left, right = parameters(one), parameters(other)
    return left.keys() == right.keys() and all(
        torch.equal(left[name], right[name]) for name in left
    )


@pytest.fixture(scope="module", params=KINDS)
def whole(request, context, tmp_path_factory):
    """A training that never stopped, its settings, its writes and its seconds."""
    folder = tmp_path_factory.mktemp("whole") / "own" / "m"
    folder.parent.mkdir()
    values = TINY | KINDS[request.param]
    killed(context, folder, values | {"training.epochs": 1})  # the first one starts the server
    began = time.monotonic()
    folder = folder.with_name("n")
    is_done, said = killed(context, folder, values)
    assert is_done, said
    return folder, values, int(said.split()[0]), time.monotonic() - began


@pytest.mark.slow
class TestKilled:
    def test_at_any_write_and_resumed_until_it_is_done(self, context, whole, tmp_path):
        """Each session is killed at a write of its own, early ones before anything is saved."""
        folder, values, writes, _ = whole
        chance = random.Random(0)
        own, kills = tmp_path / "own" / "m", 0
        own.parent.mkdir()
        while True:
            fatal = None if kills > 4 else chance.randint(1, writes // 2)
            is_resumed = own.exists() or own.with_name(".m.previous").exists()
            is_done, said = killed(context, own, values, fatal=fatal, is_resumed=is_resumed)
            if is_done:
                break
            kills += 1
        assert "writes" in said
        assert kills > 1
        assert are_alike(own, folder)
        assert [path.name for path in own.parent.iterdir()] == ["m"]
        assert sorted(path.name for path in (own / "latest").iterdir()) == ["state.safetensors"]

    def test_at_any_time_and_resumed_until_it_is_done(self, context, whole, tmp_path):
        folder, values, _, seconds = whole
        chance = random.Random(1)
        own = tmp_path / "own" / "m"
        own.parent.mkdir()
        for kills in range(100):
            limit = None if kills > 3 else chance.uniform(0.2, 1) * seconds
            is_done, said = killed(context, own, values, seconds=limit, is_resumed=own.exists())
            if is_done:
                break
        assert "writes" in said
        assert are_alike(own, folder)

    def test_every_write_in_turn_leaves_a_model_that_loads_or_a_clear_message(
        self, context, whole, tmp_path
    ):
        _, values, writes, _ = whole
        for fatal in range(1, min(writes, 40), 8):
            own = tmp_path / str(fatal) / "m"
            own.parent.mkdir()
            assert not killed(context, own, values, fatal=fatal)[0]
            if own.exists() or own.with_name(".m.previous").exists():
                load(own).predict("abc")
                continue
            said = killed(context, own, values, is_resumed=True)[1]
            assert "nothing was saved that could be gone on with. Begin without --resume." in said
