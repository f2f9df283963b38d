"""Mixed load at 64 connections for minutes: memory, errors, latencies."""

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

from tests.benchmarks import load, report
from tests.benchmarks.contestants import contestant, tree_seconds
from tests.benchmarks.data import Data, data
from tests.benchmarks.load import Measured
from tests.benchmarks.scenarios import scenarios
from tests.support.processes import workers as workers_of

#: Connections by scenario: 64, mostly reads.
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


@dataclass(frozen=True, slots=True)
class _Memory:
    """Resident memory of each worker, in MB, by minutes since the start."""

    minutes: list[float]
    megabytes: dict[int, list[float]]


def run(minutes: float) -> None:
    """Load for that long and write the part of the document; AssertionError on any error."""
    with (
        data() as measured,
        TemporaryDirectory(prefix="selvedge-soak-") as folder,
        contestant("selvedge", measured.dsn, Path(folder), workers=_WORKERS) as server,
    ):
        while len(workers := workers_of(server.process)) < _WORKERS:
            time.sleep(0.1)
        before = [tree_seconds(worker) for worker in workers]
        seen, memory = uvloop.run(_load(measured, server.port, workers, minutes))
        used = [tree_seconds(one) - was for one, was in zip(workers, before, strict=True)]
    _write(seen, memory, used, minutes)
    errors = sum(one.failures for one in seen.values())
    assert not errors, next(one.first_failure for one in seen.values() if one.failures)


async def _load(
    measured: Data, port: int, workers: Sequence[psutil.Process], minutes: float
) -> tuple[dict[str, Measured], _Memory]:
    by_name = {one.name: one for one in scenarios()}
    runs = []
    for name, connections in _MIX.items():
        requests = [
            [request.encoded(measured.key) for request in by_name[name].requests(measured, number)]
            for number in range(connections)
        ]
        runs.append(load.run(port, requests, minutes * 60))
    watch = asyncio.create_task(_watch(workers, minutes))
    seen = await asyncio.gather(*runs)
    return dict(zip(_MIX, seen, strict=True)), await watch


async def _watch(workers: Sequence[psutil.Process], minutes: float) -> _Memory:
    memory = _Memory([], {worker.pid: [] for worker in workers})
    for probe in range(_PROBES + 1):
        memory.minutes.append(minutes * probe / _PROBES)
        for worker in workers:
            memory.megabytes[worker.pid].append(worker.memory_info().rss / 2**20)
        await asyncio.sleep(minutes * 60 / _PROBES if probe < _PROBES else 0)
    return memory


def _write(
    seen: dict[str, Measured], memory: _Memory, used: Sequence[float], minutes: float
) -> None:
    plot = {
        "kind": "lines",
        "lines": [
            {"label": f"worker {number}", "x": memory.minutes, "y": values}
            for number, values in enumerate(memory.megabytes.values(), start=1)
        ],
        "x_label": "minutes",
        "y_label": "resident memory, MB",
        "title": "Memory of the workers under mixed load at 64 connections",
    }
    report.draw(plot, "benchmarks-soak.png")
    halves = [
        f"worker {number}: {_mean(values[_PROBES // 4 : _PROBES // 2]):.0f} MB in the second"
        f" quarter, {_mean(values[-_PROBES // 4 :]):.0f} MB in the last"
        for number, values in enumerate(memory.megabytes.values(), start=1)
    ]
    header = ["scenario", "connections", "answers", "errors", "median ms", "p99 ms", "p99 / median"]
    report.write_part(
        "soak",
        [
            "## Under load for long",
            "",
            f"{minutes:g} minutes of mixed load at 64 connections on {_WORKERS} workers.",
            "",
            "![Memory by time](benchmarks-soak.png)",
            "",
            *report.table(header, _rows(seen)),
            "",
            f"Resident memory, {'; '.join(halves)}.",
            "How the connections fell among the workers, by processor time: "
            + ", ".join(f"worker {n} {one:.0f} s" for n, one in enumerate(used, start=1))
            + ".",
            "",
            f"Machine: {report.machine()}.",
        ],
    )


def _rows(seen: dict[str, Measured]) -> list[list[str]]:
    """The table's rows, a scenario each."""
    titles = {one.name: one.title for one in scenarios()}
    return [
        [
            titles[name],
            str(_MIX[name]),
            f"{len(one.latencies):,}",
            str(one.failures),
            f"{statistics.median(one.latencies) * 1e3:.1f}",
            f"{one.percentile(99) * 1e3:.1f}",
            f"{one.percentile(99) / statistics.median(one.latencies):.1f}",
        ]
        for name, one in seen.items()
    ]


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values)
