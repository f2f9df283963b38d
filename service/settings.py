"""Settings of the operator, read once from environment variables (operating, Settings).

Each command reads them at its start; the workers of the service inherit those of their parent.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from service.console import OperatorError
from service.files import SCHEMAS

_ENCODING: Final = "percent-encode special characters of user and password: %40 for @, %2F for /"
_HOST: Final = r"(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?"
HOST: Final = re.compile(_HOST, re.ASCII)
"""Value of a ``Host`` header (RFC 9110, 7.2): a host name or address, with or without a port."""
_PUBLIC_URL: Final = re.compile(rf"https?://{_HOST}(?:/[A-Za-z0-9._~-]+)*", re.ASCII)
_ORIGIN: Final = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?")
Network: TypeAlias = IPv4Network | IPv6Network
_PART: Final = r"(?:[\w.~+-]|%(?!00)[0-7][0-9A-Fa-f])*"
_SERVER: Final = rf"{_PART}(?::[1-5]?[0-9]{{1,4}})?"
_OPTION: Final = rf"(?:application_name|connect_timeout|host|port|sslmode|sslrootcert)={_PART}"
_PLAIN_URL: Final = re.compile(
    rf"postgres(?:ql)?://(?:{_PART}(?::{_PART})?@)?{_SERVER}(?:,{_SERVER})*(?:/{_PART})?"
    rf"(?:\?{_OPTION}(?:&{_OPTION})*)?",
    re.ASCII,
)
"""URL of a database that all parsers read alike."""

_SIMILARITY: Final = 0.85
"""Ratio of difflib from which a name is likely a typing error: that of ``WORKRES``."""
LOG_LEVELS: Final = ("debug", "info", "warning", "error", "critical")
"""Values of ``LOG_LEVEL``, from the most lines to the fewest."""


class SettingsError(OperatorError):
    """Error of an invalid setting; its message is one line for operators."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Validated settings of the operator, each of the variable with its name in capitals.

    The docstrings make docs/settings.md; ``make docs`` writes it.
    """

    database_url: str | None
    """``postgresql://user:password@host/database``; several hosts, ``host1:5432,host2:5432``, are
    tried in this order. Default: the embedded server."""
    host: str
    """Host name or address to listen on. Default: ``127.0.0.1``."""
    port: int
    """TCP port to listen on; 0 selects a free one. Default: ``8080``."""
    workers: int
    """Worker processes, 1 to 1,024. Default: one per core."""
    pool_size: int
    """Database connections per worker for requests of callers; a worker may open six more: two
    each for keys and readiness, polls in the background, exports. Default: ``4``."""
    caller_requests: int
    """Maximum requests of one organization, running and queued, per worker. Default: ``64``."""
    changes_days: int
    """Retention of the change feed in days, at least 1. Default: ``30``."""
    history_days: int
    """Retention of the history of records in days; 0 keeps none. Changes are kept for as long.
    Default: ``90``."""
    history_except: tuple[str, ...]
    """Collections without history, as the change feed names them, separated by commas. Default:
    none."""
    audit_days: int
    """Retention of the audit log in days, at least 1. Default: ``400``."""
    response_cache_mib: int
    """Memory of each worker for cached responses in MiB; 0 turns the cache off. Default: ``32``."""
    public_url: str
    """Address of the service as callers know it, such as ``https://api.example.com/selvedge``, for
    links in responses. Default: the request's ``Host``."""
    webhook_private_addresses: tuple[Network, ...]
    """Private networks that webhooks may be sent to, also by plain http, such as ``10.20.0.0/16``,
    separated by commas. Default: none."""
    cors_origins: tuple[str, ...]
    """Origins of browser pages that may call (CORS), such as ``https://app.example.com``, separated
    by commas. Default: none."""
    picture_sources: tuple[str, ...]
    """Origins whose pictures ``/data`` shows, such as ``https://images.example.com``, separated by
    commas; ``https:`` for all. Default: none; clothes are drawn."""
    stop_delay: int
    """Seconds after SIGTERM for which the service goes on serving while ``/readyz`` is 503 already,
    so that balancers take it out first; 0 to 600. Default: ``0``."""
    log_level: str
    """``debug``, ``info``, ``warning``, ``error`` or ``critical``. Default: ``info``."""
    traces: bool
    """``on`` sends OpenTelemetry spans (extra ``tracing``), configured by its ``OTEL_`` variables.
    Default: ``off``."""
    data_dir: Path
    """Folder of the embedded PostgreSQL; it may not exist yet. Default: ``.data``."""

    @property
    def kept_days(self) -> int:
        """Days for which changes are kept: history names them."""
        return max(self.changes_days, self.history_days)

    @property
    def history(self) -> frozenset[str] | None:
        """Collections without history; None if no collection has any."""
        return frozenset(self.history_except) if self.history_days else None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Return the settings in ``environ``; an empty value counts as absent.

        Raise SettingsError, which names the variable, for the first invalid value. Nothing is
        opened or created. Messages repeat the value, except that of ``DATABASE_URL``.
        """
        return cls(
            database_url=_database_url(environ),
            host=environ.get("HOST") or "127.0.0.1",
            port=_integer(environ, "PORT", 8080, 0, 65535),
            workers=_integer(environ, "WORKERS", cores(), 1, 1024),
            pool_size=_integer(environ, "POOL_SIZE", 4, 1, 1024),
            caller_requests=_integer(environ, "CALLER_REQUESTS", 64, 1, 100_000),
            changes_days=_integer(environ, "CHANGES_DAYS", 30, 1, 36_500),
            history_days=_integer(environ, "HISTORY_DAYS", 90, 0, 36_500),
            history_except=_collections(environ, "HISTORY_EXCEPT"),
            audit_days=_integer(environ, "AUDIT_DAYS", 400, 1, 36_500),
            response_cache_mib=_integer(environ, "RESPONSE_CACHE_MIB", 32, 0, 65_536),
            public_url=_public_url(environ),
            webhook_private_addresses=_networks(environ, "WEBHOOK_PRIVATE_ADDRESSES"),
            cors_origins=_origins(environ, "CORS_ORIGINS"),
            picture_sources=_origins(environ, "PICTURE_SOURCES", "https:"),
            stop_delay=_integer(environ, "STOP_DELAY", 0, 0, 600),
            log_level=_log_level(environ),
            traces=_traces(environ),
            data_dir=_data_dir(environ),
        )


def nearly_settings(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the variables that are no settings, but nearly named as one, each with that one."""
    names = [field.name.upper() for field in fields(Settings)]
    return [
        (name, nearest)
        for name in sorted(environ.keys() - {*names})
        if name.isupper()
        for nearest in get_close_matches(name, names, 1, _SIMILARITY)
    ]


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


