"""The loop, and nothing else.

One process, one device, and one `autocast` for precision. The order of the
batches, the rare symbols that are replaced, and the dropout follow from the
seed and the position alone, so a training that is stopped anywhere and resumed
goes on bit for bit.
"""

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from regard.errors import RegardError
from regard.evaluation import Evaluation
from regard.model import Seq2Seq
from regard.precision import device_of, rounds_to_bfloat16
from regard.settings import chosen
from regard.text import Batch, BatchMaker
from regard.training.config import TrainingSettings
from regard.training.guide import guide_loss
from regard.training.latest import Latest, Position, moments, restore_moments
from regard.training.loss import sequence_loss
from regard.training.schedules import rate_factor


@dataclass(frozen=True)
class Progress:
    """What training has to say after an update.

    Attributes:
        update: Updates done.
        epoch: Passes over the data begun.
        done: Share of the whole training that is done, at least.
        loss: Of this update.
        seconds_left: An estimate.
        dev: The dev scores, if there was an evaluation.
        is_best: Whether they are the best so far.
        member: Which of several models is trained, from one.
        members: How many there are.
    """

    update: int
    epoch: int
    done: float
    loss: float
    seconds_left: float
    dev: Evaluation | None = None
    is_best: bool = False
    member: int = 1
    members: int = 1


