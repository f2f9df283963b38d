"""Tests of exit codes of children that somebody else has reaped."""

import os
import signal
import subprocess
import sys

import pytest

from service import signals

pytestmark = pytest.mark.contract("Starting")


@pytest.mark.parametrize("code", [0, 3, -signal.SIGKILL])
@pytest.mark.parametrize("is_reaped", [False, True], ids=["own", "reaped"])
def test_the_exit_code_is_kept(code: int, *, is_reaped: bool) -> None:
    process = subprocess.Popen([sys.executable, "-c", f"exit({code})"], stdin=subprocess.PIPE)
    signals.watch(process)
    if code < 0:
        process.kill()
    if is_reaped:
        process_id, status = os.waitpid(process.pid, 0)
        signals.record(process_id, os.waitstatus_to_exitcode(status))
    else:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert signals.exit_code(process) == code
    process.communicate()


def test_a_running_child_has_none() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        signals.watch(process)
        assert signals.exit_code(process) is None
        process.kill()
        process.wait()
        assert signals.exit_code(process) == -signal.SIGKILL


def test_other_children_are_not_kept() -> None:
    signals.record(2**30, 1)
    assert 2**30 not in signals._CODES