def _networks(environ: Mapping[str, str], name: str) -> tuple[Network, ...]:
    words = (environ.get(name) or "").replace(",", " ").split()
    try:
        return tuple(map(ip_network, words))
    except ValueError:
        example = "10.20.0.0/16"
        raise SettingsError(f"{name} must list networks like {example}, not {words}") from None


def _origins(environ: Mapping[str, str], name: str, *others: str) -> tuple[str, ...]:
    """Return the origins, which must be written as browsers send them (RFC 6454, 6.2)."""
    origins = (environ.get(name) or "").replace(",", " ").split()
    for origin in origins:
        if origin not in others and not _ORIGIN.fullmatch(origin):
            example = "https://app.example.com"
            raise SettingsError(f"{name} must name origins like {example}, not {origin!r}")
    return tuple(origins)


def _collections(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Return the names of collections that records are written to."""
    collections = (environ.get(name) or "").replace(",", " ").split()
    for collection in collections:
        file = SCHEMAS / f"{collection}.json"
        if not re.fullmatch("[a-z-]+", collection) or not file.exists():
            example = "style-prices"
            raise SettingsError(f"{name} must name collections like {example}, not {collection!r}")
    return tuple(collections)


def _public_url(environ: Mapping[str, str]) -> str:
    url = (environ.get("PUBLIC_URL") or "").rstrip("/")
    if url and not _PUBLIC_URL.fullmatch(url):
        example = "https://api.example.com/selvedge"
        raise SettingsError(f"PUBLIC_URL must be an address like {example}, not {url!r}")
    return url


def _log_level(environ: Mapping[str, str]) -> str:
    level = (environ.get("LOG_LEVEL") or "info").lower()
    if level not in LOG_LEVELS:
        raise SettingsError(f"LOG_LEVEL must be one of {', '.join(LOG_LEVELS)}, not {level!r}")
    return level


def _traces(environ: Mapping[str, str]) -> bool:
    """Return whether traces are on; raise SettingsError if OpenTelemetry is not installed then."""
    value = environ.get("TRACES") or "off"
    if value not in ("on", "off"):
        raise SettingsError(f"TRACES must be on or off, not {value!r}")
    if value == "on" and find_spec("opentelemetry") is None:
        raise SettingsError("TRACES=on needs the extra `tracing` (requirements-tracing.txt)")
    return value == "on"


def _data_dir(environ: Mapping[str, str]) -> Path:
    path = Path(environ.get("DATA_DIR") or ".data").expanduser().absolute()
    if path.exists() and not path.is_dir():
        raise SettingsError(f"DATA_DIR must be a folder, and {str(path)!r} is not one")
    return path


def _database_url(environ: Mapping[str, str]) -> str | None:
    """Return the URL unchanged, or None; messages never repeat it, as it may have a password."""
    url = environ.get("DATABASE_URL") or None
    if url is None:
        return None
    if not url.startswith(("postgres://", "postgresql://")):
        raise SettingsError("DATABASE_URL must begin with postgresql:// or postgres://")
    if not _is_unambiguous(url):
        raise SettingsError(f"DATABASE_URL is not a valid URL; {_ENCODING}")
    return url


def _is_unambiguous(url: str) -> bool:
    """Return whether a URL is valid, and no ``@`` or ``/`` in its password makes parsers differ."""
    if _PLAIN_URL.fullmatch(url):
        return True
    # Imported here: it would take 6 MB of every worker.
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = urlsplit(url)
        for host in parts.netloc.rpartition("@")[2].split(","):
            _ = urlsplit(f"//{host}").port
        conninfo_to_dict(url)
    except (ValueError, ProgrammingError):
        return False
    return url.count("@") == ("@" in parts.netloc)
