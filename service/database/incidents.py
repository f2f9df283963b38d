"""What an operator has to see to about the database: its cause, and what to do (contract, Log)."""

import errno
import logging
import socket
import time
from typing import Final

import asyncpg

from service.events import Incident, log_event

AWAY: Final = Incident("database_lost", "database_back", "The database is there again.")
BEHIND: Final = Incident("schema_behind", "schema_current", "The database schema is up to date.")
FULL: Final = Incident("disk_full", "disk_has_room", "The database's disk has room again.")

SCHEMA_IS_BEHIND: Final = "The database schema is behind; run selvedge migrate."
DISK_IS_FULL: Final = "The database's disk is full."

#: What to do, by SQLSTATE; where the whole one is not listed, by its class.
_ADVICE: Final = {
    "08": "see whether PostgreSQL and the way to it are at work",
    "25006": "this server takes no writes: name the primary in DATABASE_URL",
    "28": "see to the user and password in DATABASE_URL and to pg_hba.conf",
    "3D000": "create the database, or name another in DATABASE_URL",
    "42501": "grant the service's role what it lacks; best let it own the tables",
    "53100": "make room on the database's disk",
    "53200": "give PostgreSQL more memory, or lower its settings",
    "53300": "raise max_connections, or lower WORKERS or POOL_SIZE",
    "55P03": "see in pg_stat_activity who holds the lock",
    "57014": "it took too long: see in pg_stat_activity what it waits for",
    "57P": "PostgreSQL starts or stops: wait, or see its log",
    "58": "see to the database's disk and PostgreSQL's log",
    "XX": "see PostgreSQL's log",
}
_SEE: Final = "see whether PostgreSQL is at work, and whether DATABASE_URL names it"
_NETWORK: Final = {
    errno.EACCES: "the service's account may not use that socket",
    errno.EMFILE: "raise the limit on open files",
}


_SILENT_SECONDS: Final = 5
_TOLD: Final[dict[tuple[str, str | None], tuple[float, int]]] = {}
"""When failures of a kind were last told of in this process, and how many came since."""


def is_lost(error: BaseException) -> None:
    """Tell that a connection cannot be had."""
    message = f"The database cannot be reached: {cause(error)}"
    if isinstance(error, asyncpg.TooManyConnectionsError):
        # The others are still there.
        log_event("connection_refused", message, logging.ERROR, sqlstate=error.sqlstate)
    else:
        AWAY.open(message, sqlstate=_sqlstate(error))


def report(error: BaseException, what: str) -> None:
    """Tell that the database would not do something, and why; a full disk does not fill a log."""
    if isinstance(error, asyncpg.DiskFullError):
        disk_is_full()
    kind, now = (what, _sqlstate(error)), time.monotonic()
    told, unsaid = _TOLD.get(kind, (-_SILENT_SECONDS, 0))
    if now < told + _SILENT_SECONDS:
        _TOLD[kind] = (told, unsaid + 1)
        return
    _TOLD[kind] = (now, 0)
    message = f"A {what} failed and changed nothing: {cause(error)}"
    log_event(f"{what}_failed", message, logging.ERROR, sqlstate=kind[1], before_unsaid=unsaid)


def disk_is_full() -> None:
    """Tell that nothing can be written."""
    FULL.open(f"{DISK_IS_FULL} Make room on it; writes fail until then.")


def cause(error: BaseException) -> str:
    """Why, and what to do, in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    advice = _advice(error)
    return f"{text}; {advice}" if advice else text


def cause_without_names(error: BaseException) -> str:
    """Return why the database could not be used, for whoever may ask: no host, user or database."""
    while error.__cause__ is not None:
        error = error.__cause__
    state = f" ({found})" if (found := _sqlstate(error)) else ""
    return f"The database cannot be used{state}: {_advice(error) or 'the log says why'}."


def _advice(error: BaseException) -> str | None:
    state = _sqlstate(error)
    if state:
        return next((_ADVICE[key] for key in (state, state[:3], state[:2]) if key in _ADVICE), None)
    if isinstance(error, TimeoutError):
        return "no answer in time: see to the network, a firewall, and DATABASE_URL"
    if isinstance(error, socket.gaierror):
        return "the name is not known: see to DATABASE_URL"
    return _NETWORK.get(error.errno or 0, _SEE) if isinstance(error, OSError) else None


def _sqlstate(error: BaseException) -> str | None:
    return error.sqlstate if isinstance(error, asyncpg.PostgresError) else None
