"""Tests of raw bytes on a socket that are no complete request (contract, Bad input)."""

import asyncio
import io
import re
from typing import Any, NoReturn

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from yarl import URL

from service.http import request_body
from service.http.access_log import ACCESS_LOG
from tests.support import parametrize
from tests.support.api import Answer, Api
from tests.support.openapi_validation import is_failure
from tests.support.raw_http import answered, connected, exchange, head
from tests.support.sampling import Sample
from tests.support.time_limits import within

pytestmark = pytest.mark.contract("Bad input")

GROUPS = "/api/groups"
SECRET = b"slv_1_1_5ec2e7"
KEY = b"Host: here\r\nAuthorization: Bearer %b\r\n" % SECRET
GET = b"GET /api/groups HTTP/1.1\r\n" + KEY
POST = b"POST /api/groups HTTP/1.1\r\n" + KEY

MALFORMED = (400, "malformed_request")
REFUSED: dict[str, tuple[bytes, tuple[int, str]]] = {
    "no HTTP": (b"%b\r\n\r\n" % SECRET, MALFORMED),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", MALFORMED),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", MALFORMED),
    "another version": (b"GET /api/groups HTTP/2.0\r\n" + KEY + b"\r\n", MALFORMED),
    "an earlier version": (b"GET /api/groups HTTP/0.9\r\n" + KEY + b"\r\n", MALFORMED),
    "a later version": (b"GET / HTTP/3.0\r\n" + KEY + b"\r\n", MALFORMED),
    "a target that is none": (b"GET %b HTTP/1.1\r\n" % SECRET + KEY + b"\r\n", MALFORMED),
    "a header without a name": (GET + b"no header\r\n\r\n", MALFORMED),
    "a NUL in a header": (GET + b"X-A: %b\0\r\n\r\n" % SECRET, MALFORMED),
    "no host": (b"GET /api/groups HTTP/1.1\r\n\r\n", MALFORMED),
    "two hosts": (GET + b"Host: there\r\n\r\n", MALFORMED),
    "two lengths": (POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", MALFORMED),
    "a length below zero": (POST + b"Content-Length: -2\r\n\r\n{}", MALFORMED),
    "a length and chunks": (
        POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        MALFORMED,
    ),
    "a body without an end": (POST + b"Transfer-Encoding: gzip\r\n\r\n{}", MALFORMED),
    "chunks in an earlier version": (
        b"POST /api/groups HTTP/1.0\r\n" + KEY + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        MALFORMED,
    ),
    "quotation marks": (b"-" + b"b'" * 24_000 + b" /x\r\n\r\n", MALFORMED),
    "a long target": (
        b"GET /%b%b HTTP/1.1\r\n" % (SECRET, b"x" * 40_000) + KEY,
        (414, "uri_too_long"),
    ),
    "a target of megabytes": (b"GET /" + b"x" * 4_000_000, (414, "uri_too_long")),
    "a long header": (GET + b"X-A: %b\r\n\r\n" % (b"x" * 9000), (431, "headers_too_large")),
    "a long name of a header": (GET + b"x" * 9000 + b": 1\r\n\r\n", (431, "headers_too_large")),
    "many headers": (GET + b"X-A: 1\r\n" * 200 + b"\r\n", (431, "headers_too_large")),
    "an unknown method": (b"BREW /api/groups HTTP/1.1\r\n" + KEY, (501, "not_implemented")),
    "a method in lower case": (b"get /api/groups HTTP/1.1\r\n" + KEY, (501, "not_implemented")),
}


def assert_reveals_nothing(answer: Answer) -> None:
    """Raise if the answer tells what is served by, or what was sent."""
    head = b"\n".join(f"{name}: {text}".encode() for name, text in answer.headers.items())
    for word in (b"aiohttp", b"python", b"server", b"selvedge", SECRET, b"xxxx", b"brew"):
        assert word not in (head + answer.raw).lower()


@pytest.mark.contract("Limits", "Error types")
@pytest.mark.parametrize(("raw", "expected"), REFUSED.values(), ids=REFUSED)
async def test_malformed_requests_get_the_error_envelope(
    raw: bytes, expected: tuple[int, str], shared_api: Api
) -> None:
    async with connected(shared_api) as (reader, writer):
        writer.write(raw)
        answer = await answered(reader)
        is_failure(answer, *expected)
        assert len(answer.json["error"]["details"]) == 1
        assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-Id"])
        assert answer.headers["Connection"] == "close"
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert_reveals_nothing(answer)
        async with within(5):
            assert await reader.read() == b""


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_request_in_pieces_is_refused_as_well(size: int, shared_api: Api) -> None:
    for raw, expected in list(REFUSED.values())[1:14]:
        async with connected(shared_api) as (reader, writer):
            for start in range(0, min(len(raw), 50_000), size if len(raw) < 1000 else 10_000):
                writer.write(raw[start : start + max(size, 10_000 if len(raw) >= 1000 else size)])
                await asyncio.sleep(0)
            answer = await answered(reader)
            assert answer.status == expected[0], raw[:60]
            assert_reveals_nothing(answer)


