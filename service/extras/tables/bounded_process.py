"""Bounded processes: work on files of others in a forked process with limits of time and memory.

A new interpreter would have to find the program, which an account without privileges may not. The
forked process has no files but its output, and ends by itself after its seconds of processor time.
"""

import asyncio
import os
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Final, NoReturn

import psutil

from service import limits
from service.limits import GIB, MIB

_MAX_MEMORY_BYTES: Final = 2 * GIB
"""Address space that a process may have beside that of the process that forked it."""
_MAX_OUTPUT_BYTES: Final = 512 * MIB
_COMPLETE: Final = b"\0"
"""Last byte of an output that is complete."""
_DEFECT: Final = b"\1"
"""Last byte of the traceback of work that failed."""
_POLL_SECONDS: Final = 0.005

Work = Callable[[], Iterable[bytes]]


class BoundError(Exception):
    """Work that ended before it was done: it took too long or too much memory."""


def run(work: Work) -> Iterator[bytes]:
    """Yield the lines of the output of work, when it has ended. Raise BoundError if it has not."""
    with _process(work) as (process_id, output):
        deadline = time.monotonic() + limits.WORKBOOK_SECONDS
        while _is_running(process_id, deadline):
            time.sleep(_POLL_SECONDS)
        _check(output)
        yield from (line for line in output if line != _COMPLETE)


async def output_of(work: Work) -> bytes:
    """Return the output of work, when it has ended. Raise BoundError if it has not."""
    with _process(work) as (process_id, output):
        deadline = time.monotonic() + limits.WORKBOOK_SECONDS
        while _is_running(process_id, deadline):  # noqa: ASYNC110
            await asyncio.sleep(_POLL_SECONDS)  # no event says so: the loop reaps no children
        _check(output)
        return output.read().removesuffix(_COMPLETE)


@contextmanager
def _process(work: Work) -> Iterator[tuple[int, IO[bytes]]]:
    """Run work in a process, which is killed at the end of the context."""
    with tempfile.TemporaryFile() as output:
        process_id = os.fork()
        if not process_id:
            _work(work, output)
        try:
            yield process_id, output
        finally:
            with suppress(ProcessLookupError, ChildProcessError):
                if os.waitpid(process_id, os.WNOHANG) == (0, 0):
                    os.kill(process_id, signal.SIGKILL)
                    os.waitpid(process_id, 0)


def _is_running(process_id: int, deadline: float) -> bool:
    """Return whether a process runs within its time; it stays to be waited for."""
    with suppress(ChildProcessError):
        ended = os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return ended is None and time.monotonic() < deadline
    return False


def _check(output: IO[bytes]) -> None:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(size - len(_COMPLETE), 0))
    end = output.read()
    output.seek(0)
    if end == _DEFECT:
        raise RuntimeError(output.read().decode(errors="replace"))
    if end != _COMPLETE:
        raise BoundError(
            f"the file takes more than {limits.WORKBOOK_SECONDS} s, or too much memory, to read: "
            "save its sheet as CSV UTF-8, or in several files"
        )


def _work(work: Work, output: IO[bytes]) -> NoReturn:
    """Write the output of work, and end this process without anything that others began."""
    descriptor = output.fileno()
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.closerange(0, descriptor)
        os.closerange(descriptor + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        _limit()
        with open(descriptor, "wb", buffering=MIB, closefd=False) as file:
            file.writelines(work())
            file.write(_COMPLETE)
        os._exit(0)
    except MemoryError:
        os._exit(1)
    except Exception:
        os.write(descriptor, traceback.format_exc().encode() + _DEFECT)
    finally:
        os._exit(1)


def _limit() -> None:
    bounds = {
        resource.RLIMIT_AS: psutil.Process().memory_info().vms + _MAX_MEMORY_BYTES,
        resource.RLIMIT_CPU: limits.WORKBOOK_SECONDS,
        resource.RLIMIT_FSIZE: _MAX_OUTPUT_BYTES,
        resource.RLIMIT_CORE: 0,
    }
    for limit, most in bounds.items():
        _, hard = resource.getrlimit(limit)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (bound, bound))
