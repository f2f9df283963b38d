"""Event log: one line of JSON per event, on standard error, for operators (operating, Log).

A line has the event's name for searches, and a message, for a failure with the cause and the
remedy. Passwords and secrets of API keys are masked in all texts (``without_secrets``).
"""

import logging
import mmap
import re
import time
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from service.masking import mask_keys

_log: Final = logging.getLogger("service")
_PASSWORDS: Final = (
    # Passwords in a database URL, and in a connection string of keywords and values.
    (re.compile(r"(postgres(?:ql)?://[^\s:/?#]{0,100}:)\S{0,1000}@"), r"\1...@"),
    (re.compile(r"(password\s*=\s*)('[^']*'|[^\s&]+)", re.IGNORECASE), r"\1..."),
)
_CONTROLS: Final = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that JSON need not escape and terminals obey: DEL, C1 controls, line separators and
bidirectional marks."""


def without_secrets(text: str) -> str:
    """Return the text with ``...`` in place of passwords and secrets of API keys.

    A password is found in a URL of PostgreSQL, and after ``password=``.
    """
    for pattern, replacement in _PASSWORDS:
        text = pattern.sub(replacement, text)
    return mask_keys(text)


def printable(line: bytes) -> bytes:
    """Return a line of JSON with a question mark for each character of _CONTROLS."""
    if line.isascii() and b"\x7f" not in line:
        return line
    return _CONTROLS.sub("?", line.decode()).encode()


def log_event(event: str, message: str, level: int = logging.INFO, **facts: object) -> None:
    """Write the line of an event if ``level`` is logged; ``facts`` become members of the line."""
    _log.log(level, "%s", message, extra={"event": event, "facts": facts})


def configure_logging(level: str) -> None:
    """Let every logger of this process, and of those forked from it, write lines of JSON.

    ``level`` is the level of the service's own logger; that of other libraries' is WARNING.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    _log.setLevel(level.upper())


class JsonFormatter(logging.Formatter):
    """Formatter of log records as lines of JSON, with the traceback as a member.

    A record that ``log_event`` did not write has the event ``defect`` with an exception, else the
    name of its logger.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without a newline."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", "defect" if record.exc_info else record.name),
            "message": record.getMessage(),
            "process": record.process,
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return printable(orjson.dumps(_masked(line))).decode()


def _masked(value: Any) -> Any:
    """Return a value for JSON with all its texts masked; a value of another type is a text."""
    if isinstance(value, dict):
        return {str(name): _masked(member) for name, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_masked(entry) for entry in value]
    if value is None or isinstance(value, bool | int | float | datetime):
        return value
    return without_secrets(str(value))


class SharedCounter:
    """Counter in memory that forked processes share; only one process may add to it."""

    def __init__(self) -> None:
        self._value = memoryview(mmap.mmap(-1, 8)).cast("q")

    @property
    def value(self) -> int:
        """Current count."""
        return self._value[0]

    def add(self) -> None:
        """Add one."""
        self._value[0] += 1


class Incident:
    """Incident that is logged once when it opens and once when it closes.

    Forked processes share its state in memory: the first one to notice logs it for all.
    """

    def __init__(self, open_event: str, close_event: str, close_message: str) -> None:
        self._open_event = open_event
        self._close_event, self._close_message = close_event, close_message
        self._opened_at = memoryview(mmap.mmap(-1, 8)).cast("d")

    @property
    def is_open(self) -> bool:
        """Whether the incident is open."""
        return bool(self._opened_at[0])

    def open(self, message: str, **facts: object) -> None:
        """Open the incident and log it, unless it is open."""
        if not self.is_open:
            self._opened_at[0] = time.monotonic()
            log_event(self._open_event, message, logging.ERROR, **facts)

    def close(self) -> None:
        """Close the incident and log its duration, if it is open."""
        if self.is_open:
            seconds = round(time.monotonic() - self._opened_at[0], 1)
            self._opened_at[0] = 0.0
            log_event(self._close_event, self._close_message, seconds=seconds)
