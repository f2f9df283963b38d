"""Parent process of root: forks a child under another account, forwards signals to it and waits.

Root's process stays to tend the embedded PostgreSQL server and to close temporary access.
"""

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, NoReturn

import psutil

from service import signals
from service.extras.privileges.accounts import Account, become

_FORWARDED: Final = (
    *(signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGTTIN, signal.SIGTTOU),
)
_TEND_SECONDS: Final = 1
"""Interval of the calls of ``tend``."""


def run_as(
    account: Account,
    work: Callable[[Callable[[], None]], NoReturn],
    tend: Callable[[], None],
    sockets: Iterable[socket.socket],
) -> int:
    """Run work in a child process of the account, and return its exit code as a shell reports it.

    The work must not return, but raise SystemExit. It gets a function to call about once a second,
    which ends it when this process has gone. ``tend`` is called about once a second in this
    process; if it raises, the child is stopped by SIGTERM and waited for, and the exception goes
    on. A child ended by signal n gives 128 + n. This process closes the sockets, which the child
    inherits, and keeps the handlers that forward signals. An OSError of the switch to the account
    is raised in the child.
    """
    sys.stdout.flush()
    parent = os.getpid()
    signals.defer()
    child = os.fork()
    if child == 0:
        signals.deliver()
        become(account)
        work(lambda: _end_without(parent))
    for listener in sockets:
        listener.close()
    return _wait(psutil.Process(child), tend)


def _wait(child: psutil.Process, tend: Callable[[], None]) -> int:
    """Forward signals to the child until it ends; return its exit code as a shell reports it.

    If ``tend`` raises, stop the child, wait for its end and raise.
    """
    for forwarded in _FORWARDED:
        signal.signal(forwarded, lambda number, _: _signal(child, number))
    signals.deliver()
    try:
        while True:
            with suppress(psutil.TimeoutExpired):
                code = int(child.wait(_TEND_SECONDS))
                return code if code >= 0 else 128 - code
            tend()
    except BaseException:
        _signal(child, signal.SIGTERM)
        child.wait()
        raise


def _end_without(parent: int) -> None:
    """End this process and its workers by SIGQUIT if the parent has gone; nothing else would."""
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGQUIT)


def _signal(process: psutil.Process, number: int) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)
