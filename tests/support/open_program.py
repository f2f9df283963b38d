"""Program folders that others may read, walked once by the process that forks commands.

They have 70,000 files: a start of the service by root would look at each of them. Folders that
somebody cannot read, or that another process has opened for as long as it runs, are walked anew.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from service.extras.privileges import temporary_access
from service.files import program_folders

_closed: Final = temporary_access._closed


def _open_trees() -> Iterator[Path]:
    with temporary_access._locked():
        opened = temporary_access._merged(map(temporary_access._read, temporary_access._records()))
        for tree in temporary_access._outermost(program_folders()):
            if not any(Path(path).is_relative_to(tree) for path in opened) and not [*_closed(tree)]:
                yield tree


if os.geteuid() == 0:
    _OPEN: Final = {*_open_trees()}
    temporary_access._closed = lambda tree: iter(()) if tree in _OPEN else _closed(tree)
