"""The settings of one process, read once from the environment (contract, Settings)."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

_SPECIAL: Final = "what is special in a user or password is written like %40 for @ and %2F for /"
LOG_LEVELS: Final = ("debug", "info", "warning", "error", "critical")


class SettingsError(Exception):
    """A setting that cannot be used; the message is one line fit for the operator."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator chose."""

    database_url: str | None
    """None means the embedded server in `data_dir`."""
    host: str
    port: int
    """0 lets the system choose a free one."""
    workers: int
    """Processes that serve."""
    pool_size: int
    """Database connections per worker for callers; one more is kept for keys and readiness."""
    caller_requests: int
    """Requests of one organization under way and waiting, per worker."""
    changes_days: int
    """How long changes are kept."""
    cors_origins: tuple[str, ...]
    """Of pages in browsers that may call; those of the service itself always may."""
    log_level: str
    traces: bool
    """Whether spans are made, and sent as the OTEL_ variables say."""
    data_dir: Path
    """Absolute."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Return the settings in `environ`; an empty value counts as absent.

        Raises SettingsError, naming the variable, for the first value that cannot be used.
        """
        return cls(
            database_url=_database_url(environ),
            host=environ.get("HOST") or "127.0.0.1",
            port=_integer(environ, "PORT", 8080, 0, 65535),
            workers=_integer(environ, "WORKERS", cores(), 1, 1024),
            pool_size=_integer(environ, "POOL_SIZE", 4, 1, 1024),
            caller_requests=_integer(environ, "CALLER_REQUESTS", 64, 1, 100_000),
            changes_days=_integer(environ, "CHANGES_DAYS", 30, 1, 36_500),
            cors_origins=_origins(environ),
            log_level=_log_level(environ),
            traces=_traces(environ),
            data_dir=_data_dir(environ),
        )


def cores() -> int:
    """Return the number of processor cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _integer(environ: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = environ.get(name) or str(default)
    if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
        raise SettingsError(f"{name} must be a whole number from {low} to {high}, not {text!r}")
    return int(text)


def _origins(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the origins as browsers send them (RFC 6454, 6.2)."""
    found = (environ.get("CORS_ORIGINS") or "").replace(",", " ").split()
    for origin in found:
        if not re.fullmatch(r"https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?", origin):
            example = "https://app.example.com"
            raise SettingsError(f"CORS_ORIGINS must name origins like {example}, not {origin!r}")
    return tuple(found)


def _log_level(environ: Mapping[str, str]) -> str:
    level = (environ.get("LOG_LEVEL") or "info").lower()
    if level not in LOG_LEVELS:
        raise SettingsError(f"LOG_LEVEL must be one of {', '.join(LOG_LEVELS)}, not {level!r}")
    return level


def _traces(environ: Mapping[str, str]) -> bool:
    """Return whether they are wanted; SettingsError where what makes them is not installed."""
    wanted = environ.get("TRACES") or "off"
    if wanted not in ("on", "off"):
        raise SettingsError(f"TRACES must be on or off, not {wanted!r}")
    if wanted == "on" and find_spec("opentelemetry") is None:
        raise SettingsError("TRACES=on needs the extra `tracing` (requirements-tracing.txt)")
    return wanted == "on"


def _data_dir(environ: Mapping[str, str]) -> Path:
    path = Path(environ.get("DATA_DIR") or ".data").expanduser().absolute()
    if path.exists() and not path.is_dir():
        raise SettingsError(f"DATA_DIR must be a folder, and {str(path)!r} is not one")
    return path


def _database_url(environ: Mapping[str, str]) -> str | None:
    """Return the URL as it is; it may hold a password, so no message repeats it."""
    url = environ.get("DATABASE_URL") or None
    if url is None:
        return None
    if not url.startswith(("postgres://", "postgresql://")):
        raise SettingsError("DATABASE_URL must begin with postgresql:// or postgres://")
    if not _is_read_alike(url):
        raise SettingsError(f"DATABASE_URL is not a valid URL; {_SPECIAL}")
    return url


def _is_read_alike(url: str) -> bool:
    """Whether a URL is one, and nobody takes a part of the password for another part of it."""
    try:
        parts = urlsplit(url)
        _ = parts.port
        conninfo_to_dict(url)
    except (ValueError, ProgrammingError):
        return False
    return url.count("@") == ("@" in parts.netloc)
