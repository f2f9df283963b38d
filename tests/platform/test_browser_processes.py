"""Tests of browser processes: none outlives the test process that started it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.policy.sources import ROOT
from tests.support import reaper
from tests.support.browser import NEEDS_BROWSER
from tests.support.processes import wait_until_gone
from tests.support.time_limits import becomes, limit

#: Runs a command below a reaper, as the tests run a browser, and goes on.
_CALLER = f"""
import subprocess, sys, time
command = [sys.executable, {reaper.__file__!r}, "sh", "-c", "(setsid sleep 600 &) ; sleep 600"]
process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
print(process.pid, flush=True)
"""
_SLEEP = "time.sleep(600)\n"
_HANG = "import faulthandler; faulthandler.dump_traceback_later(0.5, exit=True)\n" + _SLEEP
_BROWSER = """
import sys, time
from pathlib import Path
from tests.support.chromium import chromium
with chromium(Path(sys.argv[1])) as driver:
    print(driver.service.process.pid, flush=True)
"""


@contextmanager
def started(source: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], psutil.Process]]:
    """Run a program that prints the id of its reaper; give both."""
    with subprocess.Popen(
        [sys.executable, "-c", source, *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as caller:
        assert caller.stdout is not None
        try:
            yield caller, psutil.Process(int(caller.stdout.readline()))
        finally:
            caller.kill()


def sleepers(process: psutil.Process) -> list[psutil.Process]:
    """Return the descendants that sleep, a detached one among them."""
    return [each for each in process.children(recursive=True) if each.name() == "sleep"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_caller_ends_everything(number: int) -> None:
    with started(_CALLER + _SLEEP) as (caller, process):
        assert becomes(lambda: len(sleepers(process)) == 2)
        family = [process, *process.children(recursive=True)]
        caller.send_signal(number)
        assert wait_until_gone(family) == []


def test_the_time_limit_of_a_test_ends_everything() -> None:
    """faulthandler ends a hanging test by _exit, which runs no finalizer."""
    with started(_CALLER + _HANG) as (caller, process):
        assert caller.wait(limit(20)) == 1
        assert wait_until_gone([process]) == []


def test_the_end_of_the_command_ends_its_detached_children() -> None:
    with started(_CALLER + _SLEEP) as (_, process):
        assert becomes(lambda: len(sleepers(process)) == 2)
        family = process.children(recursive=True)
        attached = next(each for each in family if each.name() == "sh")
        attached.kill()
        assert wait_until_gone([process, *family]) == []


@pytest.mark.thorough
@NEEDS_BROWSER
@pytest.mark.parametrize("ends", ["    raise SystemExit", "    time.sleep(600)"])
def test_no_browser_stays_behind(ends: str, tmp_path: Path) -> None:
    """The test fails, or its process is killed."""
    with started(_BROWSER + ends, str(tmp_path)) as (caller, process):
        family = [process]
        if "sleep" in ends:
            family += process.children(recursive=True)
            assert any("chromedriver" in each.name() for each in family)
            caller.kill()
        assert wait_until_gone(family) == []
        caller.wait(limit(60))
    assert not [each for each in psutil.process_iter() if is_of(each, tmp_path)]


def is_of(process: psutil.Process, profile: Path) -> bool:
    """Return whether a process is a browser with that profile."""
    try:
        return f"--user-data-dir={profile}" in process.cmdline()
    except psutil.Error:
        return False