class Trainer:
    """Trains a model in place.

    Args:
        model: The model.
        maker: Cuts batches out of the training data.
        settings: How to train, with nothing left open.
        evaluate: Scores the model, as it is, on the dev data.
        teacher: A model to learn from beside the targets, if there is one.
    """

    def __init__(
        self,
        model: Seq2Seq,
        maker: BatchMaker,
        *,
        settings: TrainingSettings,
        evaluate: Callable[[], Evaluation],
        teacher: Seq2Seq | None = None,
    ) -> None:
        self.settings = settings
        self.maker = maker
        self.evaluate_model = evaluate
        self.device = device_of(settings.device)
        self.rounds = rounds_to_bfloat16(settings.precision, self.device)
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(
            model.parameters(),
            lr=self.peak,
            weight_decay=settings.weight_decay,
            betas=(0.9, 0.98),
            fused=True,
        )
        self.position = Position()
        self.teacher = None if teacher is None else teacher.to(self.device)
        self.best: dict[str, Tensor] = {}
        self.cut: tuple[int, list[np.ndarray]] | None = None
        self.began = (time.monotonic(), time.process_time())
        torch.manual_seed(settings.seed)

    def run(self) -> Iterator[Progress]:
        """Train to the end; stop asking for more to stop earlier."""
        self.began = (time.monotonic(), time.process_time())
        while not self.position.is_finished:
            batches = self.batches()
            for rows in batches[self.position.batch :]:
                loss = self.update(rows)
                is_last_of_epoch = self.position.batch == len(batches)
                self._finish_if_done(is_last_of_epoch)
                if self._is_due(is_last_of_epoch) or self.position.is_finished:
                    yield self._evaluate(loss)
                else:
                    yield self._progress(loss)
                if self.position.is_finished:
                    return
            self.position.epoch, self.position.batch = self.position.epoch + 1, 0

    def latest(self) -> Latest:
        """A copy of all that is needed to go on from here; when done, of the best parameters."""
        self._count_time()
        position = replace(self.position, log=[*self.position.log])
        parts = {"best": self.best}
        if not position.is_finished:
            parts |= {
                "model": self.parameters(),
                "optimizer": moments(self.optimizer),
                "random": {"torch": torch.get_rng_state()},
            }
        tensors = {
            f"{name}.{key}": tensor for name, part in parts.items() for key, tensor in part.items()
        }
        return Latest(position, tensors)

    def resume(self, latest: Latest) -> None:
        """Go on from a saved state of the same data and settings; it is copied."""
        self.position = replace(latest.position, log=[*latest.position.log])
        self.best = latest.part("best")
        self.model.load_state_dict(latest.part("model"))
        restore_moments(self.optimizer, latest.part("optimizer"))
        torch.set_rng_state(latest.part("random")["torch"])

    def parameters(self) -> dict[str, Tensor]:
        """A copy of the parameters as they are now."""
        state = self.model.state_dict()
        return {name: tensor.detach().clone() for name, tensor in state.items()}

    @property
    def peak(self) -> float:
        """The learning rate's peak."""
        return chosen("training.learning_rate", self.settings.learning_rate)

    @property
    def epochs(self) -> int:
        """Passes over the data, at most."""
        return chosen("training.epochs", self.settings.epochs)

    @property
    def done(self) -> float:
        """Share of the training that is done: of the time budget, or of the epochs."""
        if self.settings.minutes is not None:
            return min(1.0, self.seconds() / (60 * self.settings.minutes))
        passes = self.position.epoch + self.position.batch / len(self.batches())
        return min(1.0, passes / self.epochs)

    def batches(self) -> list[np.ndarray]:
        """The rows of each batch of this epoch."""
        settings, epoch = self.settings, self.position.epoch
        if self.cut is None or self.cut[0] != epoch:
            size = chosen("training.batch_size", settings.batch_size)
            batches = self.maker.corpus.batches(
                size, settings.batch_symbols, seed=settings.seed, epoch=epoch
            )
            self.cut = (epoch, batches)
        return self.cut[1]

    def update(self, rows: np.ndarray) -> float:
        """Learn from some pairs.

        Args:
            rows: Which.

        Returns:
            The loss.

        Raises:
            RegardError: The loss is no number.
        """
        position, settings = self.position, self.settings
        chance = np.random.default_rng([settings.seed, position.epoch, position.batch])
        batch = self.maker.batch(rows, chance).to(self.device)
        for group in self.optimizer.param_groups:
            group["lr"] = self.peak * rate_factor(self.done, settings.warm_up)
        self.model.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.rounds):
            decoded = self.model(batch.source, batch.inputs, needs_weights=batch.links is not None)
            taught = self._taught(batch)
        loss = sequence_loss(decoded.logits, batch.target, settings.label_smoothing, taught)
        if batch.links is not None and decoded.weights is not None:
            symbols = batch.source.tokens.shape[1]
            loss = loss + settings.guided * guide_loss(decoded.weights, batch.links, symbols)
        value = float(loss.detach())
        if not math.isfinite(value):
            raise RegardError(
                f"the loss is {value} at update {position.update + 1}: training has diverged. "
                "Try a smaller training.learning_rate."
            )
        loss.backward()
        clip_grad_norm_(self.model.parameters(), settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        position.update += 1
        position.batch += 1
        position.loss += value
        position.losses += 1
        position.target_symbols += int(batch.mask.sum())
        return value

    @torch.no_grad()
    def _taught(self, batch: Batch) -> Tensor | None:
        if self.teacher is None:
            return None
        return self.teacher(batch.source, batch.inputs, needs_weights=False).logits

    def _evaluate(self, loss: float) -> Progress:
        self.model.eval()
        dev = self.evaluate_model()
        position = self.position
        # Both rates together: one alone hardly tells two evaluations apart.
        result = dev.word_error_rate.value + dev.symbol_error_rate.value
        is_best = position.best is None or result < position.best
        if is_best:
            position.best, position.stale, self.best = result, 0, self.parameters()
        else:
            position.stale += 1
            position.is_finished |= position.stale >= (self.settings.patience or position.stale + 1)
        position.log.append(self._log_line(dev, is_best))
        position.loss, position.losses = 0.0, 0
        return self._progress(loss, dev, is_best)

    def _log_line(self, dev: Evaluation, is_best: bool) -> str:
        self._count_time()
        position = self.position
        return json.dumps(
            {
                "seed": self.settings.seed,
                "epoch": position.epoch + 1,
                "update": position.update,
                "loss": round(position.loss / max(1, position.losses), 6),
                "accuracy": round(dev.accuracy.value, 6),
                "symbol_error_rate": round(dev.symbol_error_rate.value, 6),
                "learning_rate": self.optimizer.param_groups[0]["lr"],
                "wall_seconds": round(position.wall_seconds, 3),
                "cpu_seconds": round(position.cpu_seconds, 3),
                "target_symbols": position.target_symbols,
                "is_best": is_best,
            }
        )

    def _progress(
        self, loss: float, dev: Evaluation | None = None, is_best: bool = False
    ) -> Progress:
        done = self.done
        left = self.seconds() * (1 - done) / done if done else math.inf
        return Progress(
            self.position.update, self.position.epoch + 1, done, loss, left, dev, is_best
        )

    def _finish_if_done(self, is_last_of_epoch: bool) -> None:
        is_last_epoch = self.position.epoch + 1 >= self.epochs
        is_over = self.settings.minutes is not None and self.done >= 1
        self.position.is_finished = is_over or (is_last_epoch and is_last_of_epoch)

    def _is_due(self, is_last_of_epoch: bool) -> bool:
        every = self.settings.evaluate_every
        return is_last_of_epoch if every is None else self.position.update % every == 0

    def seconds(self) -> float:
        """Time spent on this model."""
        return self.position.wall_seconds + time.monotonic() - self.began[0]

    def _count_time(self) -> None:
        now = (time.monotonic(), time.process_time())
        self.position.wall_seconds += now[0] - self.began[0]
        self.position.cpu_seconds += now[1] - self.began[1]
        self.began = now
