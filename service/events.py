"""What happens to the service, for those who operate it: a line of JSON each, on standard error.

A line names the event, so that it can be searched for, and says in its message what is the cause
and what to do. No line has a password or an API key's secret in it, whatever it tells of.
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
    # The password in a database's URL, and in the other form of naming one.
    (re.compile(r"(postgres(?:ql)?://[^\s:/?#]{0,100}:)\S{0,1000}@"), r"\1...@"),
    (re.compile(r"(password\s*=\s*)('[^']*'|[^\s&]+)", re.IGNORECASE), r"\1..."),
)
_CONTROLS: Final = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that JSON need not escape: DEL, C1 controls, line separators, and marks that turn the
direction of text."""


def without_secrets(text: str) -> str:
    """The text, with three dots in place of every password and secret."""
    for password, shown in _PASSWORDS:
        text = password.sub(shown, text)
    return mask_keys(text)


def printable(line: bytes) -> bytes:
    """Return a line of JSON with a question mark for each character that a terminal would obey."""
    if line.isascii() and b"\x7f" not in line:
        return line
    return _CONTROLS.sub("?", line.decode()).encode()


def log_event(event: str, message: str, level: int = logging.INFO, **facts: object) -> None:
    """Write a line of an event; ``facts`` become members of their own."""
    _log.log(level, "%s", message, extra={"event": event, "facts": facts})


def configure_logging(level: str) -> None:
    """Let every logger of this process and of those forked from it write such lines."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    _log.setLevel(level.upper())


class JsonFormatter(logging.Formatter):
    """A record as a line of JSON, a traceback within it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
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
        hidden = {k: without_secrets(v) if isinstance(v, str) else v for k, v in line.items()}
        return printable(orjson.dumps(hidden, default=str)).decode()


class SharedCounter:
    """A number that the processes forked from this one share; one of them adds to it."""

    def __init__(self) -> None:
        self._value = memoryview(mmap.mmap(-1, 8)).cast("q")

    @property
    def value(self) -> int:
        """The number."""
        return self._value[0]

    def add(self) -> None:
        """Add one."""
        self._value[0] += 1


class Incident:
    """What lasts until it is over: said once when it begins, and once when it is over.

    By whichever of the processes forked from this one sees it first: they share its memory.
    """

    def __init__(self, event: str, over: str, message: str) -> None:
        self._event, self._over, self._message = event, over, message
        self._since = memoryview(mmap.mmap(-1, 8)).cast("d")

    @property
    def is_open(self) -> bool:
        """Whether it is not over."""
        return bool(self._since[0])

    def open(self, message: str, **facts: object) -> None:
        """Say so, unless it is known."""
        if not self.is_open:
            self._since[0] = time.monotonic()
            log_event(self._event, message, logging.ERROR, **facts)

    def close(self) -> None:
        """Say so, if it lasted until now."""
        if self.is_open:
            seconds = round(time.monotonic() - self._since[0], 1)
            self._since[0] = 0.0
            log_event(self._over, self._message, seconds=seconds)
