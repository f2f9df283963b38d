"""Tracing middleware: a span per request, in the caller's trace (W3C Trace Context).

It needs the optional extra ``tracing``, so it is imported only if tracing is switched on.
"""

import logging
from collections.abc import Mapping

from aiohttp import web
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from service.database.tracing import Traces
from service.http.access_log import PROBES
from service.http.context import CALLER, IS_CACHED, REQUEST_ID, ROUTES
from service.http.envelope import ApiResponse
from service.http.router import Handler, Middleware
from service.masking import contains_key_start

_PROPAGATOR = TraceContextTextMapPropagator()

# These log invalid headers of callers in full.
for _name in ("opentelemetry.trace.span", "opentelemetry.trace.propagation.tracecontext"):
    logging.getLogger(_name).setLevel(logging.ERROR)


def traced(traces: Traces, middleware: Middleware) -> Middleware:
    """Return the middleware with a span around it, which so includes the sending.

    Health checks and metrics (``PROBES``) have no span. A span has method, route, status, request
    id, organization and use of the response cache. It has no query string and no body. It has no
    API key, unless ``_carrier`` fails to detect one. A span is in the trace of a valid
    ``traceparent``, else it begins a trace. Responses of 500 and above mark it as an error.
    """

    async def trace(request: web.Request, handler: Handler) -> ApiResponse:
        if request.path in PROBES:
            return await middleware(request, handler)
        route = request.app[ROUTES].get(request.match_info.route)
        path = route.path if route else "unmatched"
        with traces.tracer.start_as_current_span(
            f"{request.method} {path}",
            context=_PROPAGATOR.extract(_carrier(request)),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": request.method, "http.route": path},
        ) as span:
            response = await middleware(request, handler)
            span.set_attribute("http.response.status_code", response.status)
            span.set_attribute("selvedge.request_id", request.get(REQUEST_ID, ""))
            if CALLER in request:
                span.set_attribute("selvedge.organization", request[CALLER].organization_id)
            if IS_CACHED in request:
                span.set_attribute("selvedge.is_cached", request[IS_CACHED])
            if response.status >= 500:
                span.set_status(Status(StatusCode.ERROR))
            return response

    return trace


def _carrier(request: web.Request) -> Mapping[str, str]:
    """Return the trace context headers; drop the whole ``tracestate`` if it contains an API key.

    A key in Base64 and a part of a secret are not detected.
    """
    names = ("traceparent", "tracestate")
    headers = {name: request.headers[name] for name in names if name in request.headers}
    if contains_key_start(headers.get("tracestate", "")):
        del headers["tracestate"]
    return headers
