"""How to train. What is left open (None) is chosen from the data's size."""

from typing import Annotated, Literal

from pydantic import Field

from regard.alignment import Order
from regard.model import ModelSettings
from regard.precision import Precision
from regard.settings import Amount, Count, Few, Settings, ShareBelowOne

Positive = Annotated[float, Field(gt=0)]


class TrainingSettings(Settings):
    """How to train.

    Attributes:
        seed: The same seed gives the same bits on a CPU.
        seeds: How many models are trained, with this seed and those after it;
            they write together, their probabilities averaged.
        distill: Whether one more model is trained, which learns from all of
            them and stands in their place.
        epochs: Passes over the data; with `minutes`, at most so many.
        minutes: A time budget for all models together; the learning rate's course is fitted to it. What
            it gives depends on the machine's speed, so the same seed no longer
            gives the same bits.
        batch_size: Pairs in an update.
        batch_symbols: Most source and target symbols in an update, padding included.
        learning_rate: Its peak.
        warm_up: Share of the training in which it rises to the peak.
        weight_decay: Of AdamW.
        guided: How much the loss counts where the decoder looks, against the
            links of an aligner that is learnt on the same pairs; 0 leaves it alone.
        guide: Whether that aligner keeps near the diagonal, or takes all
            positions as alike.
        label_smoothing: Share of the probability that is spread over all symbols.
        clip: Largest norm of the gradient.
        evaluate_every: Updates between two evaluations; an epoch if None.
        patience: How many evaluations in a row may bring nothing before training
            stops early. Open, half of those of its course, or any number
            where `minutes` are given.
        precision: float32, bfloat16, or auto: bfloat16 for the large products
            where the device is fast at it.
        device: "auto", "cpu", "cuda", ...
        store: Where tokens lie: in "memory", or on "disk" beside the model
            folder, whence they are read as needed. Open, files of more than
            64 MiB of tokens lie on disk. No bit of the model depends on it.
    """

    seed: Annotated[int, Field(ge=0, lt=2**62)] = 0
    seeds: Few = 1
    distill: bool = False
    epochs: Count | None = None
    minutes: Positive | None = None
    batch_size: Count | None = None
    batch_symbols: Count = 20_000
    learning_rate: Positive | None = None
    warm_up: ShareBelowOne = 0.1
    weight_decay: Amount = 0.01
    guided: Amount = 0.0
    guide: Order = "diagonal"
    label_smoothing: ShareBelowOne = 0.1
    clip: Positive = 1.0
    evaluate_every: Count | None = None
    patience: Count | None = None
    precision: Precision = "auto"
    device: str = "auto"
    store: Literal["memory", "disk"] | None = None

    @property
    def last_seed(self) -> int:
        """The seed of the last of the models."""
        return self.seed + self.seeds - 1


class RunSettings(ModelSettings):
    """All that a run can be told: the model's settings, and how to train it.

    Attributes:
        training: How to train.
    """

    training: TrainingSettings = TrainingSettings()

    def without_store(self) -> "RunSettings":
        """All that a result depends on."""
        training = self.training.model_copy(update={"store": None})
        return self.model_copy(update={"training": training})

    def model_settings(self, members: int = 1) -> ModelSettings:
        """The model's part alone, of so many models together."""
        return ModelSettings(
            text=self.text,
            encoder=self.encoder,
            decoder=self.decoder,
            length_ratio=self.length_ratio,
            members=members,
            guided=True if self.training.guided else None,
        )
