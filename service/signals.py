"""Signal masking: defers the signals that stop the service until their handlers are in place.

The signals are SIGINT, SIGTERM, SIGQUIT and SIGHUP.

Problem: Python runs a handler between any two instructions. An exception raised in a finalizer is
lost, and a process just forked would still run its parent's handlers.
"""

import signal
import subprocess
from typing import Any, Final

ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def defer() -> None:
    """Block the signals in this thread, and in the threads and processes that it starts.

    A forked process inherits the mask, and calls :func:`deliver` when its handlers are in place.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)


def deliver() -> None:
    """Unblock the signals in this thread; pending ones take effect at once.

    Each runs its handler, or ends the process if it has none.
    """
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)


_CODES: Final[dict[int, int | None]] = {}
"""Exit codes of watched children, by process id; None for those that nobody has reaped."""


def watch(process: "subprocess.Popen[Any]") -> None:
    """Keep the exit code of a child for ``exit_code``, whoever reaps it."""
    _CODES[process.pid] = None


def record(process_id: int, code: int) -> None:
    """Record the exit code of a reaped child; ignore those that are not watched."""
    if process_id in _CODES:
        _CODES[process_id] = code


def exit_code(process: "subprocess.Popen[Any]") -> int | None:
    """Return the exit code of a watched child, minus its signal if it has one; None if it runs."""
    code = process.poll()
    if code is None:
        return None
    recorded = _CODES.pop(process.pid, None)
    return code if recorded is None else recorded
