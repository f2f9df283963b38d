"""Commands of `selvedge`, forked from a process that has imported it: no start costs a second.

Every pytest worker has such a process of its own, which ``multiprocessing`` starts with the first
command and which ends with the worker, however that ends; its commands get SIGTERM then.
"""

import ctypes
import gc
import mmap
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Mapping
from multiprocessing.context import ForkServerContext
from multiprocessing.reduction import DupFd
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple

from service.__main__ import _parser, main
from tests.support import temporary_folders as temporary_folders  # copies clusters
from tests.support.time_limits import limit

_SECONDS: Final = 60
_PR_SET_PDEATHSIG: Final = 1
_MAP_FIXED: Final = 0x10
_SERVERS: Final = ("service.supervisor", "service.http.listeners", "service.extras.pages.guides")
"""What servers import before they fork a worker, and pages, which need no metrics."""
_FORKING: Final[ForkServerContext] = multiprocessing.get_context("forkserver")
_parser()  # imports the modules of all commands
_FORKING.set_forkserver_preload(["service.__main__", *_SERVERS, __name__])


class CommandResult(NamedTuple):
    """Exit code and output of a command."""

    returncode: int
    stdout: str
    stderr: str


class ForkedCommand:
    """Command that runs, with the methods of `subprocess.Popen` that tests use."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        environment: Mapping[str, str],
        outputs: tuple[int, int],
        files: int | None = None,
    ) -> None:
        """Start it with these descriptors as standard output and error.

        The present folder is its own; ``files`` is all it may have open.
        """
        call = (arguments, dict(environment), Path.cwd(), _Descriptors(outputs), files)
        self._process = _FORKING.Process(target=_run, args=call, daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid: Final = self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, or minus its signal; None while it runs."""
        return self._process.exitcode

    def wait(self, seconds: float) -> int:
        """Return the exit code as soon as it has ended; raise TimeoutError at the limit."""
        self._process.join(seconds)
        code = self.poll()
        if code is None:
            raise TimeoutError(f"process {self.pid} runs on")
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


class _Descriptors:
    """Descriptors that are sent to the forked process."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self._numbers = numbers

    def __reduce__(self) -> Any:
        return _detached, tuple(map(DupFd, self._numbers))


def _detached(*copies: Any) -> list[int]:
    return [copy.detach() for copy in copies]


def run_command(arguments: tuple[str, ...], environment: Mapping[str, str]) -> CommandResult:
    """Run one command to its end, without standard input; raise TimeoutError at the limit."""
    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        outputs = (stdout.fileno(), stderr.fileno())
        command = ForkedCommand(arguments, environment, outputs)
        try:
            code = command.wait(limit(_SECONDS))
        finally:
            command.send_signal(signal.SIGKILL)
        return CommandResult(code, _text(stdout), _text(stderr))


def _text(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode()


def _renew_shared_memory() -> None:
    """Give the process memory of its own in place of what it would share with other commands."""
    views = [each for each in gc.get_objects() if type(each) is memoryview]
    memories = {id(each.obj): each.obj for each in views if isinstance(each.obj, mmap.mmap)}
    map_memory = ctypes.CDLL(None).mmap
    map_memory.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    map_memory.restype = ctypes.c_void_p
    access = mmap.PROT_READ | mmap.PROT_WRITE
    flags = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | _MAP_FIXED
    for memory in memories.values():
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        assert map_memory(address, len(memory), access, flags, -1, 0) == address


def _run(
    arguments: tuple[str, ...],
    environment: dict[str, str],
    folder: Path,
    outputs: list[int],
    files: int | None,
) -> None:
    """Run a command in a process of its own, as ``python -m service`` would."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    _renew_shared_memory()
    for number, stream in enumerate((os.open(os.devnull, os.O_RDONLY), *outputs)):
        os.dup2(stream, number)
    # Among the others is the one by which the forking process sees the end of the tests.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8")
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["selvedge", *arguments]
    try:
        main()
    except Exception:
        sys.excepthook(*sys.exc_info())
        sys.exit(1)
