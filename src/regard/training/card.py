"""The card of a model: what it is, for a person who finds the folder."""

import json
import platform
from collections.abc import Mapping

import numpy as np
import torch

from regard.evaluation import Evaluation, Measure
from regard.training.config import RunSettings, TrainingSettings
from regard.version import VERSION


def model_card(
    settings: RunSettings,
    training: Mapping[str, object],
    parameters: int,
    log: str,
    evaluation: Evaluation | None,
) -> str:
    """The card's text.

    Args:
        settings: All settings.
        training: How the model was trained, as plain tables.
        parameters: How many numbers were learnt.
        log: The lines of training.jsonl.
        evaluation: The dev scores of the best parameters; None if training goes on.
    """
    encoder, decoder = settings.encoder, settings.decoder
    lines = [json.loads(line) for line in log.splitlines()]
    each = {line["seed"]: line["wall_seconds"] for line in lines if "seed" in line}
    seconds = sum(each.values())
    return "\n".join(
        [
            "# A regard model",
            "",
            f"- Encoder: {encoder.kind}, size {encoder.hidden_size}, layers {encoder.layers}",
            f"- Decoder: {decoder.kind}, size {decoder.hidden_size}, layers {decoder.layers}, "
            f"attention {decoder.attention}",
            f"- Symbols: source {settings.text.source.symbols}, target {settings.text.target.symbols}",
            f"- Parameters: {parameters:,}",
            f"- Trained on: {training['train']} ({training['train_pairs']:,} pairs, "
            f"SHA-256 {training['data']})",
            f"- {_seeds(settings.training)}; seconds: {seconds:.0f}",
            *_scores(evaluation, training),
            f"- Made by: regard {VERSION}, torch {torch.__version__}, numpy {np.__version__}, "
            f"Python {platform.python_version()}",
            f"- Command: `{training['command']}`",
            "",
        ]
    )


def _seeds(training: TrainingSettings) -> str:
    if training.seeds == 1:
        text = f"Seed: {training.seed}"
    else:
        text = f"Models: {training.seeds}, seeds {training.seed} to {training.last_seed}"
        text += "" if training.distill else "; their probabilities and alignments are averaged"
    return text + ("; one more that learnt from them is kept" if training.distill else "")


def _scores(evaluation: Evaluation | None, training: Mapping[str, object]) -> list[str]:
    if evaluation is None:
        return ["- Scores: training goes on"]
    return [
        f"- Accuracy on {training['dev_pairs']:,} dev pairs: {_shown(evaluation.accuracy)}",
        f"- Symbol error rate: {_shown(evaluation.symbol_error_rate)}",
        f"- Signature: {evaluation.signature}",
    ]


def _shown(measure: Measure) -> str:
    return f"{100 * measure.value:.2f} % (95 % {100 * measure.low:.2f}-{100 * measure.high:.2f})"
