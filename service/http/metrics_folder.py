"""The folder of files through which the workers add their metrics up, and its end.

Nothing of it stays: the parent removes it, the workers where that was killed, and where all were
killed at once, whoever starts next.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from service.events import SharedCounter

DEATHS: Final = SharedCounter()
"""Workers that had to be replaced: their parent, which writes no files there, counts them."""
_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_PREFIX: Final = "selvedge-metrics-"
_LOCK: Final = "lock"


@contextmanager
def fresh() -> Iterator[None]:
    """Give the workers that are forked meanwhile a new folder."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    # Whoever is forked has the lock too: it is free when all of them are gone.
    with (folder / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.environ[_VARIABLE] = str(folder)
        try:
            yield
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def inheritor() -> Callable[[object], Awaitable[None]]:
    """What a worker does at its end: remove the folder where the parent is not there to do so."""
    parent, folder = os.getppid(), os.environ[_VARIABLE]

    async def inherit(_: object) -> None:
        if os.getppid() != parent:
            shutil.rmtree(folder, ignore_errors=True)

    return inherit


def _sweep() -> None:
    """Remove what those left who were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), (folder / _LOCK).open("r+") as lock:
            if _is_free(lock):
                shutil.rmtree(folder, ignore_errors=True)


def _is_free(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
