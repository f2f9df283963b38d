"""Tests of the parser of command-line arguments."""

import argparse
import subprocess
import sys
from collections.abc import Iterator

import pytest

from service.__main__ import _parser

pytestmark = pytest.mark.contract("Command line")


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and those of all its commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                yield from _parsers(command)


OPTIONS = [
    pytest.param(parser, option, id=f"{parser.prog} {option}")
    for parser in _parsers(_parser())
    for action in parser._actions
    if action.option_strings and action.nargs is None
    for option in action.option_strings
]


@pytest.mark.parametrize(("parser", "option"), OPTIONS)
def test_every_option_takes_a_value_with_a_hyphen(
    parser: argparse.ArgumentParser, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The value may be wrong and other arguments may be missing, but the option has its value."""
    for value in ("-Xw", "--Xw", "-1"):
        try:
            parser.parse_args([option, value])
        except SystemExit:
            errors = capsys.readouterr().err
            assert "expected one argument" not in errors
            assert "unrecognized" not in errors


def test_a_cursor_may_begin_with_a_hyphen() -> None:
    assert _parser().parse_args(["follow", "--since", "-Xw"]).since == "-Xw"
    assert _parser().parse_args(["follow", "--documents", "--since=-Xw"]).since == "-Xw"


def test_an_option_is_no_value(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parser().parse_args(["follow", "--since", "--documents"])
    assert "argument --since: expected one argument" in capsys.readouterr().err


URL = "postgresql://u:%40@host:5432/x?sslmode=require"
IMPORTS = {
    "from service.__main__ import _parser; _parser(['--help']).format_help()": (
        "{'aiohttp', 'asyncpg', 'psycopg', 'service.schemas', 'tqdm'}"
    ),
    "import service.extras.commands.serve, service.supervisor, service.app; "
    f"service.app.Settings.from_environment({{'DATABASE_URL': '{URL}'}})": (
        "{'psycopg', 'tqdm', 'yoyo'}"
    ),
}
"""What programs do not import: help takes a tenth of a second, and each worker 7 MB less."""


@pytest.mark.parametrize("program", IMPORTS)
def test_no_program_imports_what_others_need(program: str) -> None:
    program = f"import sys; {program}; print(*{IMPORTS[program]} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"\n"
