"""Tests of headers and queries that are short to send and slow to parse (Bad input)."""

import pytest

from service.error_types import ErrorType
from service.limits import MAX_PARAMETERS
from tests.support.api import Api
from tests.support.openapi_validation import is_failure
from tests.support.processor_time import LeastTime
from tests.support.raw_http import exchange, head

pytestmark = pytest.mark.contract("Bad input")

GROUPS = "/api/groups"
CPU_SECONDS = 0.15
"""Of the whole process; with aiohttp's reading the worst of these took three times as long."""
#: Every header that aiohttp or this service reads a meaning from.
READ = (
    "Accept", "Accept-Charset", "Accept-Encoding", "Access-Control-Request-Method", "Content-Type",
    "Content-Disposition", "Content-Encoding", "Cookie", "Expect", "Forwarded", "If-Match",
    "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Link", "Origin",
    "Prefer", "Range", "Referer", "TE", "Trailer", "X-Forwarded-For", "X-Request-Id",
    "X-Service-Api",
)  # fmt: skip
HOSTILE = {
    "Content-Type": "application/json",
    "Cookie": "a=b",
    "Range": "bytes=0-1",
    "If-Modified-Since": "Fri, 20 Nov 2026 09:18:00 GMT",
    "Forwarded": 'for="a"',
}
ENDS = (";" * 8000, ";" + "(" * 500, ' "' * 3900, "=\\" * 3900, "," + " " * 7900 + "x")


@pytest.mark.measures
@pytest.mark.parametrize("end", ENDS, ids=["semicolons", "comments", "quotes", "escapes", "blanks"])
@pytest.mark.parametrize("name", READ)
async def test_no_header_takes_long(name: str, end: str, shared_api: Api) -> None:
    fields = [f"{name}: {HOSTILE.get(name, '')}{end}", "Content-Length: 2"]
    if name != "Content-Type":
        fields.append("Content-Type: application/json")
    used = LeastTime()
    for _ in used.attempts():
        answer = await exchange(shared_api, head(shared_api, "POST", GROUPS, *fields) + b"{}")
        assert answer.status in (400, 412, 415, 417)
    assert used.seconds < CPU_SECONDS


@pytest.mark.parametrize("end", ENDS[:2], ids=["semicolons", "comments"])
async def test_a_content_type_in_parts_is_refused(end: str, shared_api: Api) -> None:
    fields = (f"Content-Type: application/json{end}", "Content-Length: 2")
    answer = await exchange(shared_api, head(shared_api, "POST", GROUPS, *fields) + b"{}")
    is_failure(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    "path", [GROUPS, f"{GROUPS}/1", "/api/changes", "/api/colors", "/healthz", "/openapi.json"]
)
async def test_parameters_are_counted_before_they_are_read(path: str, shared_api: Api) -> None:
    for name in ("id=1", "", "colour"):
        query = "&".join([name] * MAX_PARAMETERS)
        answer = await exchange(shared_api, head(shared_api, "GET", f"{path}?{query}"))
        assert answer.status == 200 or "too_many_parameters" not in answer.json["code"]
        answer = await exchange(shared_api, head(shared_api, "GET", f"{path}?{query}&a"))
        is_failure(answer, 400, "validation_error.too_many_parameters")
        assert answer.json["error"]["details"][0]["value"] == ErrorType.TOO_MANY_PARAMETERS.message


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("filter[0].property=id&filter[0].operator=in&filter[0].value=" + "x," * 15_000, None),
        ("filter[0].property=id&filter[0].value=x", None),
        ("id=x&id=y&id=1&id=z", "id"),
    ],
)
async def test_values_of_a_parameter_fail_once(
    query: str, field: str | None, shared_api: Api
) -> None:
    answer = await exchange(shared_api, head(shared_api, "GET", f"{GROUPS}?{query}"))
    is_failure(answer, 400, "validation_error.invalid_value")
    assert [row["field"] for row in answer.json["error"]["details"]] == [field or "filter[0].value"]
