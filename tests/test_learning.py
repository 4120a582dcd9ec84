"""Slow: the main job on toys whose true alignment is known."""

import pytest

from regard import RunSettings, train
from regard.text import make_toys

SETTINGS = {
    "encoder.embedding_size": 32, "encoder.hidden_size": 64, "decoder.embedding_size": 32,
    "decoder.hidden_size": 128, "encoder.dropout": 0.1, "decoder.dropout": 0.1,
    "training.batch_size": 32, "training.learning_rate": 0.003, "training.precision": "float32",
    "training.patience": 100,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("task", "epochs"), [("reverse", 25), ("insert", 30), ("copy", 25)])
def test_a_toy_is_learnt_and_its_alignment_is_the_true_one(task, epochs):
    toys = make_toys(task, 1200, length=8)
    held_out = make_toys(task, 60, length=8, seed=1)
    settings = RunSettings().with_values(SETTINGS | {"training.epochs": epochs})
    predictor = train([toy.pair for toy in toys], [toy.pair for toy in held_out], settings=settings)
    evaluation = predictor.evaluate([toy.pair for toy in held_out])
    assert evaluation.accuracy.value > 0.9
    near = total = 0
    for toy, alignment in zip(
        held_out, predictor.align([toy.pair for toy in held_out]), strict=True
    ):
        for link in alignment.links():
            near += abs(link.source - toy.origins[link.target]) <= 1
            total += 1
    assert near / total > 0.9
