"""Benchmark of a cluster: the same database on its coordinator alone, and distributed."""

import asyncio
import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import uvloop

from benchmarks import load, report
from benchmarks.contestants import contestant
from benchmarks.data import ORGANIZATION, Data, fill
from benchmarks.scenarios import Scenario, scenarios
from service import demo
from service.database.migrations import migrate
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.reports import table, write_section

_WARM_UP_SECONDS: Final = 0.5
_HEADER: Final = ("request", "callers", "coordinator alone", "distributed", "ratio")
_SECTION: Final = """\
Milliseconds of a request (medians), the same data on the coordinator alone and distributed,
everything on the same two cores; by one caller, and by as many as `make bench` has:

{table}

{environment}
"""


def run(rounds: int, seconds: float) -> None:
    """Measure with the cluster of TEST_CITUS_URL, and write docs/scaling.md after each request."""
    rows = []
    with ExitStack() as stack:
        alone, distributed = stack.enter_context(_databases())
        servers = [
            (data, stack.enter_context(contestant("selvedge", data.dsn, Path())).port)
            for data in (alone, distributed)
        ]
        runner = stack.enter_context(asyncio.Runner(loop_factory=uvloop.new_event_loop))
        for scenario in _scenarios():
            taken: list[list[float]] = [[], []]
            for _ in range(rounds):
                for (data, port), times in zip(servers, taken, strict=True):
                    times.append(runner.run(_turn(data, port, scenario, seconds)) * 1e3)
            ratios = [time / base for base, time in zip(*taken, strict=True)]
            medians = [statistics.median(times) for times in taken]
            cells = [f"{value:.2f}" for value in (*medians, statistics.median(ratios))]
            rows.append([scenario.title, str(scenario.connections), *cells])
            print(*rows[-1], sep="  ", flush=True)
            _write(rows, alone.postgres)


def _write(rows: Sequence[Sequence[str]], postgres: str) -> None:
    text = _SECTION.format(table=table([_HEADER, *rows]), environment=report.environment(postgres))
    write_section(report.DOCS / "scaling.md", "make bench-cluster", text)


def _scenarios() -> Iterator[Scenario]:
    """Yield every repeatable scenario, with one caller and with the callers of `bench`."""
    for scenario in scenarios():
        if not scenario.setup:
            yield replace(scenario, connections=1)
            yield scenario


@contextmanager
def _databases() -> Iterator[tuple[Data, Data]]:
    """Fill two databases with the same data: on the coordinator alone, and distributed."""
    with template_server() as server:
        alone = fresh_database(server, "alone", "template0")
        migrate(alone)
        asyncio.run(demo.load(alone, progress=False))
        distributed = fresh_database(server, "distributed", DEMO_TEMPLATE)
        yield _filled(alone), _filled(distributed)


def _filled(dsn: str) -> Data:
    return asyncio.run(fill(dsn, asyncio.run(issue_key(dsn, ORGANIZATION))))


async def _turn(data: Data, port: int, scenario: Scenario, seconds: float) -> float:
    """Return the median response time, in seconds."""
    requests = [
        [request.encoded(data.key) for request in scenario.requests(data, number)]
        for number in range(scenario.connections)
    ]
    await load.run(port, requests, _WARM_UP_SECONDS)
    seen = await load.run(port, requests, seconds)
    assert not seen.failures, (scenario.name, seen.first_failure)
    return statistics.median(seen.latencies)
