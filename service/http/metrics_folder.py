"""Folder of the files through which workers share their metrics, and its removal.

The parent removes the folder at its end. If the parent was killed, its workers remove it when they
stop. If all were killed at once, the next start of a service on this machine does.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from service.events import SharedCounter

DEATHS: Final = SharedCounter()
"""Number of workers that ended unexpectedly and were replaced. The parent alone adds to it.

It is in shared memory, because the parent has no metrics file.
"""
_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_PREFIX: Final = "selvedge-metrics-"
_LOCK: Final = "lock"


@contextmanager
def create_folder() -> Iterator[None]:
    """Create the folder for the workers that are forked inside the block, and remove it after it.

    Set PROMETHEUS_MULTIPROC_DIR to it, which tells the client library to use files. It must be set
    before ``prometheus_client`` is imported. First remove the folders that killed services left.
    """
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
    """Return the cleanup of a worker, which removes the folder if the parent was killed.

    Call this in the worker while its parent runs; the application awaits the cleanup at its end.
    """
    parent, folder = os.getppid(), os.environ[_VARIABLE]

    async def clean_up(_: object) -> None:
        if os.getppid() != parent:
            shutil.rmtree(folder, ignore_errors=True)

    return clean_up


def _sweep() -> None:
    """Remove the folders of services that were killed: those that no process has locked.

    Folders whose lock file is missing or cannot be opened stay.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), (folder / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises BlockingIOError, an OSError
            shutil.rmtree(folder, ignore_errors=True)
