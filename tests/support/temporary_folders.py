"""Temporary folders, in memory if there is room, and copies: of the program, and of clusters."""

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from service.extras.embedded import postmaster
from service.extras.privileges.accounts import Account
from service.files import GUIDES, MIGRATIONS, PAGE, SCHEMAS, SQL

_MEMORY: Final = Path("/dev/shm")
_ROOM: Final = 2 << 30
"""Bytes; a run of all tests takes a tenth of it."""
_PREFIX: Final = "selvedge-tests-"
_LOCK: Final = "in-use"
_SETTLED: Final = 60
"""Seconds after which a folder in use is locked for sure."""
CLUSTERS: Final = "TESTCLUSTERS"
"""Environment variable that names the folder of a run's first clusters, which others copy."""
_COPY: Final = 'cp -a "$0" "$1-$$" && mv -nT "$1-$$" "$1"'
_initialize: Final = postmaster.initialize


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Provide a folder that the embedded server's account may reach, and remove it.

    A database is a thousand small files, which some disks take ten times as long to copy as memory.
    """
    has_room = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=_MEMORY if has_room else None) as name:
        folder = Path(name)
        folder.chmod(0o711)
        with (folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder


def share_clusters(add_cleanup: Callable[[Callable[[], None]], None]) -> None:
    """Have this process and its children make clusters as copies of the run's first ones."""
    if CLUSTERS not in os.environ:  # else a worker's
        stack = ExitStack()
        os.environ[CLUSTERS] = str(stack.enter_context(temporary_folder()))
        add_cleanup(stack.close)


def copy_program(home: Path) -> None:
    """Put a copy of all that the service is made of into a folder, laid out as in a checkout."""
    root = SQL.parent
    for folder in (root / "service", SQL, SCHEMAS, MIGRATIONS, PAGE, GUIDES):
        ignored = shutil.ignore_patterns("*.pyc.*")  # being written
        shutil.copytree(folder, home / folder.relative_to(root), ignore=ignored)


def _copy_cluster(cluster: Path, version: int, account: Account) -> None:
    """Do what `initialize` does, in a tenth of its time from the second cluster on."""
    first = Path(os.environ.get(CLUSTERS, os.devnull), f"{version}-{account.uid}")
    if first.parent.is_dir() and first.is_dir():
        subprocess.run(["cp", "-a", f"{first}/.", cluster], check=True)
    else:
        _initialize(cluster, version, account)
        if first.parent.is_dir():
            subprocess.run(["sh", "-c", _COPY, cluster, first], check=False)


postmaster.initialize = _copy_cluster


def sweep() -> None:
    """Remove from memory what runs that were killed left there."""
    for path in _MEMORY.glob(f"{_PREFIX}*/{_LOCK}"):
        # Another run's that is at work is locked, or gone by now.
        with suppress(OSError), path.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() - path.stat().st_mtime > _SETTLED:
                shutil.rmtree(path.parent, ignore_errors=True)
