"""Tests of the event log's formatter: JSON lines without secrets."""

import logging

import orjson
import pytest

from service.events import Incident, JsonFormatter, without_secrets

pytestmark = pytest.mark.contract("Log")

SECRET = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://selvedge:open-sesame@db/selvedge",
        "cannot use postgres://u:p@open-sesame@db:5432/selvedge?sslmode=require",
        "connection to host=db user=u password=open-sesame failed",
        "host=db password = 'open-sesame and more'",
        "postgresql://db/selvedge?user=u&password=open-sesame&sslmode=require",
        f"Bearer slv_1_22_{SECRET}",
    ],
)
def test_passwords_and_keys_are_left_out(text: str) -> None:
    shown = without_secrets(text)
    assert "open-sesame" not in shown
    assert SECRET not in shown
    assert shown.split()[0] == text.split()[0] or "..." in shown.split()[0]


def test_other_texts_are_not_masked() -> None:
    text = 'password authentication failed for user "selvedge" on db.example.com port 5432'
    assert without_secrets(text) == text


def test_control_characters_are_not_shown() -> None:
    line = JsonFormatter().format(_record("a\x9b31m b\x7f c\u202e é"))
    assert orjson.loads(line)["message"] == "a?31m b? c? é"


def test_facts_of_any_type_have_no_secrets() -> None:
    record = _record("it failed")
    secrets = [{"url": "postgresql://u:open-sesame@db/x"}, ValueError(f"slv_1_1_{SECRET}")]
    record.facts = {"tries": 3, "seconds": 1.5, "causes": secrets, "last": None}
    event = orjson.loads(JsonFormatter().format(record))
    assert (event["tries"], event["seconds"], event["last"]) == (3, 1.5, None)
    assert event["causes"][0] == {"url": "postgresql://u:...@db/x"}
    assert "open-sesame" not in str(event)
    assert SECRET not in str(event)


def _record(message: str, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("service", logging.ERROR, "", 0, message, (), info)


def test_a_traceback_is_within_the_line() -> None:
    try:
        raise ValueError(f"slv_1_1_{SECRET}\nand another line")
    except ValueError as error:
        line = JsonFormatter().format(_record("it failed", error))
    assert "\n" not in line
    event = orjson.loads(line)
    assert (event["level"], event["event"], event["message"]) == ("error", "defect", "it failed")
    assert "Traceback" in event["traceback"]
    assert "and another line" in event["traceback"]
    assert SECRET not in line


def test_lasting_incidents_are_logged_twice(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "service")
    trouble = Incident("flood", "dry", "It is dry again.")
    for _ in range(3):
        trouble.open("It rains.", inches=3)
        assert trouble.is_open
    for _ in range(3):
        trouble.close()
    begun, over = (orjson.loads(JsonFormatter().format(record)) for record in caplog.records)
    assert (begun["event"], begun["message"], begun["inches"]) == ("flood", "It rains.", 3)
    assert (over["event"], over["process"]) == ("dry", begun["process"])
