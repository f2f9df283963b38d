"""A span for each request, in the trace that its caller names (W3C Trace Context)."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from service.database.tracing import Traces
from service.http.access_log import PROBES
from service.http.context import CALLER, REQUEST_ID, ROUTES
from service.masking import contains_key_start

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_PROPAGATOR = TraceContextTextMapPropagator()

# They warn of what callers send, with all of it.
for _name in ("opentelemetry.trace.span", "opentelemetry.trace.propagation.tracecontext"):
    logging.getLogger(_name).setLevel(logging.ERROR)


def traced(traces: Traces) -> Any:
    """The middleware that makes it; probes have none, and queries, bodies and keys are in none."""

    @web.middleware
    async def trace(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in PROBES:
            return await handler(request)
        route = request.app[ROUTES].get(request.match_info.route)
        path = route.path if route else "unmatched"
        with traces.tracer.start_as_current_span(
            f"{request.method} {path}",
            context=_PROPAGATOR.extract(_carrier(request)),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": request.method, "http.route": path},
        ) as span:
            response = await handler(request)
            span.set_attribute("http.response.status_code", response.status)
            span.set_attribute("selvedge.request_id", request.get(REQUEST_ID, ""))
            if CALLER in request:
                span.set_attribute("selvedge.organization", request[CALLER].organization_id)
            if response.status >= 500:
                span.set_status(Status(StatusCode.ERROR))
            return response

    return trace


def _carrier(request: web.Request) -> Mapping[str, str]:
    """Return the trace context headers. `tracestate` with an API key in it is left out."""
    names = ("traceparent", "tracestate")
    sent = {name: request.headers[name] for name in names if name in request.headers}
    if contains_key_start(sent.get("tracestate", "")):
        del sent["tracestate"]
    return sent
