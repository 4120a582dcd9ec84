"""Carries out `regard demo`: the main job on the data that ships with the package."""

import time
from pathlib import Path

from regard.cli.evaluating import carry_out as evaluate
from regard.cli.training import command_line
from regard.cli.watch import Watch
from regard.cli.words import say
from regard.errors import CheckpointError
from regard.text import Pair, read_pairs, sample_path
from regard.training import RunSettings, train

WORD = "thoughtful"


def carry_out(output: Path, page: Path, minutes: float) -> None:
    """Train on English words and their phones, score, show one alignment, give the verdict."""
    began = time.monotonic()
    if output.exists() and not (output / "model.toml").exists():
        raise CheckpointError(f"{output}: exists and is no model folder: choose another with -o.")
    say("English words and their phones, from the CMU Pronouncing Dictionary.")
    settings = RunSettings().with_values({"training.minutes": minutes})
    with Watch(is_quiet=False) as watch:
        predictor = train(
            sample_path("train"),
            sample_path("dev"),
            output=output,
            settings=settings,
            overwrite=True,
            command=command_line(),
            listen=watch,
        )
    print("Scores on words that training never saw:")
    evaluate(predictor, str(sample_path("test")), beam=1, errors=False, as_json=False)
    for pair in list(read_pairs(sample_path("test")))[:5]:
        prediction = predictor.predict(pair.source)
        verdict = "right" if prediction.text == pair.target else f"the dictionary has {pair.target}"
        print(f"  {pair.source} -> {prediction.text}   ({verdict})")
    (prediction,) = predictor.stream([Pair(WORD, "")], is_tested=True)
    alignment = prediction.alignment
    assert alignment is not None
    print(f"\n{alignment}\n")
    print(f"May such a map be believed? {predictor.inspect(sample_path('test')).headline}\n")
    alignment.save(page)
    say(f"wrote {page} and {output} in {time.monotonic() - began:.0f} seconds.")
    say(f"Now try: regard show {output} {WORD} --step 2")
