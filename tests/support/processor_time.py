"""Processor time of tests: the least of several attempts, since other work makes some longer."""

import time
from collections.abc import Iterator


class LeastTime:
    """Least processor time of the process that an attempt took, in seconds.

    A garbage collection or a background task, which can take half a second of a long run, makes one
    attempt longer; a slow function makes all of them longer.
    """

    def __init__(self) -> None:
        self.seconds = float("inf")

    def attempts(self, number: int = 3) -> Iterator[None]:
        """Yield before each attempt, and measure it."""
        for _ in range(number):
            started = time.process_time()
            yield
            self.seconds = min(self.seconds, time.process_time() - started)
