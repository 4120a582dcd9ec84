"""The desk: what arrives together is predicted together, on one thread.

Requests line up in a queue of limited length. A thread of its own takes them
from it, all that can share a batch at once, so the event loop stays free and
torch is never entered twice.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from regard.errors import RegardError
from regard.predictor import Prediction, Predictor
from regard.text import Pair
from regard.web.config import WebSettings

T = TypeVar("T")


class BusyError(RegardError):
    """Too many requests wait."""


class LateError(RegardError):
    """A request waited too long."""


@dataclass(frozen=True, eq=False)
class Order:
    """Strings to be predicted.

    Attributes:
        model: By which model.
        pairs: The sources, with their tags.
        beam_size: Hypotheses side by side.
        n_best: How many candidates.
        done: Where the predictions go.
    """

    model: Predictor
    pairs: Sequence[Pair]
    beam_size: int
    n_best: int
    done: "asyncio.Future[list[Prediction]]" = field(repr=False)

    def may_join(self, other: "Order") -> bool:
        """Whether both can be predicted in one call."""
        own, others = ((order.model, order.beam_size, order.n_best) for order in (self, other))
        return own == others


@dataclass(frozen=True, eq=False)
class Errand:
    """Any other work for the thread.

    Attributes:
        work: What is done.
        done: Where its result goes.
    """

    work: Callable[[], object]
    done: "asyncio.Future[object]" = field(repr=False)


class Desk:
    """Takes requests, and has them done in the order in which they came.

    Args:
        settings: How many may wait, for how long, and how many go together.
    """

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self.queue: asyncio.Queue[Order | Errand] = asyncio.Queue(settings.waiting)
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="regard-model")
        self.next: Order | Errand | None = None

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return self.queue.qsize() + (self.next is not None)

    async def predict(
        self, model: Predictor, pairs: Sequence[Pair], beam_size: int, n_best: int
    ) -> list[Prediction]:
        """Predict, together with what else is asked of the same kind.

        Raises:
            BusyError: Too many wait.
            LateError: It would take too long.
        """
        done = asyncio.get_running_loop().create_future()
        self._enqueue(Order(model, pairs, beam_size, n_best, done))
        return await self._awaited(done)

    async def do(self, work: Callable[[], object]) -> object:
        """Have anything else done on the thread.

        Raises:
            BusyError: Too many wait.
            LateError: It would take too long.
        """
        done = asyncio.get_running_loop().create_future()
        self._enqueue(Errand(work, done))
        return await self._awaited(done)

    async def run(self) -> None:
        """Serve for ever."""
        loop = asyncio.get_running_loop()
        while True:
            first, self.next = self.next or await self.queue.get(), None
            if first.done.cancelled():
                continue
            if isinstance(first, Errand):
                await loop.run_in_executor(self.thread, _carry_out, loop, first)
            else:
                orders = self._gathered(first)
                await loop.run_in_executor(self.thread, _predict, loop, orders)

    def _gathered(self, first: Order) -> list[Order]:
        """The first and all that wait behind it and may join it."""
        orders, strings = [first], len(first.pairs)
        while not self.queue.empty():
            following = self.queue.get_nowait()
            if following.done.cancelled():
                continue
            if (
                not isinstance(following, Order)
                or not following.may_join(first)
                or strings + len(following.pairs) > self.settings.gathered
            ):
                self.next = following
                break
            orders.append(following)
            strings += len(following.pairs)
        return orders

    def _enqueue(self, request: Order | Errand) -> None:
        try:
            self.queue.put_nowait(request)
        except asyncio.QueueFull:
            raise BusyError(
                f"{self.settings.waiting} requests wait already: try again in a moment."
            ) from None

    async def _awaited(self, done: "asyncio.Future[T]") -> T:
        try:
            return await asyncio.wait_for(done, self.settings.deadline)
        except TimeoutError:
            raise LateError(
                f"no answer within {self.settings.deadline:g} seconds: the server has too much to do."
            ) from None


def _predict(loop: asyncio.AbstractEventLoop, orders: Sequence[Order]) -> None:
    first, pairs = orders[0], [pair for order in orders for pair in order.pairs]
    try:
        found = list(first.model.stream(pairs, beam_size=first.beam_size, n_best=first.n_best))
    except Exception as error:
        if len(orders) > 1:
            # One of them is at fault: each for itself, so that the others get their answer.
            for order in orders:
                _predict(loop, [order])
            return
        loop.call_soon_threadsafe(_fail, first.done, error)
        return
    for order in orders:
        own, found = found[: len(order.pairs)], found[len(order.pairs) :]
        loop.call_soon_threadsafe(_finish, order.done, own)


def _carry_out(loop: asyncio.AbstractEventLoop, errand: Errand) -> None:
    try:
        found = errand.work()
    except Exception as error:
        loop.call_soon_threadsafe(_fail, errand.done, error)
    else:
        loop.call_soon_threadsafe(_finish, errand.done, found)


def _finish(done: "asyncio.Future[T]", found: T) -> None:
    if not done.done():
        done.set_result(found)


def _fail(done: "asyncio.Future[T]", error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
