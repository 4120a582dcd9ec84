"""Make the fixture of a format: run once, when the format is released.

python -m tests.golden.make_model
"""

import json
from pathlib import Path

import torch

from regard.model import FORMAT, Saved, save_model
from tests.tiny import KINDS, model_of, settings_of, sources, vocabularies

HERE = Path(__file__).parent


def main() -> None:
    name = f"model-format-{FORMAT}"
    model = model_of("ensemble", tags=True)
    saved = Saved(settings_of(KINDS["ensemble"]), vocabularies(tags=True), model,
                  {"seed": 0, "train": "toys"}, "", "# A fixture\n")  # fmt: skip
    save_model(HERE / name, saved)
    lengths, inputs = [3, 6], [[1, 4, 5], [1, 6, 7]]
    with torch.no_grad():
        logits = model(sources(*lengths, tags=True), torch.tensor(inputs)).logits
    table = {"lengths": lengths, "inputs": inputs, "logits": logits.tolist()}
    (HERE / f"{name}.json").write_text(json.dumps(table) + "\n")


if __name__ == "__main__":
    main()
