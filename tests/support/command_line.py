"""Commands of `selvedge`, forked from a process that has imported it: no start costs a second."""

import multiprocessing
import os
import sys
from collections.abc import Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from service.__main__ import _parser, main
from tests.support.time_limits import limit

_SECONDS: Final = 60
_FORKING: Final[ForkServerContext] = multiprocessing.get_context("forkserver")
_parser()  # imports the modules of all commands
_FORKING.set_forkserver_preload(["service.__main__", __name__])


class CommandResult(NamedTuple):
    """Exit code and output of a command."""

    returncode: int
    stdout: str
    stderr: str


def run_command(arguments: tuple[str, ...], environment: Mapping[str, str]) -> CommandResult:
    """Run one command to its end, without standard input; raise TimeoutError at the limit."""
    with TemporaryDirectory() as folder:
        outputs = [Path(folder, name) for name in ("stdout", "stderr")]
        call = (arguments, dict(environment), Path.cwd(), outputs)
        process = _FORKING.Process(target=_run, args=call)
        process.start()
        process.join(limit(_SECONDS))
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(arguments)
        return CommandResult(process.exitcode, *(path.read_text("utf-8") for path in outputs))


def _run(
    arguments: tuple[str, ...], environment: dict[str, str], folder: Path, outputs: list[Path]
) -> None:
    """Run a command in a process of its own, as ``python -m service`` would."""
    streams = [os.open(os.devnull, os.O_RDONLY)]
    streams += [os.open(path, os.O_WRONLY | os.O_CREAT) for path in outputs]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
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
