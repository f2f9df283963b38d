"""Tests of the privileged parent process, and of the accounts."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from service.extras.privileges import accounts, parent_process

_WAIT = "import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def own_signals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give the test's process its signals back, and tend often."""
    monkeypatch.setattr(parent_process, "_TEND_SECONDS", 0.05)
    handlers = {number: signal.getsignal(number) for number in parent_process._FORWARDED}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _child(code: str) -> psutil.Process:
    return psutil.Process(subprocess.Popen([sys.executable, "-c", code]).pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_signals_are_forwarded_and_exit_codes_are_a_shell_s(number: signal.Signals) -> None:
    child = _child(_WAIT)
    assert parent_process._wait(child, lambda: signal.raise_signal(number)) == 128 + number


def test_the_exit_code_is_the_childs() -> None:
    assert parent_process._wait(_child("raise SystemExit(3)"), lambda: None) == 3


def test_the_child_ends_when_its_surroundings_fail() -> None:
    def fail() -> None:
        raise KeyError

    child = _child(_WAIT)
    with pytest.raises(KeyError):
        parent_process._wait(child, fail)
    assert not psutil.pid_exists(child.pid)


def test_an_account_that_cannot_be_created_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OSError, match="cannot create the account selvedge-nobody") as caught:
        accounts._account("selvedge-nobody")
    assert "\n" not in str(caught.value)
