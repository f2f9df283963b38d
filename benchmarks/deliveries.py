"""Benchmark of webhooks: time from a write to its deliveries, and what a write costs with them."""

import asyncio
import math
import os
import statistics
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import orjson
import psutil
import uvloop
from aiohttp import ClientSession, web

from benchmarks import report
from benchmarks.bench import postmaster_of
from benchmarks.contestants import Contestant, contestant, tree_seconds
from benchmarks.data import Data
from benchmarks.load import Measured, Request
from benchmarks.scenarios import changes
from tests.support.reports import table, write_section

_WRITES_PER_SECOND: Final = 50
_WORKERS: Final = 2
_HOOKS: Final = "/api/webhooks"
_PRIVATE: Final = "WEBHOOK_PRIVATE_ADDRESSES"
_SLOW_SECONDS: Final = 2
_LAST_SECONDS: Final = 30
"""Time limit of the last deliveries of a turn."""
_TROUBLES: Final = ("silent", "slow", "refusing")

_HEADER: Final = (
    *("webhooks", "deliveries", "median ms", "p99 ms", "longest ms"),
    *("PATCH median ms", "PATCH p99 ms", "service ms/s", "PostgreSQL ms/s"),
)
_SECTION: Final = """\
## Deliveries of webhooks

Turns of {seconds:g} s for each row, one row after the other, {rounds} times, every other time
backwards. One caller sends {rate} PATCHes of a color a second to {workers} workers; each webhook
gets each change. A delivery takes from the response to the PATCH to the arrival of its message. Of
the receivers in trouble a third never answers, a third answers after {slow} s, and a third answers
503. Processor time is that of all processes, in each second, without setting up the webhooks.

{table}

Medians of the turns' ratios: beside receivers in trouble the median delivery takes {delivery:.3f}
times as long as without them. The median PATCH takes {paused:.3f} times as long with 20 paused
webhooks as without any ({cpu:.3f} times the processor time of all turns); beside deliveries to 20,
which share its processors, {patch:.3f} times.

{environment}
"""


@dataclass(frozen=True, slots=True)
class Setting:
    """Webhooks of a turn: with receivers that answer at once or are in trouble, and paused ones."""

    title: str
    prompt: int
    troubled: int
    paused: int = 0


NONE: Final = Setting("none", 0, 0)
PAUSED: Final = Setting("20, paused", 0, 0, 20)
TEN: Final = Setting("10", 10, 0)
BESIDE_TROUBLE: Final = Setting("10, beside 10 in trouble", 10, 10)
TWENTY: Final = Setting("20", 20, 0)
SETTINGS: Final = (NONE, PAUSED, TEN, BESIDE_TROUBLE, TWENTY)


@dataclass(slots=True)
class Turn:
    """Results of one turn; times in seconds."""

    writes: Measured = field(default_factory=Measured)
    answered_at: list[float] = field(default_factory=list)
    deliveries: Measured = field(default_factory=Measured)
    service_cpu: float = 0.0
    """Processor time of the service, per second of the turn."""
    database_cpu: float = 0.0


class _Receivers:
    """Receivers in this process, by path; the prompt ones keep when each entry arrived."""

    def __init__(self) -> None:
        self.url = ""
        self.arrived_at: dict[str, list[float]] = {}

    async def take(self, request: web.Request) -> web.Response:
        """Take a message at once."""
        message = orjson.loads(await request.read())
        times = self.arrived_at.setdefault(request.match_info["name"], [])
        times += [time.perf_counter()] * len(message["entries"])
        return web.Response(status=204)

    async def struggle(self, request: web.Request) -> web.Response:
        """Answer late, badly or never."""
        kind = request.match_info["kind"]
        if kind == "refusing":
            return web.Response(status=503)
        await asyncio.sleep(_SLOW_SECONDS if kind == "slow" else _LAST_SECONDS)
        return web.Response(status=204)


