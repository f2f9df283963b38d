"""Root's part while another account serves: start it, wait, pass signals on, clean up after it."""

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, NoReturn

import psutil

from service import signals
from service.privileges.accounts import Account, become

_PASSED_ON: Final = (
    *(signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGTTIN, signal.SIGTTOU),
)
_TEND_SECONDS: Final = 1


def run_as(
    account: Account,
    work: Callable[[Callable[[], None]], NoReturn],
    tend: Callable[[], None],
    theirs: Iterable[socket.socket],
) -> int:
    """Do work in a child of that account, wait, and return its exit code as a shell has it.

    The work has to call what it is given about once a second, which is how often `tend` is called
    here; when that raises, the child is ended first. The sockets are the child's alone.
    """
    sys.stdout.flush()
    parent = os.getpid()
    signals.defer()
    child = os.fork()
    if child == 0:
        signals.deliver()
        become(account)
        work(lambda: _end_without(parent))
    for each in theirs:
        each.close()
    return _keep(psutil.Process(child), tend)


def _keep(child: psutil.Process, tend: Callable[[], None]) -> int:
    for number in _PASSED_ON:
        signal.signal(number, lambda number, _: _signal(child, number))
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
    """End this process and its workers when the parent is gone: nobody else would."""
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGQUIT)


def _signal(process: psutil.Process, number: int) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)
