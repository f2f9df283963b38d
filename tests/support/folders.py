"""Where throw-away databases lie: in memory, where there is room."""

import os
import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 2 << 30
"""Bytes; a run of all tests takes a tenth of it for each worker."""


def throw_away() -> str | None:
    """The folder to make temporary ones in; None for the system's own.

    A database is a thousand small files, which some disks take ten times as long to copy as memory.
    """
    if not os.access(_MEMORY, os.W_OK) or shutil.disk_usage(_MEMORY).free < _ROOM:
        return None
    return str(_MEMORY)
