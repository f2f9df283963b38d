"""Benchmark of Selvedge beside peers and upper limits, in interleaved rounds."""

import asyncio
import re
import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import asyncpg
import orjson
import psutil
import uvloop

from benchmarks import load, pgbench
from benchmarks.bare import answer_name
from benchmarks.contestants import Contestant, contestant, tree_seconds
from benchmarks.data import Data
from benchmarks.interpreters import kind_of
from benchmarks.load import Request
from benchmarks.samples import EVERY_SCENARIO, Results, Sample
from benchmarks.scenarios import (
    VARIANTS,
    WRITES_PER_SECOND,
    Scenario,
    changes,
    distinct,
)

_WARM_UP_SECONDS: Final = 0.5
_TIME: Final = re.compile(rb'(?<=T)[0-9:.]+(?=(Z|[+]00:00)")|(?<=[0-9])(Z|[+]00:00)(?=")')


@dataclass(frozen=True, slots=True)
class Pace:
    """Length of a run. With 0 seconds, two connections send each request once, untimed."""

    rounds: int
    seconds: float

    @property
    def warm_up_seconds(self) -> float:
        """Return the seconds of load before each timed turn, which are not measured."""
        return min(_WARM_UP_SECONDS, self.seconds)


def run(
    measured: Data,
    scenarios: Sequence[Scenario],
    names: Sequence[str],
    pace: Pace,
    results: Results,
    after_scenario: Callable[[], None] = lambda: None,
) -> None:
    """Measure the scenarios with the named contestants; failures go to `results`.

    The first is Selvedge, whose responses those of the others are compared with.

    `after_scenario` is called whenever all contestants had their turn at a scenario in a round.
    """
    if not pace.seconds:
        scenarios = [replace(each, connections=min(each.connections, 2)) for each in scenarios]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="selvedge-answers-")))
        servers = []
        for name in names:
            if name != "pgbench":
                with results.attempt(EVERY_SCENARIO, name):
                    servers.append(stack.enter_context(contestant(name, measured.dsn, folder)))
        runner = stack.enter_context(asyncio.Runner(loop_factory=uvloop.new_event_loop))
        bench = _Bench(measured, servers, names[0], runner, pace, folder, results)
        for scenario in scenarios:
            bench.check(scenario, with_pgbench="pgbench" in names)
        for number in range(pace.rounds):
            for scenario in scenarios:
                bench.turns(scenario, f"{number + 1}/{pace.rounds}")
                after_scenario()


def _print_sample(round_: str, scenario: str, name: str, sample: Sample) -> None:
    print(f"{round_:>5}  {scenario:<20} {name:<28}{sample.per_second:>10,.0f}/s", flush=True)


def _key(measured: Data, scenario: Scenario, server: Contestant) -> str:
    """Return the API key of the requests; empty for peers, which need none."""
    if not server.is_ours:
        return ""
    return measured.resting_key if scenario.at_rest else measured.key


async def _answers(measured: Data, scenario: Scenario, server: Contestant) -> list[bytes]:
    """Return a server's responses to all variants, requested in turn."""
    key = _key(measured, scenario, server)
    answers = []
    for request in _variants(measured, scenario):
        if scenario.setup:
            await _execute(measured.dsn, scenario.setup(1))
        answers.append(await load.ask(server.port, request.encoded(key)))
    return answers


def _variants(measured: Data, scenario: Scenario) -> list[Request]:
    return scenario.requests(measured, 0)[:VARIANTS]


def _comparable(answer: bytes) -> Any:
    """Return a response without its times and its cursor, whose form differs by server."""
    parsed = orjson.loads(_TIME.sub(b"", answer))
    if "pagination" in parsed:
        parsed["pagination"] = sorted(parsed["pagination"]), parsed["pagination"]["hasMore"]
    return parsed


