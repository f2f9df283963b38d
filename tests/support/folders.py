"""Where throw-away databases lie: in memory, where there is room."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_MEMORY: Final = Path("/dev/shm")
_ROOM: Final = 2 << 30
"""Bytes; a run of all tests takes a tenth of it."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that goes with the context, and that the embedded server's account may reach.

    A database is a thousand small files, which some disks take ten times as long to copy as memory.
    """
    place = _MEMORY if _has_room(_MEMORY) else None
    with tempfile.TemporaryDirectory(prefix="selvedge-tests-", dir=place) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


def _has_room(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= _ROOM
