"""Tests of misplaced API keys: they are neither logged, stored nor shown."""

import io
from urllib.parse import quote

import pytest
from yarl import URL

from service.http.access_log import ACCESS_LOG
from tests.support.api import Api
from tests.support.openapi_validation import is_failure
from tests.unit.test_masking import percent

pytestmark = pytest.mark.contract("Callers", "Log")

GROUPS = "/api/groups"
CHANGES = "/api/changes"


def forms(key: str) -> list[str]:
    """Return the key in the forms in which it may be pasted."""
    upper, cut = key.upper(), key[:-8]
    return [key, upper, cut, key[8:], key.replace("l", "%6C"), percent(key)[:128]]


@pytest.mark.contract("Request headers")
async def test_a_key_as_request_id_is_replaced(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    log, written = api.client.app[ACCESS_LOG], io.StringIO()
    monkeypatch.setattr(log, "_stream", written)
    for number, sent in enumerate(forms(api.key)):
        headers = {"X-Request-Id": sent}
        answer = await api.post(GROUPS, {"name": f"Group {number}"}, headers=headers)
        assert answer.status == 201
        assert answer.headers["X-Request-Id"] != sent
        assert len(answer.headers["X-Request-Id"]) == 32
    log.flush()
    feed = await api.get(CHANGES)
    assert len(feed.data) == len(forms(api.key))
    for sent in forms(api.key):
        assert sent not in written.getvalue()
        assert sent not in feed.raw.decode()


@pytest.mark.demo_data
async def test_no_form_of_a_key_is_logged(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    log, written = api.client.app[ACCESS_LOG], io.StringIO()
    monkeypatch.setattr(log, "_stream", written)
    names = ("User-Agent", "X-Service-Api", "X-Forwarded-For")
    for sent in forms(api.key):
        url = URL(f"{GROUPS}/{quote(sent, safe='%')}?name={sent}", encoded=True)
        async with api.client.get(url, headers=dict.fromkeys(names, sent)) as answer:
            assert answer.status == 401
    log.flush()
    lines = written.getvalue()
    assert len(lines.splitlines()) == len(forms(api.key))
    secret = api.key.rpartition("_")[2]
    for shown in (secret[8:24], secret[8:24].upper(), percent(secret[8:16])):
        assert shown not in lines


@pytest.mark.contract("Idempotency")
async def test_an_api_key_is_no_idempotency_key(api: Api) -> None:
    headers = {"Idempotency-Key": api.key}
    answer = await api.post(GROUPS, {"name": "Knit"}, headers=headers)
    is_failure(answer, 400, "validation_error.invalid_value")
    headers = {"Idempotency-Key": "0123456789abcdef" * 4}
    assert (await api.post(GROUPS, {"name": "Knit"}, headers=headers)).status == 201
