"""The system accounts that work for root: one for PostgreSQL, one for what serves.

They are two, so that who breaks into the service has neither the database's files nor its
superuser. Neither has a home or a login; both are made when they are missing.
"""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_DATABASE: Final = "pgserver"
"""The name that the wheel with the binaries uses too."""
_SERVICE: Final = "selvedge"


@dataclass(frozen=True, slots=True)
class Account:
    """A system account, as `subprocess` takes it; by default the process's own."""

    uid: int | None = None
    gid: int | None = None

    @property
    def extra_groups(self) -> list[int] | None:
        """No further groups beside its own, unless it is the process's own account."""
        return None if self.uid is None else []


def database_account(cluster: Path) -> Account:
    """Return the account PostgreSQL must run under, as it refuses to be root.

    An existing cluster stays with its owner. Otherwise the account is created when it is missing;
    OSError when that fails.
    """
    if os.geteuid() != 0:
        return Account()
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    return _account(_DATABASE)


def service_account() -> Account:
    """Return the account that must serve; created when it is missing, OSError when that fails."""
    return _account(_SERVICE) if os.geteuid() == 0 else Account()


def become(account: Account) -> None:
    """Give up root for good, in this process: its groups, its home and its folder too.

    Raises OSError where root is not allowed to, as in some containers.
    """
    assert account.uid is not None
    assert account.gid is not None
    try:
        os.setgroups([account.gid])
        os.setgid(account.gid)
        os.setuid(account.uid)
    except OSError as error:
        raise OSError(f"root cannot work as another user here, start as one: {error}") from error
    os.chdir("/")
    # Drivers look for passwords and certificates there, and root's own home is closed to them.
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
    """Create an account; another start may be doing the same."""
    command = ["useradd", "--system", "--user-group", "--no-create-home", name]
    try:
        done = subprocess.run(
            [*command, "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"],
            check=False,
            capture_output=True,
            text=True,
        )
        problem = done.stderr
    except OSError as error:
        problem = str(error)
    if (entry := _entry(name)) is None:
        reason = " ".join(problem.split())
        raise OSError(f"cannot create the account {name}, create it or start as another: {reason}")
    return entry
