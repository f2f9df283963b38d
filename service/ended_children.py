"""Ended children: exit codes of child processes that the arbiter of the workers has reaped.

The arbiter waits for any child. A ``Popen`` whose child is reaped so takes its exit code for 0.
"""

import subprocess
from typing import Any, Final

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
