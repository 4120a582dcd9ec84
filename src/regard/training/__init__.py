"""Training: one call from files to a model folder."""

from regard.training.config import RunSettings, TrainingSettings
from regard.training.loss import sequence_loss
from regard.training.prepare import Chosen
from regard.training.run import Listener, train
from regard.training.sources import Data, Reading
from regard.training.trainer import Progress, Trainer

__all__ = [
    "Chosen",
    "Data",
    "Listener",
    "Progress",
    "Reading",
    "RunSettings",
    "Trainer",
    "TrainingSettings",
    "sequence_loss",
    "train",
]
