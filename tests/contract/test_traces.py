"""Tests of traces: a request, its waits and its statements (contract, Request headers)."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from service.database import tracing
from tests.support.api import Api, issue_key
from tests.support.serving import serving
from tests.support.time_limits import until

pytestmark = pytest.mark.contract("Request headers")

GROUPS = "/api/groups"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def _attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def _trace(span: ReadableSpan) -> str:
    context = span.get_span_context()
    assert context is not None
    return f"{context.trace_id:032x}"


async def test_a_request_is_a_part_of_its_callers_trace(
    demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(tracing, "processor", lambda: SimpleSpanProcessor(exporter))
    headers = {"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-Id": "first"}
    headers["tracestate"] = f"shop=slv_1_1_{TRACE * 2}"
    async with serving(demo_dsn, TRACES="on") as server, TestClient(server) as client:
        api = Api(client, await issue_key(demo_dsn, 1))
        await api.get("/readyz", headers=headers)
        assert exporter.get_finished_spans() == ()
        assert (await api.post(GROUPS, {"name": "Hush hush"}, headers=headers)).status == 201
        await until(lambda: "commit" in [span.name for span in exporter.get_finished_spans()])
        spans = exporter.get_finished_spans()
        assert (await api.get(f"{GROUPS}?name=Hush%20hush")).status == 200
        assert _trace(exporter.get_finished_spans()[-1]) != TRACE
        await api.get(GROUPS)
        await api.get(GROUPS)
    lists = [span for span in exporter.get_finished_spans() if span.name == f"GET {GROUPS}"]
    assert [_attributes(span)["selvedge.is_cached"] for span in lists] == [False, False, True]
    assert {_trace(span) for span in spans} == {TRACE}
    assert not [span.name for span in spans if TRACE * 2 in span.to_json()]
    [request] = [span for span in spans if span.name == "POST /api/groups"]
    assert request.parent
    assert f"{request.parent.span_id:016x}" == PARENT
    assert _attributes(request) == {
        "http.request.method": "POST",
        "http.route": GROUPS,
        "http.response.status_code": 201,
        "selvedge.request_id": "first",
        "selvedge.organization": 1,
    }
    names = [span.name for span in spans]
    assert {"wait for a connection", "begin", "insert", "commit"} <= {*names}
    attributes = " ".join(str(_attributes(span)) for span in exporter.get_finished_spans())
    assert api.key.split("_")[3] not in attributes
    assert "ush hush" not in attributes
    assert "Hush%20hush" not in attributes
