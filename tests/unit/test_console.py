"""Tests of console output: no control characters, and JSON with the same value."""

import io

import orjson
import pytest

from service.__main__ import _print_traceback, main
from service.console import say, visible

pytestmark = pytest.mark.contract("Command line")

HOSTILE = (
    "\x1b]0;owned\x07", "\x9b31m", "a\rb", "a\nb", "\x7f", "\u202egnp.exe", "\u2066", "\u2028",
    "\udcff",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_control_characters_are_escaped(text: str) -> None:
    stream = io.StringIO()
    say(text, file=stream)
    assert stream.getvalue().isascii()
    assert stream.getvalue()[:-1].isprintable()


def test_other_text_is_printed_as_it_is() -> None:
    assert visible("Größe 3½, 日本 👩‍🔬 \\u001b") == "Größe 3½, 日本 👩‍🔬 \\u001b"


def test_json_keeps_its_values() -> None:
    record = {"name": "".join(HOSTILE[:-1])}
    assert orjson.loads(visible(orjson.dumps(record).decode())) == record


def test_wrong_usage_quotes_no_control_character(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["import", "folder", "\x1b[2J\x9b.csv"])
    errors = capsys.readouterr().err
    assert "\\u001b[2J\\u009b.csv" in errors
    assert not {"\x1b", "\x9b"} & {*errors}


def test_the_traceback_of_a_defect_has_no_password(capsys: pytest.CaptureFixture[str]) -> None:
    error = KeyError("postgresql://selvedge:hidden@db.example.com/selvedge")
    _print_traceback(KeyError, error, None)
    shown = capsys.readouterr().err
    assert "selvedge:...@db.example.com" in shown
    assert "hidden" not in shown
