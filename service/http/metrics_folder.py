"""Folder of the files through which workers share their metrics, and its removal.

The parent removes the folder at its end. If the parent was killed, its workers remove it. If all
were killed at once, the next start does.
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
"""Number of replaced workers. The parent counts them in shared memory: it has no metrics file."""
_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_PREFIX: Final = "selvedge-metrics-"
_LOCK: Final = "lock"


@contextmanager
def create_folder() -> Iterator[None]:
    """Create the folder for the workers that are forked inside the block."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    # Forked workers inherit the lock. It is free once all of them have ended.
    with (folder / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.environ[_VARIABLE] = str(folder)
        try:
            yield
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def folder_cleanup() -> Callable[[object], Awaitable[None]]:
    """Return the cleanup of a worker, which removes the folder if the parent was killed."""
    parent, folder = os.getppid(), os.environ[_VARIABLE]

    async def clean_up(_: object) -> None:
        if os.getppid() != parent:
            shutil.rmtree(folder, ignore_errors=True)

    return clean_up


def _sweep() -> None:
    """Remove the folders of services that were killed: those that no process has locked."""
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
