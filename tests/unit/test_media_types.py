"""Tests of ``Content-Type``: media type and charset of a body."""

import pytest

from service.http.headers import JSON, is_sent_as

pytestmark = pytest.mark.contract("Bad input")

TAKEN = (
    "application/json",
    "Application/JSON",
    "application/json ",
    "application/json;charset=utf-8",
    'application/json; charset="UTF-8"',
    "application/json ;\tCHARSET=utf8",
    "application/json;",
    "application/json; ; charset=us-ascii;",
    'application/json; profile="https://example.com/a;b\\"c"; charset=utf-8',
)
REFUSED = (
    "",
    "json",
    "text/plain",
    "application/json, text/plain",
    "application/json-patch+json",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=latin1",
    "application/json; charset",
    'application/json; profile="open',
    "application/json (a comment)",
    "application/json;" + "(" * 500,
    "application/json" + ";" * 8000,
)


@pytest.mark.parametrize("content_type", TAKEN)
def test_json_is_taken_however_it_is_written(content_type: str) -> None:
    assert is_sent_as(content_type, JSON)


@pytest.mark.parametrize("content_type", REFUSED)
def test_everything_else_is_refused(content_type: str) -> None:
    assert not is_sent_as(content_type, JSON)