@asynccontextmanager
async def _receiving() -> AsyncIterator[_Receivers]:
    receivers = _Receivers()
    app = web.Application()
    app.router.add_post("/prompt/{name}", receivers.take)
    app.router.add_post("/trouble/{kind}", receivers.struggle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        receivers.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield receivers
    finally:
        await runner.cleanup()


def run(measured: Data, rounds: int, seconds: float, docs: Path = report.DOCS) -> None:
    """Measure each setting in each round, and write the section."""
    turns: dict[Setting, list[Turn]] = {setting: [] for setting in SETTINGS}
    with (
        TemporaryDirectory(prefix="selvedge-deliveries-") as folder,
        _loopback_allowed(),
        contestant("selvedge", measured.dsn, Path(folder), workers=_WORKERS) as server,
    ):
        uvloop.run(_rounds(measured, server, turns, rounds, seconds))
    _write(turns, seconds, measured.postgres, docs)


@contextmanager
def _loopback_allowed() -> Iterator[None]:
    """Let services that are started meanwhile send to the receivers."""
    os.environ[_PRIVATE] = "127.0.0.0/8"
    try:
        yield
    finally:
        del os.environ[_PRIVATE]


async def _rounds(
    measured: Data,
    server: Contestant,
    turns: dict[Setting, list[Turn]],
    rounds: int,
    seconds: float,
) -> None:
    postmaster = psutil.Process(await postmaster_of(measured.dsn))
    headers = {"Authorization": f"Bearer {measured.key}"}
    root = f"http://127.0.0.1:{server.port}"
    async with _receiving() as receivers, ClientSession(root, headers=headers) as session:
        bench = _Bench(session, receivers, server, postmaster, cycle(changes(measured)))
        await bench.turn(TEN, min(seconds, 2))
        for number in range(rounds):
            for setting in SETTINGS[:: -1 if number % 2 else 1]:
                turn = await bench.turn(setting, seconds)
                turns[setting].append(turn)
                print(f"{number + 1}/{rounds}", *_row(setting, [turn]), sep="  ", flush=True)


@dataclass(frozen=True, slots=True)
class _Bench:
    session: ClientSession
    receivers: _Receivers
    server: Contestant
    postmaster: psutil.Process
    requests: Iterator[Request]
    """PATCHes without end, each of which changes the record."""

    async def turn(self, setting: Setting, seconds: float) -> Turn:
        """Write for some seconds with the webhooks of a setting, which are deleted afterwards."""
        arrived_at = {f"{number}": list[float]() for number in range(setting.prompt)}
        self.receivers.arrived_at = arrived_at
        paths = [f"prompt/{name}" for name in arrived_at]
        paths += [f"trouble/{kind}" for kind in islice(cycle(_TROUBLES), setting.troubled)]
        paths += ["paused/"] * setting.paused
        created = [await self._create(path) for path in paths]
        turn = Turn()
        began, own = time.perf_counter(), self.server.cpu_seconds()
        others = tree_seconds(self.postmaster)
        await self._write_evenly(turn, seconds)
        async with asyncio.timeout(_LAST_SECONDS):
            # An event would be set 500 times a second, to no use.
            while any(len(times) < len(turn.answered_at) for times in arrived_at.values()):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        took = time.perf_counter() - began
        turn.service_cpu = (self.server.cpu_seconds() - own) / took
        turn.database_cpu = (tree_seconds(self.postmaster) - others) / took
        for times in arrived_at.values():
            pairs = zip(turn.answered_at, times, strict=True)
            turn.deliveries.latencies.extend(max(0.0, arrived - done) for done, arrived in pairs)
        for location in created:
            async with self.session.delete(location) as response:
                assert response.status == 200, await response.text()
        return turn

    async def _create(self, path: str) -> str:
        """Create a webhook for a receiver; return the webhook's path."""
        state = "paused" if path == "paused/" else "active"
        url = f"{self.receivers.url}/{path}"
        body = {"url": url, "collections": ["colors"], "state": state}
        async with self.session.post(_HOOKS, json=body) as response:
            assert response.status == 201, await response.text()
            return response.headers["Location"]

    async def _write_evenly(self, turn: Turn, seconds: float) -> None:
        """Send PATCHes one after the other, at equal intervals; each is one entry of the feed."""
        started = time.perf_counter()
        count = max(2, round(seconds * _WRITES_PER_SECOND))
        for number, request in enumerate(islice(self.requests, count)):
            await asyncio.sleep(started + number / _WRITES_PER_SECOND - time.perf_counter())
            sent = time.perf_counter()
            headers = {"Content-Type": request.content_type}
            async with self.session.patch(
                request.path, data=request.body, headers=headers
            ) as response:
                assert response.status == 200, await response.text()
                await response.read()
            turn.answered_at.append(time.perf_counter())
            turn.writes.latencies.append(turn.answered_at[-1] - sent)


def _write(turns: dict[Setting, list[Turn]], seconds: float, postgres: str, docs: Path) -> None:
    text = _SECTION.format(
        rounds=len(turns[TEN]),
        seconds=seconds,
        rate=_WRITES_PER_SECOND,
        workers=_WORKERS,
        slow=_SLOW_SECONDS,
        table=table([_HEADER, *(_row(setting, turns[setting]) for setting in SETTINGS)]),
        delivery=_ratio(turns, BESIDE_TROUBLE, TEN, "deliveries"),
        paused=_ratio(turns, PAUSED, NONE, "writes"),
        cpu=_cpu(turns[PAUSED]) / (_cpu(turns[NONE]) or math.nan),
        patch=_ratio(turns, TWENTY, NONE, "writes"),
        environment=report.environment(postgres),
    )
    write_section(docs / report.PAGE, "make bench-webhooks", text)


def _row(setting: Setting, turns: Sequence[Turn]) -> list[str]:
    """Return the table's row of a setting: of all deliveries and writes of its turns."""
    deliveries, writes = (_all(turns, name) for name in ("deliveries", "writes"))
    return [
        setting.title,
        f"{len(deliveries.latencies):,}",
        *(_milliseconds(deliveries) if deliveries.latencies else ("", "", "")),
        *_milliseconds(writes)[:2],
        *(
            f"{statistics.median(getattr(turn, name) for turn in turns) * 1e3:.0f}"
            for name in ("service_cpu", "database_cpu")
        ),
    ]


def _all(turns: Sequence[Turn], name: str) -> Measured:
    whole = Measured()
    for turn in turns:
        whole.latencies.extend(getattr(turn, name).latencies)
    return whole


def _milliseconds(measured: Measured) -> Sequence[str]:
    """Return median, 99th percentile and maximum."""
    latencies = measured.latencies
    values = (statistics.median(latencies), measured.percentile(99), max(latencies))
    return [f"{value * 1e3:.1f}" for value in values]


def _cpu(turns: Sequence[Turn]) -> float:
    """Return the processor time of all turns, which the kernel counts in ticks of 10 ms."""
    return sum(turn.service_cpu + turn.database_cpu for turn in turns)


def _ratio(turns: dict[Setting, list[Turn]], above: Setting, below: Setting, name: str) -> float:
    """Return the median of the rounds' ratios of the medians of two settings."""

    def medians(setting: Setting) -> list[float]:
        return [statistics.median(getattr(turn, name).latencies) for turn in turns[setting]]

    pairs = zip(medians(above), medians(below), strict=True)
    return float(statistics.median(own / other for own, other in pairs))
