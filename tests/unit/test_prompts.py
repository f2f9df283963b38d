"""Tests of prompts: commands that are hard to undo ask the operator."""

import io
from argparse import ArgumentParser

import pytest

from service.extras.commands import CommandError
from service.extras.commands.outages import client_from_environment
from service.extras.commands.prompts import add_yes, confirm

pytestmark = pytest.mark.contract("Command line")


class Terminal(io.StringIO):
    """Terminal with typed input."""

    def isatty(self) -> bool:
        return True


def ask(*options: str) -> None:
    parser = ArgumentParser()
    add_yes(parser)
    confirm(parser.parse_args(options), "Drop everything?")


@pytest.mark.parametrize("typed", ["y\n", " YES \n"])
def test_agreement(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    ask()


@pytest.mark.parametrize("typed", ["\n", "n\n", "yesterday\n", ""])
def test_anything_else_is_a_no(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    with pytest.raises(CommandError, match="nothing was done"):
        ask()


def test_nobody_there_is_a_no_unless_said_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(CommandError, match="--yes"):
        ask()
    ask("--yes")


def test_a_service_is_named_by_a_url_of_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELVEDGE_API_KEY", "x")
    monkeypatch.setenv("SELVEDGE_URL", "https://selvedge.example.com/api/")
    client_from_environment()
    monkeypatch.setenv("SELVEDGE_URL", "selvedge.example.com")
    with pytest.raises(CommandError, match="SELVEDGE_URL: use a URL such as"):
        client_from_environment()
