"""Signal masking: defers the signals that stop the service until their handlers are in place.

The signals are SIGINT, SIGTERM, SIGQUIT and SIGHUP.

Problem: Python runs a handler between any two instructions. An exception raised in a finalizer is
lost, and a process just forked would still run its parent's handlers.
"""

import signal
from typing import Final

_ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)


def defer() -> None:
    """Block the signals in this thread, and in the threads and processes that it starts.

    A forked process inherits the mask, and calls :func:`deliver` when its handlers are in place.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)


def deliver() -> None:
    """Unblock the signals in this thread; pending ones take effect at once.

    Each runs its handler, or ends the process if it has none.
    """
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