async def test_the_answer_reaches_who_is_still_sending(shared_api: Api) -> None:
    """A connection that is closed at once would be reset, and the answer with it."""
    async with connected(shared_api) as (reader, writer):
        for _ in range(40):
            writer.write(b"x" * 50_000)
            await asyncio.sleep(0.005)
        is_failure(await answered(reader), *MALFORMED)


async def test_a_good_request_before_a_bad_one_is_answered(shared_api: Api) -> None:
    async with connected(shared_api) as (reader, writer):
        writer.write(head(shared_api, "GET", GROUPS))
        await asyncio.sleep(0.005)
        writer.write(b"NONSENSE\r\n\r\n")
        assert (await answered(reader)).status == 200
        is_failure(await answered(reader), *MALFORMED)


@pytest.mark.contract("Log", "Health")
async def test_refusals_are_logged_and_counted(
    monkeypatch: pytest.MonkeyPatch, shared_api: Api
) -> None:
    log, written = shared_api.client.app[ACCESS_LOG], io.StringIO()
    monkeypatch.setattr(log, "_stream", written)
    monkeypatch.setattr(log, "_is_enabled", True)
    answer = await exchange(shared_api, b"%b\r\n\r\n" % SECRET)
    await asyncio.sleep(0)
    log.flush()
    [line] = map(orjson.loads, written.getvalue().splitlines())
    assert (line["request_id"], line["status"]) == (answer.headers["X-Request-Id"], 400)
    assert SECRET.decode() not in written.getvalue()


