"""Database incidents and failures: log events with cause and remedy for operators.

Source: operating, Log.
"""

import errno
import logging
import socket
import time
from typing import Final

import asyncpg

from service.events import Incident, log_event
from service.limits import LOG_REPEAT_SECONDS

UNREACHABLE: Final = Incident("database_lost", "database_back", "The database is there again.")
"""Opened when no connection can be opened; closed by a new connection or a readiness check."""
SCHEMA_BEHIND: Final = Incident(
    "schema_behind", "schema_current", "The database schema is up to date."
)
"""Opened by a request, a readiness check or the preflight; closed by a readiness check."""
DISK_FULL: Final = Incident("disk_full", "disk_has_room", "The database's disk has room again.")
"""Opened by a failed statement or a readiness check; closed by a readiness check.

Workers repeat the readiness check in the background while an incident is open.
"""

SCHEMA_IS_BEHIND: Final = "The database schema is behind; run selvedge migrate."
DISK_IS_FULL: Final = "The database's disk is full."

_ADVICE: Final = {
    "08": "check that PostgreSQL runs and that the network reaches it",
    "25006": "this server takes no writes: name the primary in DATABASE_URL",
    "28": "check the user and password in DATABASE_URL, and pg_hba.conf",
    "3D000": "create the database, or name another in DATABASE_URL",
    "42501": "grant the service's role the missing privileges; best let it own the tables",
    "53100": "free space on the database's disk",
    "53200": "give PostgreSQL more memory, or lower its settings",
    "53300": "raise max_connections, or lower WORKERS or POOL_SIZE",
    "55P03": "see in pg_stat_activity who holds the lock",
    "57014": "it took too long: see in pg_stat_activity what it waits for",
    "57P": "PostgreSQL starts or stops: wait, or see its log",
    "58": "check the database's disk and PostgreSQL's log",
    "XX": "see PostgreSQL's log",
}
"""Remedy by SQLSTATE, or by the first three or two characters of one that is not listed."""
_CHECK_SERVER: Final = "check that PostgreSQL runs, and that DATABASE_URL names it"
_NETWORK: Final = {
    errno.EACCES: "give the service's account access to that socket",
    errno.EMFILE: "raise the limit on open files",
}


_RECENT: Final[dict[tuple[str, str | None], tuple[float, int]]] = {}
"""Time of this process's last log line and number of failures since, by (operation, SQLSTATE)."""


def report_unreachable(error: BaseException) -> None:
    """Log that no connection can be opened.

    It opens the incident UNREACHABLE, and is not logged again while that is open. A server with too
    many connections is no incident: each refusal is logged, as ``connection_refused``.
    """
    message = f"The database cannot be reached: {cause(error)}"
    if isinstance(error, asyncpg.TooManyConnectionsError):
        # No incident: the open connections still work.
        log_event("connection_refused", message, logging.ERROR, sqlstate=error.sqlstate)
    else:
        UNREACHABLE.open(message, sqlstate=_sqlstate(error))


def report(error: BaseException, operation: str) -> None:
    """Log why a ``read`` or ``write`` failed before its commit; open DISK_FULL if that is why.

    For each operation and SQLSTATE a process logs one line in LOG_REPEAT_SECONDS. The next line has
    the number of failures without a line, as ``before_unsaid``.
    """
    if isinstance(error, asyncpg.DiskFullError):
        report_disk_full()
    key, now = (operation, _sqlstate(error)), time.monotonic()
    last_logged, suppressed = _RECENT.get(key, (-LOG_REPEAT_SECONDS, 0))
    if now < last_logged + LOG_REPEAT_SECONDS:
        _RECENT[key] = (last_logged, suppressed + 1)
        return
    _RECENT[key] = (now, 0)
    message = f"A {operation} failed and changed nothing: {cause(error)}"
    log_event(
        f"{operation}_failed", message, logging.ERROR, sqlstate=key[1], before_unsaid=suppressed
    )


def report_disk_full() -> None:
    """Open the incident of a full disk."""
    DISK_FULL.open(f"{DISK_IS_FULL} Free space on it; writes fail until then.")


def cause(error: BaseException) -> str:
    """Return the error's text and the remedy, if there is one, in one line, for operators.

    The text may name hosts and users. Without a text it is the name of the error's class.
    """
    text = " ".join(str(error).split()) or type(error).__name__
    advice = _advice(error)
    return f"{text}; {advice}" if advice else text


def cause_without_names(error: BaseException) -> str:
    """Return SQLSTATE and remedy of an error's innermost cause, fit for a response.

    It has no text of the error, which may name hosts and users.
    """
    while error.__cause__ is not None:
        error = error.__cause__
    sqlstate = _sqlstate(error)
    shown = f" ({sqlstate})" if sqlstate else ""
    return f"The database cannot be used{shown}: {_advice(error) or 'see the log'}."


def _advice(error: BaseException) -> str | None:
    state = _sqlstate(error)
    if state:
        return next((_ADVICE[key] for key in (state, state[:3], state[:2]) if key in _ADVICE), None)
    if isinstance(error, TimeoutError):
        return "no response in time: check the network, firewalls and DATABASE_URL"
    if isinstance(error, socket.gaierror):
        return "unknown host name: check DATABASE_URL"
    return _NETWORK.get(error.errno or 0, _CHECK_SERVER) if isinstance(error, OSError) else None


def _sqlstate(error: BaseException) -> str | None:
    return error.sqlstate if isinstance(error, asyncpg.PostgresError) else None
