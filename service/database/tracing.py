"""OpenTelemetry traces: the tracer, and spans of waits for connections and of statements.

``service/http/tracing.py`` makes the spans of requests, above these. Both modules are imported only
when traces are on; they need the extra ``tracing``.
"""

import asyncio
import re
import time
from collections.abc import Iterable
from typing import Any, TypeVar

from asyncpg.connection import LoggedQuery
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, get_current_span

from service import __version__
from service.shares.contention import ContentionSignal
from service.shares.fair_queue import FairQueue, LeaseKind

T = TypeVar("T")
_MAX_STATEMENT_LENGTH = 2000
"""Characters of a statement's text in its span."""
_WRITE = re.compile(r"^\s*(insert|update|delete)\b", re.MULTILINE)
"""First verb of a write at the beginning of a line: a ``with`` that writes is named by it."""
_FIRST_WORD = re.compile(r"^(\w+)", re.MULTILINE)
"""First word of a statement, after any comment."""


class Traces:
    """Tracer of one worker, whose spans are exported by OTLP as the OTEL_ variables say."""

    def __init__(self) -> None:
        service = {"service.name": "selvedge", "service.version": __version__}
        # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence over these.
        resource = Resource(service).merge(Resource.create())
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(processor())
        self.tracer = self._provider.get_tracer("selvedge", __version__)

    async def end(self) -> None:
        """Export the pending spans in a thread, and stop for good."""
        await asyncio.to_thread(self._provider.shutdown)

    def fair_queue(
        self, connections: Iterable[T], timeout_seconds: float, contention: ContentionSignal
    ) -> FairQueue[T]:
        """Return a fair queue with a span for each wait of a traced request for a connection."""
        return _TracedFairQueue(connections, timeout_seconds, contention, self.tracer)

    def statement(self, query: LoggedQuery) -> None:
        """Record the span of a statement that has ended, without its parameters.

        Connections call it as a query logger. The span ends now and begins ``query.elapsed``
        seconds earlier; an exception sets its status, with the name of the class only. Statements
        outside of a traced request have no span.
        """
        if not get_current_span().get_span_context().is_valid:
            return
        end = time.time_ns()
        text = query.query.strip()
        verb = _WRITE.search(text) or _FIRST_WORD.search(text)
        span = self.tracer.start_span(
            verb[1] if verb else "statement",
            kind=SpanKind.CLIENT,
            start_time=end - int(query.elapsed * 1e9),
            attributes={
                "db.system.name": "postgresql",
                "db.query.text": text[:_MAX_STATEMENT_LENGTH],
            },
        )
        if query.exception is not None:
            span.set_status(Status(StatusCode.ERROR, type(query.exception).__name__))
        span.end(end)


def processor() -> SpanProcessor:
    """Return the processor that exports spans in batches, from a thread of its own, by OTLP."""
    return BatchSpanProcessor(OTLPSpanExporter())


class _TracedFairQueue(FairQueue[T]):
    """Fair queue with a span from a traced request's ``acquire`` to its lease, or to its error.

    A request that gets a connection at once has a span, too. Opening a connection is not in it.
    """

    def __init__(
        self,
        connections: Iterable[T],
        timeout_seconds: float,
        contention: ContentionSignal,
        tracer: Tracer,
    ) -> None:
        super().__init__(connections, timeout_seconds, contention)
        self._tracer = tracer

    async def acquire(self, organization_id: int, kind: LeaseKind) -> Any:
        if not get_current_span().get_span_context().is_valid:
            return await super().acquire(organization_id, kind)
        with self._tracer.start_as_current_span("wait for a connection"):
            return await super().acquire(organization_id, kind)
