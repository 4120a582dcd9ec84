"""Real words to measure on: the sample that ships with the package."""

from dataclasses import dataclass

from regard.model import ModelSettings, Vocabularies
from regard.text import BatchMaker, sample_path
from regard.training import RunSettings
from regard.training.prepare import prepare
from regard.training.sources import pairs_from, split

SIZES: dict[str, object] = {
    "encoder.embedding_size": 128,
    "encoder.hidden_size": 512,
    "encoder.layers": 1,
    "encoder.dropout": 0.3,
    "decoder.embedding_size": 128,
    "decoder.hidden_size": 512,
    "decoder.dropout": 0.3,
    "decoder.attention": "general",
    "training.batch_size": 64,
}
"""The sizes that the yardstick has too."""


@dataclass(frozen=True)
class Words:
    """Words with their phones, as ids."""

    settings: RunSettings
    vocabularies: Vocabularies
    maker: BatchMaker

    @property
    def model(self) -> ModelSettings:
        """The model's part of the settings."""
        return self.settings.model_settings()


def words(options: dict[str, object]) -> Words:
    settings = RunSettings().with_values(options)
    columns = settings.text.layout()
    parts = split(*(pairs_from(sample_path(name), columns) for name in ("train", "dev")))
    prepared = prepare(parts, settings, is_settled=False)
    return Words(prepared.settings, prepared.vocabularies, prepared.maker)


def sources(count: int) -> list[str]:
    """So many of the sample's words, again from the beginning where they do not suffice."""
    lines = sample_path("train").read_text("utf-8").splitlines()
    found = [line.split("\t")[0] for line in lines]
    return (found * (count // len(found) + 1))[:count]
