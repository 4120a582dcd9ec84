"""Ctrl-C and SIGTERM as a wish that the loop can ask about."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Wish:
    """Whether somebody asked to stop.

    Attributes:
        signal_number: The signal that came; None as long as none did.
    """

    signal_number: int | None = None


@contextmanager
def listening() -> Generator[Wish]:
    """Turn the first Ctrl-C or SIGTERM into a wish; a second one interrupts as usual."""
    wish = Wish()
    if threading.current_thread() is not threading.main_thread():
        yield wish
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, _: FrameType | None) -> None:
        wish.signal_number = number
        for each, handler in before.items():
            signal.signal(each, handler)

    for number in before:
        signal.signal(number, note)
    try:
        yield wish
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
