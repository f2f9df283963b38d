"""Soak test: mixed load at 64 connections for minutes; memory, errors and latencies.

It runs with two workers, as by default on two cores, and with one: two workers, PostgreSQL and the
load generator get unequal shares of two cores, so responses of one worker are later.
"""

import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import psutil
import uvloop

from benchmarks import load, report
from benchmarks.contestants import contestant, tree_seconds
from benchmarks.data import Data
from benchmarks.load import Measured
from benchmarks.scenarios import scenarios
from tests.support.processes import workers as workers_of
from tests.support.reports import table, write_section

#: Number of connections by scenario, together 64, mostly reads.
_MIX: Final = {
    "relations": 24,
    "colors": 12,
    "measurement": 12,
    "patch": 12,
    "put": 2,
    "put-fields": 2,
}
_WORKERS: Final = (2, 1)
_PROBES: Final = 120
_MOST_GROWTH: Final = 1.05
"""Largest mean memory of the last quarter, as a multiple of that of the second one."""
_WARM_UP_MINUTES: Final = 1
"""Memory may grow in runs whose second quarter begins earlier."""
_HEADER: Final = (
    *("scenario", "workers", "connections", "answers", "errors"),
    *("median ms", "p99 ms", "p99 / median"),
)
_SECTION: Final = """\
## Under load for long

{minutes:.3g} minutes of mixed load at 64 connections on two workers, then on one. Two workers,
PostgreSQL and the load generator get unequal shares of two cores, so responses of one worker are
later: the largest latencies beside the medians are those of the cores, not of the service.

![Memory by time](benchmarks-soak.png)

{table}

Resident memory in the second quarter and in the last: {memory}.
Processor time of the workers: {used}.

{environment}
"""


@dataclass(frozen=True, slots=True)
class _Soak:
    """Results with a number of workers."""

    workers: int
    measured: dict[str, Measured]
    """Latencies and failures by scenario."""
    minutes: list[float]
    """Minutes since the start of each probe of memory."""
    megabytes: dict[int, list[float]]
    """Resident memory of each worker at these probes, by process id."""
    seconds: list[float]
    """Processor time of each worker."""

    def quarters(self) -> list[tuple[float, float]]:
        """Return the mean memory of the second and of the last quarter, of each worker."""
        return [
            (_mean(values[len(values) // 4 : len(values) // 2]), _mean(values[-len(values) // 4 :]))
            for values in self.megabytes.values()
        ]


def run(measured: Data, minutes: float, docs: Path = report.DOCS) -> None:
    """Make load for minutes with each number of workers, and write the section.

    Raise AssertionError if there were errors, or if the memory of a worker has grown.
    """
    soaks: list[_Soak] = []
    for workers in _WORKERS:
        soaks.append(_run(measured, workers, minutes))
        if all(each.latencies for each in soaks[-1].measured.values()):
            _write(soaks, measured.postgres, docs)
        for each in soaks[-1].measured.values():
            assert not each.failures, each.first_failure
        for second, last in soaks[-1].quarters() if minutes >= 4 * _WARM_UP_MINUTES else ():
            assert last <= second * _MOST_GROWTH, f"a worker has grown from {second} to {last} MB"


def _run(measured: Data, number: int, minutes: float) -> _Soak:
    with (
        TemporaryDirectory(prefix="selvedge-soak-") as folder,
        contestant("selvedge", measured.dsn, Path(folder), workers=number) as server,
    ):
        while len(workers := workers_of(server.process)) < number:
            time.sleep(0.1)
        before = [tree_seconds(worker) for worker in workers]
        latencies = {name: Measured() for name in _MIX}
        soak = _Soak(number, latencies, [], {worker.pid: [] for worker in workers}, [])
        uvloop.run(_load(measured, server.port, workers, minutes, soak))
        soak.seconds.extend(
            tree_seconds(worker) - earlier for worker, earlier in zip(workers, before, strict=True)
        )
    return soak


async def _load(
    measured: Data, port: int, workers: Sequence[psutil.Process], minutes: float, soak: _Soak
) -> None:
    by_name = {scenario.name: scenario for scenario in scenarios()}
    async with asyncio.TaskGroup() as group:
        for name, connections in _MIX.items():
            requests = [
                [request.encoded(measured.key) for request in by_name[name].requests(measured, n)]
                for n in range(connections)
            ]
            group.create_task(load.run(port, requests, minutes * 60, measured=soak.measured[name]))
        watching = group.create_task(_watch(workers, minutes, soak))
    await watching


async def _watch(workers: Sequence[psutil.Process], minutes: float, soak: _Soak) -> None:
    started = time.monotonic()
    for probe in range(_PROBES + 1):
        soak.minutes.append((time.monotonic() - started) / 60)
        for worker in workers:
            soak.megabytes[worker.pid].append(worker.memory_info().rss / 2**20)
        await asyncio.sleep(minutes * 60 / _PROBES if probe < _PROBES else 0)


def _write(soaks: Sequence[_Soak], postgres: str, docs: Path) -> None:
    plot = {
        "kind": "lines",
        "lines": [
            {
                "label": f"worker {number} of {soak.workers}",
                "x": soak.minutes[: len(values)],
                "y": values,
            }
            for soak in soaks
            for number, values in enumerate(soak.megabytes.values(), start=1)
        ],
        "x_label": "minutes",
        "y_label": "resident memory, MB",
        "title": "Memory of the workers under mixed load at 64 connections",
    }
    report.draw(plot, docs / "benchmarks-soak.png")
    text = _SECTION.format(
        minutes=soaks[0].minutes[-1],
        table=table([_HEADER, *(row for soak in soaks for row in _rows(soak))]),
        memory="; ".join(
            f"worker {number} of {soak.workers}: {second:.0f} and {last:.0f} MB"
            for soak in soaks
            for number, (second, last) in enumerate(soak.quarters(), start=1)
        ),
        used=", ".join(
            f"worker {number} of {soak.workers}: {seconds:.0f} s"
            for soak in soaks
            for number, seconds in enumerate(soak.seconds, start=1)
        ),
        environment=report.environment(postgres),
    )
    write_section(docs / report.PAGE, "make soak", text)


def _rows(soak: _Soak) -> list[list[str]]:
    """Return a row of the table for each scenario."""
    titles = {scenario.name: scenario.title for scenario in scenarios()}
    return [
        [
            titles[name],
            str(soak.workers),
            str(_MIX[name]),
            f"{len(measured.latencies):,}",
            str(measured.failures),
            f"{statistics.median(measured.latencies) * 1e3:.1f}",
            f"{measured.percentile(99) * 1e3:.1f}",
            f"{measured.percentile(99) / statistics.median(measured.latencies):.1f}",
        ]
        for name, measured in soak.measured.items()
    ]


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values or [0])
