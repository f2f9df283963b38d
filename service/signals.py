"""Signal masking: defers the signals that stop the service until their handlers are in place.

Problem: Python runs a handler between any two instructions. An exception raised in a finalizer is
lost, and a process just forked would still run its parent's handlers.
"""

import signal
from typing import Final

_ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def defer() -> None:
    """Block the signals, in this process and in those forked from now on."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)


def deliver() -> None:
    """Unblock the signals; the handlers of this process run at once for those that are pending."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
