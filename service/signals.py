"""Signals that end the service wait while nobody is there yet who could take them.

Python runs a handler between any two instructions of what goes on: one that raises is lost in a
finalizer, and one that takes note does so for the process from which this one was just forked.
"""

import signal
from typing import Final

_ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def defer() -> None:
    """Have signals that come wait; so they do in processes forked meanwhile."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)


def deliver() -> None:
    """Have this process's handlers run, now for what waited."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
