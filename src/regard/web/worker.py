"""One thread that does one piece of work after the other, and holds up nobody who leaves.

The thread is the same for all its work, for torch keeps threads of its own for
each that calls it. It ends with the program, whatever it is doing then.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """A thread for work that would hold up the event loop.

    Args:
        name: Of the thread.
    """

    def __init__(self, name: str) -> None:
        self.line: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    async def do(self, work: Callable[[], T]) -> T:
        """Have something done, and wait for it.

        Whatever goes wrong in it is raised here, and does not end the thread.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def carry_out() -> None:
            try:
                found = work()
            except BaseException as error:
                loop.call_soon_threadsafe(_fail, done, _told(error))
            else:
                loop.call_soon_threadsafe(_finish, done, found)

        self.line.put(carry_out)
        return await done

    def _run(self) -> None:
        while True:
            # The loop may be closed by now: then nobody waits any more.
            with suppress(RuntimeError):
                self.line.get()()


def _told(error: BaseException) -> Exception:
    """The same, as what a future takes: neither what ends a loop nor what ends a program."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    return RuntimeError(repr(error))


def _finish(done: "asyncio.Future[T]", found: T) -> None:
    if not done.done():
        done.set_result(found)


def _fail(done: "asyncio.Future[T]", error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
