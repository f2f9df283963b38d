"""System accounts that work for root: one for PostgreSQL, one for the service's processes.

They are separate, so that a break-in to the service exposes neither the database's files nor its
superuser. Both are created when they are missing, without a home or a login. If the process is not
root's, it uses its own account for both.
"""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_DATABASE: Final = "pgserver"
"""Account of PostgreSQL, which the package with PostgreSQL's binaries uses, too."""
_SERVICE: Final = "selvedge"


@dataclass(frozen=True, slots=True)
class Account:
    """System account as ``subprocess`` takes it; None stands for the process's own."""

    uid: int | None = None
    gid: int | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Options of ``subprocess``: user, group, and no supplementary groups."""
        groups = None if self.uid is None else list[int]()
        return {"user": self.uid, "group": self.gid, "extra_groups": groups}


def database_account(cluster: Path) -> Account:
    """Return the account that PostgreSQL must run under, as it refuses to run as root.

    It is the process's own unless this is root. If ``cluster``, the folder of the data, exists and
    is not root's, it is the folder's owner. Otherwise it is ``pgserver``, which is created if it is
    missing; raise OSError if that fails.
    """
    if os.geteuid() != 0:
        return Account()
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    return _account(_DATABASE)


def service_account() -> Account:
    """Return the account of the service's processes: ``selvedge`` if this process is root's.

    Create it if it is missing; raise OSError if that fails. Otherwise it is the process's own.
    """
    return _account(_SERVICE) if os.geteuid() == 0 else Account()


def become(account: Account) -> None:
    """Switch this process from root to an account for good: user, groups, home and folder.

    The account is not the process's own: it has a uid and a gid. ``HOME`` becomes a folder that
    does not exist, and the current folder becomes ``/``. Raise OSError if root is not allowed to
    switch, as in some containers.
    """
    assert account.uid is not None
    assert account.gid is not None
    try:
        os.setgroups([account.gid])
        os.setgid(account.gid)
        os.setuid(account.uid)
    except OSError as error:
        message = f"root cannot switch to another user here; start as another user: {error}"
        raise OSError(message) from error
    os.chdir("/")
    # Drivers look for passwords and certificates in the home, and root's is closed to the account.
    os.environ["HOME"] = "/nonexistent"


def _account(name: str) -> Account:
    entry = _entry(name) or _create(name)
    return Account(entry.pw_uid, entry.pw_gid)


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _create(name: str) -> pwd.struct_passwd:
    """Create an account, or return it if another process has just created it."""
    command = ["useradd", "--system", "--user-group", "--no-create-home", name]
    try:
        process = subprocess.run(
            [*command, "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"],
            check=False,
            capture_output=True,
            text=True,
        )
        problem = process.stderr
    except OSError as error:
        problem = str(error)
    if (entry := _entry(name)) is None:
        reason = " ".join(problem.split())
        raise OSError(
            f"cannot create the account {name}; create it, or start as another user: {reason}"
        )
    return entry
