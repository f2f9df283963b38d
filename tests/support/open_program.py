"""Program folders that others may read, walked once by the process that forks commands.

They have 70,000 files. Those that somebody cannot read, or that another process has opened for as
long as it runs, are walked anew.
"""

import os
from pathlib import Path
from typing import Final

from service.extras.privileges import temporary_access as access
from service.files import program_folders

_closed: Final = access._closed
if os.geteuid() == 0:
    with access._locked():
        _opened: Final = [*access._merged(map(access._read, access._records()))]
        _open: Final = {
            tree
            for tree in access._outermost(program_folders())
            if not any(Path(path).is_relative_to(tree) for path in _opened)
            and not any(_closed(tree))
        }
    access._closed = lambda tree: iter(()) if tree in _open else _closed(tree)
