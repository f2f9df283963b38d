"""Tests of representations: content coding, caching, repeated headers (RFC 9110)."""

import zlib
from collections.abc import Mapping
from typing import Any

import pytest

from service.http.headers import MERGE_PATCH
from tests.support.api import JSON, JSON_PATCH, Answer, Api
from tests.support.openapi_validation import is_failure
from tests.support.raw_http import exchange, head

GROUPS = "/api/groups"
CHANGE = [{"op": "replace", "path": "/colorNote", "value": "Changed"}]


@pytest.fixture
async def record_path(shared_api: Api) -> str:
    """The path of a new color whose answers are long enough to be compressed."""
    body = {"name": "Long", "colorReference": "x" * 900, "userDefinedId": "y" * 450}
    return str((await shared_api.post("/api/colors", body)).headers["Location"])


async def read(api: Api, path: str, *fields: str, method: str = "GET") -> Answer:
    """Return a read with exactly these headers; what is compressed is taken apart."""
    answer = await exchange(api, head(api, method, path, *fields))
    if "Content-Encoding" not in answer.headers:
        return answer
    return Answer(answer.status, answer.headers, zlib.decompress(answer.raw, wbits=47))


@pytest.mark.contract("Envelope", "Preconditions")
async def test_each_coding_has_its_own_strong_tag(shared_api: Api, record_path: str) -> None:
    plain = await read(shared_api, record_path)
    packed = await read(shared_api, record_path, "Accept-Encoding: gzip")
    deflated = await read(shared_api, record_path, "Accept-Encoding: deflate")
    assert plain.raw == packed.raw == deflated.raw
    tags = [answer.headers["ETag"] for answer in (plain, packed, deflated)]
    assert len(set(tags)) == 3
    assert all(tag.startswith('"') for tag in tags)
    assert {answer.headers["Vary"] for answer in (plain, packed, deflated)} == {"Accept-Encoding"}


@pytest.mark.contract("Preconditions")
async def test_a_caller_has_what_it_would_get(shared_api: Api, record_path: str) -> None:
    """A 304 speaks of the representation that its request selects, and says so (15.4.5)."""
    for accepted in ("identity", "gzip", "deflate"):
        tag = (await read(shared_api, record_path, f"Accept-Encoding: {accepted}")).headers["ETag"]
        for coding in ("identity", "gzip", "deflate"):
            fields = (f"Accept-Encoding: {coding}", f"If-None-Match: {tag}")
            answer = await exchange(shared_api, head(shared_api, "GET", record_path, *fields))
            assert answer.status == (304 if coding == accepted else 200)
            assert answer.headers["Vary"] == "Accept-Encoding"
            assert answer.headers["Cache-Control"] == "private, no-cache"
            assert (answer.headers["ETag"] == tag) == (coding == accepted)


@pytest.mark.contract("Preconditions")
async def test_a_write_takes_the_tag_of_any_coding(shared_api: Api, record_path: str) -> None:
    for accepted in ("gzip", "identity", "deflate"):
        tag = (await read(shared_api, record_path, f"Accept-Encoding: {accepted}")).headers["ETag"]
        change = [{"op": "replace", "path": "/colorNote", "value": accepted}]
        refused = await shared_api.patch(record_path, change, headers={"If-None-Match": tag})
        is_failure(refused, 412, "precondition_failed")
        patched = await shared_api.patch(record_path, change, headers={"If-Match": tag})
        assert patched.status == 200
        stale = await shared_api.patch(record_path, change, headers={"If-Match": tag})
        is_failure(stale, 412, "precondition_failed")


@pytest.mark.contract("Request headers")
async def test_lines_of_a_header_are_one_list(shared_api: Api, record_path: str) -> None:
    tag = (await read(shared_api, record_path)).headers["ETag"]
    fields = ('If-None-Match: "x"', f"If-None-Match: {tag}")
    assert (await exchange(shared_api, head(shared_api, "GET", record_path, *fields))).status == 304
    packed = await read(shared_api, record_path, "Accept-Encoding: br", "Accept-Encoding: gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    body = b'[{"op":"replace","path":"/colorNote","value":"Lines"}]'
    sent = (f"Content-Type: {JSON_PATCH}", f"Content-Length: {len(body)}")
    for fields, status in (
        (('If-None-Match: "x"', f"If-None-Match: {tag}"), 412),
        (("Content-Encoding: identity", "Content-Encoding: gzip"), 415),
        (('If-Match: "x"', f"If-Match: {tag}"), 200),
        (('If-Match: "x"', 'If-Match: "y"'), 412),
    ):
        raw = head(shared_api, "PATCH", record_path, *sent, *fields) + body
        assert (await exchange(shared_api, raw)).status == status, fields


@pytest.mark.contract("Request headers")
async def test_two_keys_are_none(shared_api: Api) -> None:
    for second in (shared_api.key, "other"):
        raw = head(shared_api, "GET", GROUPS, f"Authorization: Bearer {second}")
        answer = await exchange(shared_api, raw)
        is_failure(answer, 401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'


@pytest.mark.contract("Request headers")
async def test_two_idempotency_keys_are_refused(shared_api: Api) -> None:
    for body, total in ((b'{"name":"Two keys"}', None), (b'[{"name":"Two keys"}]', 1)):
        fields = (f"Content-Type: {JSON}", f"Content-Length: {len(body)}")
        keys = ("Idempotency-Key: two-keys", "Idempotency-Key: two-keys")
        answer = await exchange(shared_api, head(shared_api, "POST", GROUPS, *fields, *keys) + body)
        is_failure(answer, 400, "validation_error.duplicate")
        assert answer.details == [("validation_error.duplicate", "Idempotency-Key")]
        assert answer.json["error"].get("total_items") == total
    assert (await shared_api.get(GROUPS, {"name": "Two keys"})).data == []


@pytest.mark.contract("Envelope")
async def test_answers_are_for_their_callers_alone(shared_api: Api, record_path: str) -> None:
    for path, key in (
        (record_path, shared_api.key),
        (GROUPS, shared_api.key),
        (f"{GROUPS}?colour=1", shared_api.key),
        ("/api/nothing", shared_api.key),
        (GROUPS, "nobody"),
    ):
        answer = await Api(shared_api.client, key).get(path)
        assert answer.headers["Cache-Control"] == "private, no-cache", path
    written = await shared_api.patch(record_path, CHANGE)
    assert written.headers["Cache-Control"] == "private, no-cache"


def takes(headers: Mapping[str, Any]) -> str | None:
    """Return the media types that PATCH accepts."""
    return headers.get("Accept-Patch")


@pytest.mark.contract("Preconditions")
async def test_accept_patch_names_the_media_types(shared_api: Api, record_path: str) -> None:
    """RFC 5789, 2.2 and 3.1."""
    both = f"{JSON_PATCH}, {MERGE_PATCH}"
    assert takes((await shared_api.get(record_path)).headers) == both
    assert takes((await shared_api.call("OPTIONS", record_path)).headers) == both
    assert takes((await shared_api.call("POST", record_path)).headers) == both
    assert takes((await shared_api.call("OPTIONS", GROUPS)).headers) == MERGE_PATCH
    refused = await shared_api.patch(record_path, CHANGE, content_type=JSON)
    is_failure(refused, 415, "unsupported_media_type")
    assert takes(refused.headers) == both
    assert takes((await shared_api.put(record_path, {}, content_type="text/plain")).headers) is None
    assert takes((await shared_api.get("/api/languages/1")).headers) is None
    assert takes((await shared_api.call("PUT", "/api/languages/1")).headers) is None