@pytest.mark.parametrize("pause", [0, 0.05])
async def test_chunks_that_break_end_the_request(
    pause: float, shared_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The head is a request already: its body breaks off."""
    monkeypatch.setattr(request_body, "BODY_IDLE_SECONDS", 60)
    fields = ("Content-Type: application/json", "Transfer-Encoding: chunked")
    async with connected(shared_api) as (reader, writer):
        for part in (head(shared_api, "POST", GROUPS, *fields), b'4\r\n{"na\r\n', b"nonsense\r\n"):
            writer.write(part)
            await asyncio.sleep(pause)
        answer = await answered(reader)
        is_failure(answer, 400, answer.json["code"])
        assert answer.headers["Connection"] == "close"
        async with within(5):
            assert await reader.read() == b""


async def test_a_body_that_breaks_after_its_answer_is_no_defect(
    shared_api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    """Callers without a key could fill the log otherwise."""
    stranger = Api(shared_api.client, "nobody")
    for method in ("POST", "GET"):
        async with connected(stranger) as (reader, writer):
            writer.write(head(stranger, method, GROUPS, "Transfer-Encoding: chunked"))
            is_failure(await answered(reader), 401, "unauthorized")
            writer.write(b"nonsense\r\n")
            async with within(5):
                assert await reader.read() == b""
    # asyncio warns of what other tests write to connections that have ended.
    assert {each.message for each in caplog.records} <= {"socket.send() raised exception."}


@pytest.mark.parametrize("name", ["Content-Type", "Host"])
async def test_a_header_that_is_repeated_is_named(name: str, shared_api: Api) -> None:
    fields = {"Content-Type": "application/json", "Content-Length": "2", "Host": "there"}
    lines = [f"{header}: {value}" for header, value in fields.items() if header != "Host"]
    sent = head(shared_api, "PUT", GROUPS, *lines, f"{name}: {fields[name]}")
    answer = await exchange(shared_api, sent + b"[]")
    assert (answer.status, answer.details) == (400, [("malformed_request", name)])
    [row] = answer.json["error"]["details"]
    assert row["value"] == "Give this header once."


@pytest.mark.parametrize(
    "coding", ["gzip, chunked", "nonsense, chunked", "chunked, chunked", "chunked, gzip"]
)
async def test_other_transfer_codings_are_not_implemented(coding: str, shared_api: Api) -> None:
    """RFC 9112, 6.1: read as plain, what is compressed would be stored as it came."""
    body = b'd\r\n{"name":"Te"}\r\n0\r\n\r\n'
    fields = ("Content-Type: application/json", f"Transfer-Encoding: {coding}")
    answer = await exchange(shared_api, head(shared_api, "POST", GROUPS, *fields) + body)
    expected = {"chunked, gzip": (400,), "chunked, chunked": (400, 501)}.get(coding, (501,))
    assert answer.status in expected
    is_failure(answer, answer.status, answer.json["code"])
    assert answer.headers["Connection"] == "close"
    plain = ("Content-Type: application/json", "Transfer-Encoding: Chunked")
    taken = await exchange(shared_api, head(shared_api, "POST", GROUPS, *plain) + body)
    assert taken.status == 201, taken.raw


@pytest.mark.parametrize("target", ["/" * 32_000, "/api/groups" + "/" * 32_000, "/a" * 16_000])
async def test_a_path_of_slashes_is_no_route(
    target: str, shared_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """aiohttp's router would look at each of its beginnings: a tenth of a second, without a key."""

    def look(*_: object) -> NoReturn:
        raise AssertionError("The router looks.")

    monkeypatch.setattr(web.UrlDispatcher, "resolve", look)
    answer = await exchange(shared_api, head(shared_api, "GET", target))
    is_failure(answer, 404, "not_found.route")
    stranger = Api(shared_api.client, "nobody")
    is_failure(await exchange(stranger, head(stranger, "GET", target)), 401, "unauthorized")


EXPECTING = ("Expect: 100-continue", "Content-Type: application/json")
EARLY: list[tuple[str, str, tuple[str, ...], int]] = [
    ("POST", "/api/nothing", ("Content-Length: 9",), 404),
    ("PATCH", "/api/languages", ("Content-Length: 9",), 405),
    ("POST", GROUPS, ("Content-Length: 8388609",), 413),
    ("PUT", f"{GROUPS}/1", ("Content-Encoding: br", "Content-Length: 9"), 415),
    ("POST", GROUPS, ("Expect: a-miracle", "Content-Length: 9"), 417),
]


@pytest.mark.contract("Request headers")
@pytest.mark.parametrize(("method", "path", "fields", "status"), EARLY)
async def test_refused_requests_get_no_100_continue(
    method: str, path: str, fields: tuple[str, ...], status: int, shared_api: Api
) -> None:
    answer = await exchange(shared_api, head(shared_api, method, path, *EXPECTING, *fields))
    is_failure(answer, status, answer.json["code"])
    assert answer.headers["Connection"] == "close"


@pytest.mark.contract("Request headers")
async def test_callers_without_permission_get_no_100_continue(
    shared_api: Api, shared_reader: Api
) -> None:
    fields = (*EXPECTING, "Content-Length: 9")
    stranger = Api(shared_api.client, "nobody")
    for api, status in ((stranger, 401), (shared_reader, 403)):
        answer = await exchange(api, head(api, "POST", GROUPS, *fields))
        is_failure(answer, status, answer.json["code"])


@pytest.mark.contract("Request headers")
async def test_permitted_callers_get_100_continue(shared_api: Api) -> None:
    body = b'{"name":"Expected"}'
    for expected in ("100-continue", "100-Continue"):
        fields = ("Content-Type: application/json", f"Content-Length: {len(body)}")
        async with connected(shared_api) as (reader, writer):
            for _ in range(2):
                writer.write(head(shared_api, "POST", GROUPS, f"Expect: {expected}", *fields))
                async with within(5):
                    interim = await reader.readuntil(b"\r\n\r\n")
                assert interim == b"HTTP/1.1 100 Continue\r\n\r\n"
                writer.write(body)
                answer = await answered(reader)
                assert answer.status == 201
                assert "Connection" not in answer.headers


@pytest.mark.contract("Request headers")
async def test_other_expectations_are_not_met(shared_api: Api) -> None:
    for lines in (("Expect: a-miracle",), ("Expect: 100-continue", "Expect: more")):
        answer = await exchange(shared_api, head(shared_api, "GET", GROUPS, *lines))
        is_failure(answer, 417, "expectation_failed")
        assert answer.details == [("expectation_failed", "Expect")]


async def test_unreserved_characters_may_be_encoded(api: Api, sample: Sample) -> None:
    """RFC 3986, 6.2.2.2: such a path is the same."""
    router, others = api.client.app.router, []

    async def resolved(method: str, path: str) -> Any:
        request = make_mocked_request(method, path)
        request._rel_url = URL(path, encoded=True)  # as the parser leaves it
        match = await router.resolve(request)
        error = match.http_exception
        return (error.status if error else match.route), dict(match), request.path

    for route in sample(parametrize.ROUTES, 50):
        path = re.sub(r"{\w+}", "a-b_c~1.2", route.path)
        encoded = re.sub(r"[^/]", lambda character: f"%{ord(character[0]):02x}", path)
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            if await resolved(method, encoded) != await resolved(method, path):
                others.append(f"{method} {path}")
    assert others == []
    reserved = "/api/groups/userDefinedId=a%2fb%25%36d"
    assert (await resolved("GET", reserved))[1] == {"id": "userDefinedId=a/b%6d"}
    assert (await exchange(api, head(api, "GET", "/%68ealthz"))).status == 200
