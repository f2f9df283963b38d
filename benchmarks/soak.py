"""Soak test: mixed load at 64 connections for minutes; memory, errors and latencies."""

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
_WORKERS: Final = 2
_PROBES: Final = 120
_MOST_GROWTH: Final = 1.05
"""Largest mean memory of the last quarter, as a multiple of that of the second one."""
_WARM_UP_MINUTES: Final = 1
"""Memory may grow in runs whose second quarter begins earlier."""
_HEADER: Final = (
    *("scenario", "connections", "answers", "errors"),
    *("median ms", "p99 ms", "p99 / median"),
)
_SECTION: Final = """\
## Under load for long

{minutes:.3g} minutes of mixed load at 64 connections on {workers} workers.

![Memory by time](benchmarks-soak.png)

{table}

Resident memory, {memory}.
How the connections fell among the workers, by processor time: {used}.

{environment}
"""


@dataclass(frozen=True, slots=True)
class _Memory:
    """Resident memory of each worker, in MB, by minutes since the start."""

    minutes: list[float]
    megabytes: dict[int, list[float]]

    def quarters(self) -> list[tuple[float, float]]:
        """Return the means of the second and of the last quarter, of each worker."""
        return [
            (_mean(values[len(values) // 4 : len(values) // 2]), _mean(values[-len(values) // 4 :]))
            for values in self.megabytes.values()
        ]


def run(measured: Data, minutes: float, docs: Path = report.DOCS) -> None:
    """Make load for minutes and write the section.

    Raise AssertionError if there were errors, or if the memory of a worker has grown.
    """
    seen = {name: Measured() for name in _MIX}
    with (
        TemporaryDirectory(prefix="selvedge-soak-") as folder,
        contestant("selvedge", measured.dsn, Path(folder), workers=_WORKERS) as server,
    ):
        while len(workers := workers_of(server.process)) < _WORKERS:
            time.sleep(0.1)
        before = [tree_seconds(worker) for worker in workers]
        memory = _Memory([], {worker.pid: [] for worker in workers})
        try:
            uvloop.run(_load(measured, server.port, workers, minutes, seen, memory))
        finally:
            used = [
                tree_seconds(worker) - earlier
                for worker, earlier in zip(workers, before, strict=True)
            ]
            if memory.minutes and all(each.latencies for each in seen.values()):
                _write(seen, memory, used, measured.postgres, docs)
    errors = sum(each.failures for each in seen.values())
    assert not errors, next(each.first_failure for each in seen.values() if each.failures)
    for second, last in memory.quarters() if minutes >= 4 * _WARM_UP_MINUTES else ():
        assert last <= second * _MOST_GROWTH, f"a worker has grown from {second} to {last} MB"


async def _load(
    measured: Data,
    port: int,
    workers: Sequence[psutil.Process],
    minutes: float,
    seen: dict[str, Measured],
    memory: _Memory,
) -> None:
    by_name = {scenario.name: scenario for scenario in scenarios()}
    async with asyncio.TaskGroup() as group:
        for name, connections in _MIX.items():
            requests = [
                [request.encoded(measured.key) for request in by_name[name].requests(measured, n)]
                for n in range(connections)
            ]
            group.create_task(load.run(port, requests, minutes * 60, measured=seen[name]))
        watching = group.create_task(_watch(workers, minutes, memory))
    await watching


async def _watch(workers: Sequence[psutil.Process], minutes: float, memory: _Memory) -> None:
    started = time.monotonic()
    for probe in range(_PROBES + 1):
        memory.minutes.append((time.monotonic() - started) / 60)
        for worker in workers:
            memory.megabytes[worker.pid].append(worker.memory_info().rss / 2**20)
        await asyncio.sleep(minutes * 60 / _PROBES if probe < _PROBES else 0)


def _write(
    seen: dict[str, Measured], memory: _Memory, used: Sequence[float], postgres: str, docs: Path
) -> None:
    plot = {
        "kind": "lines",
        "lines": [
            {"label": f"worker {number}", "x": memory.minutes[: len(values)], "y": values}
            for number, values in enumerate(memory.megabytes.values(), start=1)
        ],
        "x_label": "minutes",
        "y_label": "resident memory, MB",
        "title": "Memory of the workers under mixed load at 64 connections",
    }
    report.draw(plot, docs / "benchmarks-soak.png")
    text = _SECTION.format(
        minutes=memory.minutes[-1],
        workers=_WORKERS,
        table=table([_HEADER, *_rows(seen)]),
        memory="; ".join(
            f"worker {number}: {second:.0f} MB in the second quarter, {last:.0f} MB in the last"
            for number, (second, last) in enumerate(memory.quarters(), start=1)
        ),
        used=", ".join(
            f"worker {number} {each:.0f} s" for number, each in enumerate(used, start=1)
        ),
        environment=report.environment(postgres),
    )
    write_section(docs / report.PAGE, "make soak", text)


def _rows(seen: dict[str, Measured]) -> list[list[str]]:
    """Return a row of the table for each scenario."""
    titles = {scenario.name: scenario.title for scenario in scenarios()}
    return [
        [
            titles[name],
            str(_MIX[name]),
            f"{len(measured.latencies):,}",
            str(measured.failures),
            f"{statistics.median(measured.latencies) * 1e3:.1f}",
            f"{measured.percentile(99) * 1e3:.1f}",
            f"{measured.percentile(99) / statistics.median(measured.latencies):.1f}",
        ]
        for name, measured in seen.items()
    ]


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values or [0])