@dataclass
class _Bench:
    measured: Data
    servers: Sequence[Contestant]
    lead: str
    runner: asyncio.Runner
    pace: Pace
    folder: Path
    results: Results

    def __post_init__(self) -> None:
        self._postmaster = psutil.Process(self.runner.run(postmaster_of(self.measured.dsn)))
        self._scripts: dict[str, pgbench.Script] = {}

    def check(self, scenario: Scenario, *, with_pgbench: bool) -> None:
        """Record servers whose responses differ from Selvedge's; store Selvedge's for `bare`.

        Each server gets every variant before the next server gets the first. So each has to write
        the data of its responses: the server before it has written another variant last.
        """
        expected: list[bytes] = []
        for server in self._taking_part(scenario):
            with self.results.attempt(scenario.name, server.name):
                if server.name == self.lead:
                    expected = self._expect(scenario, server)
                assert expected, "Selvedge did not answer."
                if server.name != self.lead and kind_of(server.name) != "bare":
                    self._compare(scenario, server, expected)
        if with_pgbench and scenario.has_pgbench:
            with self.results.attempt(scenario.name, "pgbench"):
                script = self.runner.run(pgbench.script(self.measured, scenario))
                pgbench.check(script, self.measured.dsn)
                self._scripts[scenario.name] = script

    def _expect(self, scenario: Scenario, server: Contestant) -> list[bytes]:
        # All start from the last variant: a link that it removes loses its initial state.
        self.runner.run(_answers(self.measured, scenario, server))
        answers = self.runner.run(_answers(self.measured, scenario, server))
        for request, answer in zip(_variants(self.measured, scenario), answers, strict=True):
            (self.folder / answer_name(request.method, request.path)).write_bytes(answer)
        return answers

    def _compare(self, scenario: Scenario, server: Contestant, expected: list[bytes]) -> None:
        answers = self.runner.run(_answers(self.measured, scenario, server))
        for answer, right in zip(answers, expected, strict=True):
            assert _comparable(answer) == _comparable(right), answer[:2000]

    def turns(self, scenario: Scenario, round_: str) -> None:
        """Give each contestant that has not failed the scenario one turn."""
        for server in self._taking_part(scenario):
            with self.results.attempt(scenario.name, server.name):
                self._add(round_, scenario, server.name, self._turn(scenario, server))
        if scenario.name in self._scripts and not self._has_failed(scenario, "pgbench"):
            with self.results.attempt(scenario.name, "pgbench"):
                self._add(round_, scenario, "pgbench", self._pgbench(scenario))

    def _add(self, round_: str, scenario: Scenario, name: str, sample: Sample) -> None:
        self.results.add(scenario.name, name, sample)
        _print_sample(round_, scenario.name, name, sample)

    def _taking_part(self, scenario: Scenario) -> list[Contestant]:
        """Return the servers that have the scenario and have not failed it."""
        return [
            server
            for server in self.servers
            if (server.is_ours or not scenario.is_own)
            and not self._has_failed(scenario, server.name)
        ]

    def _has_failed(self, scenario: Scenario, name: str) -> bool:
        return (scenario.name, name) in self.results.failures

    def _turn(self, scenario: Scenario, server: Contestant) -> Sample:
        requests = self._requests(scenario, server)
        once = bool(scenario.setup) or not self.pace.seconds
        if scenario.setup:
            self.runner.run(_execute(self.measured.dsn, scenario.setup(scenario.connections)))
        elif self.pace.seconds:
            warm_up = self._requests(scenario, server)
            self.runner.run(load.run(server.port, warm_up, self.pace.warm_up_seconds))
        service, database = server.cpu_seconds(), tree_seconds(self._postmaster)
        seen = self.runner.run(self._load(scenario, server, requests, once=once))
        assert not seen.failures, seen.first_failure
        answers = len(seen.latencies)
        return Sample(
            seen.per_second,
            statistics.median(seen.latencies),
            seen.percentile(99),
            (server.cpu_seconds() - service) / answers,
            (tree_seconds(self._postmaster) - database) / answers,
        )

    async def _load(
        self, scenario: Scenario, server: Contestant, requests: list[list[bytes]], *, once: bool
    ) -> load.Measured:
        """Send the requests; beside those of a changing collection, write."""
        key = _key(self.measured, scenario, server)
        writes = [request.encoded(key) for request in changes(self.measured)]
        interval = 1 / WRITES_PER_SECOND
        async with load.beside(server.port, writes if scenario.is_changing else [], interval):
            return await load.run(server.port, requests, self.pace.seconds, once=once)

    def _requests(self, scenario: Scenario, server: Contestant) -> list[list[bytes]]:
        """Return each connection's requests as bytes; without timing, only the first variants."""
        key = _key(self.measured, scenario, server)
        last = None if self.pace.seconds else VARIANTS
        return [
            [request.encoded(key) for request in self._own_requests(scenario, number)[:last]]
            for number in range(scenario.connections)
        ]

    def _own_requests(self, scenario: Scenario, connection: int) -> list[Request]:
        requests = scenario.requests(self.measured, connection)
        if not scenario.is_distinct:
            return requests
        return [copy for request in requests for copy in distinct(request)]

    def _pgbench(self, scenario: Scenario) -> Sample:
        self.runner.run(self._rewind(scenario))
        database = tree_seconds(self._postmaster)
        seen = pgbench.run(
            self._scripts[scenario.name],
            *(self.measured.dsn, scenario.connections, self.pace.seconds, self.folder),
        )
        used = tree_seconds(self._postmaster) - database
        return Sample(
            seen.per_second, seen.median_seconds, seen.p99_seconds, 0.0, used / seen.transactions
        )

    async def _rewind(self, scenario: Scenario) -> None:
        """Write the last variant, which the captured statements of the first one start from."""
        port = next(server.port for server in self.servers if server.name == self.lead)
        for number in range(scenario.connections):
            last = scenario.requests(self.measured, number)[-1]
            await load.ask(port, last.encoded(self.measured.key))


async def _execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def postmaster_of(dsn: str) -> int:
    """Return the process id of the server's parent process."""
    connection = await asyncpg.connect(dsn)
    try:
        own = await connection.fetchval("select pg_backend_pid()")
        return int(psutil.Process(own).ppid())
    finally:
        await connection.close()
