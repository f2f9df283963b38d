"""Processes of the command line: `selvedge` as an operator runs it."""

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil

from service.extras.embedded.postmaster import is_running
from tests.support.command_line import CommandResult, ForkedCommand, run_command
from tests.support.time_limits import becomes, limit

_START_SECONDS = 60
_STDERR = 2
Process = subprocess.Popen[str] | ForkedCommand


def environment(data_dir: Path, **settings: str) -> dict[str, str]:
    """Return an environment with the given settings: else any free port, one worker, defaults."""
    names = (
        "DATABASE_URL",
        "HOST",
        "PORT",
        "WORKERS",
        "POOL_SIZE",
        "LOG_LEVEL",
        "CALLER_REQUESTS",
        "AUDIT_DAYS",
        "CHANGES_DAYS",
        "STOP_DELAY",
        "CORS_ORIGINS",
        "TRACES",
    )
    inherited = {name: value for name, value in os.environ.items() if name not in names}
    return {**inherited, "DATA_DIR": str(data_dir), "PORT": "0", "WORKERS": "1", **settings}


def selvedge(data_dir: Path, *arguments: str, **settings: str) -> CommandResult:
    """Run one command to its end."""
    return run_command(arguments, environment(data_dir, **settings))


class Running:
    """Process of `selvedge run` or `selvedge serve` that listens."""

    def __init__(self, process: Process, stdout: IO[str], output: str) -> None:
        self.process = process
        self.stdout = stdout
        self.output = output
        """What it printed on standard output before it served."""

    @property
    def base_url(self) -> str:
        """The address that the service listens on."""
        match = re.search(r"http://\S+", self.output)
        assert match is not None, self.output
        return match[0]

    @property
    def keys(self) -> list[str]:
        """The API keys it printed, by organization."""
        return re.findall(r"organization \d+: (\S+)", self.output)

    def family(self) -> list[psutil.Process]:
        """Return the parent, its workers and its database processes."""
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def workers(self) -> list[psutil.Process]:
        """Return the workers there are."""
        return workers(psutil.Process(self.process.pid))

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(limit(_START_SECONDS))


def workers(parent: psutil.Process) -> list[psutil.Process]:
    """Return the workers of a `selvedge` process; of root's they are its child's."""
    children = [each for each in parent.children() if each.name() != "postgres"]
    if os.geteuid() == 0:
        children = [worker for child in children for worker in child.children()]
    return [child for child in children if is_running(child)]


@contextmanager
def running(
    data_dir: Path,
    command: str = "run",
    files: int | None = None,
    log: IO[str] | None = None,
    /,
    **settings: str,
) -> Iterator[Running]:
    """Run until the context is left, if not stopped before; `files` is all it may have open.

    Its events go to `log`. The process is forked from one that has imported the service
    (`tests/support/command_line.py`): `executed` starts one that imports it.
    """
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as output:
        try:
            outputs = (writing, log.fileno() if log else _STDERR)
            arguments = ((command,), environment(data_dir, **settings))
            process = ForkedCommand(*arguments, outputs, files)
        finally:
            os.close(writing)
        with _stopped(process):
            yield _listening(process, output, command)


@contextmanager
def executed(
    data_dir: Path, command: str = "run", files: int | None = None, /, **settings: str
) -> Iterator[Running]:
    """Run as an operator does: by `python -m service` in the present folder."""
    limited = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"] if files else []
    with subprocess.Popen(
        [*limited, sys.executable, "-m", "service", command],
        env=environment(data_dir, **settings),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        with _stopped(process):
            yield _listening(process, process.stdout, command)


@contextmanager
def _stopped(process: Process) -> Iterator[None]:
    """Stop a process in the end."""
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(limit(_START_SECONDS))


def _listening(process: Process, output: IO[str], command: str) -> Running:
    """Return the service as soon as it has printed all that it prints."""
    last = "Ctrl-C" if command == "run" else "serves"
    return Running(process, output, _announcement(output, last))


def _announcement(output: IO[str], last: str) -> str:
    """Return what is printed up to the line of `last`."""
    lines = []
    for line in output:
        lines.append(line)
        if last in line:
            return "".join(lines)
    raise AssertionError("it ended before it served")


def kill(processes: Iterable[psutil.Process]) -> None:
    """End processes by SIGKILL, also such as end by themselves meanwhile; return when all are gone.

    PostgreSQL's own end as soon as the first of them is killed.
    """
    doomed = list(processes)
    for process in doomed:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    assert wait_until_gone(doomed) == []


def wait_until_gone(processes: list[psutil.Process], seconds: float = 10) -> list[psutil.Process]:
    """Return the processes that are still there after a while."""
    becomes(lambda: not any(is_running(process) for process in processes), seconds)
    return [process for process in processes if is_running(process)]


def status(url: str, key: str | None = None) -> int:
    """Return the status of the answer to a GET."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def reaches_status(url: str, expected: int, seconds: float = 15) -> bool:
    """Return whether a URL comes to answer with a status."""

    def answers() -> bool:
        with suppress(OSError):
            return status(url) == expected
        return False

    return becomes(answers, seconds)
