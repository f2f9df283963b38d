"""Running PostgreSQL from root's account: it refuses to be root, so it gets an account of its own.

That account must reach its programs and its data, wherever root put them; what has to be opened
for that is opened as little as possible, and reported.
"""

import os
import pwd
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_USER: Final = "pgserver"
"""The name that the wheel with the binaries uses too."""
_ANYONE_PASSES: Final = stat.S_IXOTH
_ANYONE_READS: Final = stat.S_IROTH


@dataclass(frozen=True, slots=True)
class Account:
    """A system account, as `subprocess` takes it; by default the process's own."""

    uid: int | None = None
    gid: int | None = None

    @property
    def extra_groups(self) -> list[int] | None:
        """No further groups beside its own, unless it is the process's own account."""
        return None if self.uid is None else []


def server_account(cluster: Path) -> Account:
    """Return the account PostgreSQL must run under.

    An existing cluster stays with its owner. Otherwise the account is created when it is missing;
    OSError or subprocess.SubprocessError when that fails.
    """
    if os.geteuid() != 0:
        return Account()
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    entry = _entry() or _create()
    return Account(entry.pw_uid, entry.pw_gid)


def _entry() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(_USER)
    except KeyError:
        return None


def _create() -> pwd.struct_passwd:
    """Create the account: no home, no login."""
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", _USER]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return pwd.getpwnam(_USER)


def make_reachable(programs: list[Path], data_dir: Path) -> None:
    """Let other accounts run what is in `programs` and reach `data_dir`; report what changed.

    Folders on the way are opened to be passed through only, not to be listed.
    """
    for folder in programs:
        for path in (folder, *folder.rglob("*")):
            executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
            _permit(path, _ANYONE_READS | (_ANYONE_PASSES if executable else 0))
    way = (data_dir, *(parent for folder in (data_dir, *programs) for parent in folder.parents))
    opened = [str(path) for path in dict.fromkeys(way) if _permit(path, _ANYONE_PASSES)]
    if opened:
        print(
            "PostgreSQL does not run as root. So that its own account reaches its files, other"
            f" users may now pass through: {', '.join(opened)}",
            file=sys.stderr,
        )


def _permit(path: Path, bits: int) -> bool:
    """Add mode bits; return whether any was missing."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & bits == bits:
        return False
    path.chmod(mode | bits)
    return True
