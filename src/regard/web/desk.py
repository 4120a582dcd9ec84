"""The desk: what arrives together is predicted together, on one thread.

Requests stand in a line of limited length. All that can share a batch go
together; a large request goes in slices, so that others get their turn between
them, and what is given up leaves the line at once.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from regard.errors import RegardError
from regard.predictor import Prediction, Predictor
from regard.text import Pair
from regard.web.config import WebSettings
from regard.web.worker import Worker

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
        tell: Makes an answer of a prediction.
        done: Where the answers go.
    """

    model: Predictor
    pairs: Sequence[Pair]
    beam_size: int
    n_best: int
    tell: Callable[[Prediction], object]
    done: "asyncio.Future[list[object]]" = field(repr=False)

    @property
    def width(self) -> int:
        """How many hypotheses it takes."""
        return len(self.pairs) * max(self.beam_size, self.n_best)

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
        self.line: deque[Order | Errand] = deque()
        self.worker = Worker("regard-model")
        self.serving: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self.line)

    async def predict(
        self,
        model: Predictor,
        pairs: Sequence[Pair],
        beam_size: int,
        n_best: int,
        tell: Callable[[Prediction], T],
    ) -> list[T]:
        """Predict, together with what else is asked of the same kind.

        Raises:
            BusyError: Too many wait.
            LateError: It would take too long.
        """
        loop, found = asyncio.get_running_loop(), list[T]()
        size = max(1, self.settings.gathered // max(beam_size, n_best))
        try:
            async with asyncio.timeout(self.settings.deadline):
                for start in range(0, len(pairs), size):
                    done: asyncio.Future[list[T]] = loop.create_future()
                    part = pairs[start : start + size]
                    order = Order(model, part, beam_size, n_best, tell, done)  # pyright: ignore[reportArgumentType]
                    found += await self._awaited(order, done)
        except TimeoutError:
            raise self._late() from None
        return found

    async def do(self, work: Callable[[], T]) -> T:
        """Have anything else done on the thread.

        Raises:
            BusyError: Too many wait.
            LateError: It would take too long.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        errand = Errand(work, done)  # pyright: ignore[reportArgumentType]
        try:
            async with asyncio.timeout(self.settings.deadline):
                return await self._awaited(errand, done)
        except TimeoutError:
            raise self._late() from None

    async def _awaited(self, request: Order | Errand, done: "asyncio.Future[T]") -> T:
        if len(self.line) >= self.settings.waiting:
            raise BusyError(
                f"{self.settings.waiting} requests wait already: try again in a moment."
            )
        self.line.append(request)
        if self.serving is None or self.serving.done():
            self.serving = asyncio.create_task(self._serve())
        try:
            return await done
        finally:
            if request in self.line:
                self.line.remove(request)

    async def _serve(self) -> None:
        """Until nobody waits any more."""
        while self.line:
            first = self.line.popleft()
            if isinstance(first, Errand):
                await self._carry_out(first)
            else:
                await self._predict(self._gathered(first))

    def _gathered(self, first: Order) -> list[Order]:
        """The first and all that stand behind it and may join it."""
        orders, width = [first], first.width
        while self.line:
            following = self.line[0]
            if (
                not isinstance(following, Order)
                or not following.may_join(first)
                or width + following.width > self.settings.gathered
            ):
                break
            self.line.popleft()
            orders.append(following)
            width += following.width
        return orders

    async def _predict(self, orders: Sequence[Order]) -> None:
        try:
            found = await self.worker.do(lambda: _predicted(orders))
        except Exception as error:
            if len(orders) == 1:
                _fail(orders[0].done, error)
                return
            # One of them is at fault: each for itself, so that the others get their answer.
            for order in orders:
                await self._predict([order])
            return
        for order, answers in zip(orders, found, strict=True):
            if not order.done.done():
                order.done.set_result(answers)

    async def _carry_out(self, errand: Errand) -> None:
        try:
            found = await self.worker.do(errand.work)
        except Exception as error:
            _fail(errand.done, error)
            return
        if not errand.done.done():
            errand.done.set_result(found)

    def _late(self) -> LateError:
        return LateError(
            f"no answer within {self.settings.deadline:g} seconds: the server has too much to do."
        )


def _predicted(orders: Sequence[Order]) -> list[list[object]]:
    """The answers of each order, from one call."""
    first = orders[0]
    stream = first.model.stream(
        [pair for order in orders for pair in order.pairs],
        beam_size=first.beam_size,
        n_best=first.n_best,
    )
    return [[order.tell(next(stream)) for _ in order.pairs] for order in orders]


def _fail(done: "asyncio.Future[T]", error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
