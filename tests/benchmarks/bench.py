"""Selvedge beside peers and ceilings: interleaved rounds, medians, ratios."""

import asyncio
import re
import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import asyncpg
import orjson
import psutil
import uvloop

from tests.benchmarks import load, pgbench
from tests.benchmarks.bare import answer_name
from tests.benchmarks.contestants import OURS, Contestant, contestant, tree_seconds
from tests.benchmarks.data import Data, data
from tests.benchmarks.load import Request
from tests.benchmarks.samples import Results, Sample
from tests.benchmarks.scenarios import VARIANTS, Scenario

_WARM_UP_SECONDS: Final = 0.5
_TIME: Final = re.compile(rb'(?<=T)[0-9:.]+(?=(Z|[+]00:00)")|(?<=[0-9])(Z|[+]00:00)(?=")')


def run(wanted: Sequence[Scenario], names: Sequence[str], rounds: int, seconds: float) -> Results:
    """Measure the scenarios with the named contestants."""
    with ExitStack() as stack:
        measured = stack.enter_context(data())
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="selvedge-answers-")))
        servers = [
            stack.enter_context(contestant(name, measured.dsn, folder))
            for name in names
            if name != "pgbench"
        ]
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            scripts = {}
            for scenario in wanted:
                runner.run(_check(measured, scenario, servers, folder))
                # What cannot be done twice cannot be captured and repeated either.
                if "pgbench" in names and not scenario.setup and not scenario.is_own:
                    scripts[scenario.name] = runner.run(pgbench.script(measured, scenario))
            bench = _Bench(measured, servers, scripts, runner, seconds, folder)
            results = Results()
            for number in range(rounds):
                for scenario in wanted:
                    for name, sample in bench.turns(scenario):
                        results.add(scenario.name, name, sample)
                        _tell(f"{number + 1}/{rounds}", scenario.name, name, sample)
    return results


def _tell(round_: str, scenario: str, name: str, sample: Sample) -> None:
    print(f"{round_:>5}  {scenario:<12}{name:<10}{sample.per_second:>10,.0f}/s", flush=True)


async def _check(
    measured: Data, scenario: Scenario, servers: Sequence[Contestant], folder: Path
) -> None:
    """Raise AssertionError unless all answer the same documents; keep the bytes for `bare`.

    Each server gets every variant before the next one gets the first, so that each has to write
    what it answers: it does not find it written by the one before.
    """
    speaking = [server for server in _taking_part(scenario, servers) if server.name != "bare"]
    # All start from the last variant: a link that it drops forgets what it held at first.
    await _answers(measured, scenario, speaking[0])
    answers = {server.name: await _answers(measured, scenario, server) for server in speaking}
    expected = [_comparable(answer) for answer in answers["selvedge"]]
    for name, given in answers.items():
        for answer, wanted in zip(given, expected, strict=True):
            assert _comparable(answer) == wanted, (scenario.name, name, answer[:2000])
    for request, answer in zip(_variants(measured, scenario), answers["selvedge"], strict=True):
        (folder / answer_name(request.method, request.path)).write_bytes(answer)


def _taking_part(scenario: Scenario, servers: Sequence[Contestant]) -> list[Contestant]:
    """Those who can answer the scenario."""
    return [server for server in servers if server.name == "selvedge" or not scenario.is_own]


def _key(measured: Data, scenario: Scenario, server: Contestant) -> str:
    """The API key that requests carry; empty where none is needed."""
    if server.name not in OURS:
        return ""
    return measured.resting_key if scenario.at_rest else measured.key


async def _answers(measured: Data, scenario: Scenario, server: Contestant) -> list[bytes]:
    """What a server answers to each variant, one after the other."""
    key = _key(measured, scenario, server)
    answers = []
    for request in _variants(measured, scenario):
        if scenario.setup:
            await _execute(measured.dsn, scenario.setup)
        answers.append(await load.ask(server.port, request.encoded(key)))
    return answers


def _variants(measured: Data, scenario: Scenario) -> list[Request]:
    return scenario.requests(measured, 0)[:VARIANTS]


def _comparable(answer: bytes) -> Any:
    """An answer but for its cursor, which everyone words in their own way, and its times."""
    parsed = orjson.loads(_TIME.sub(b"", answer))
    if "pagination" in parsed:
        parsed["pagination"] = sorted(parsed["pagination"]), parsed["pagination"]["hasMore"]
    return parsed


@dataclass
class _Bench:
    measured: Data
    servers: Sequence[Contestant]
    scripts: dict[str, pgbench.Script]
    runner: asyncio.Runner
    seconds: float
    folder: Path

    def __post_init__(self) -> None:
        self._postmaster = psutil.Process(self.runner.run(_postmaster(self.measured.dsn)))

    def turns(self, scenario: Scenario) -> Iterator[tuple[str, Sample]]:
        """One turn of each."""
        for server in _taking_part(scenario, self.servers):
            yield server.name, self._turn(scenario, server)
        if scenario.name in self.scripts:
            yield "pgbench", self._pgbench(scenario)

    def _turn(self, scenario: Scenario, server: Contestant) -> Sample:
        key = _key(self.measured, scenario, server)
        requests = [
            [request.encoded(key) for request in scenario.requests(self.measured, number)]
            for number in range(scenario.connections)
        ]
        if scenario.setup:
            self.runner.run(_execute(self.measured.dsn, scenario.setup))
        else:
            self.runner.run(load.run(server.port, requests, _WARM_UP_SECONDS))
        service, database = server.cpu_seconds(), tree_seconds(self._postmaster)
        seen = self.runner.run(
            load.run(server.port, requests, self.seconds, once=bool(scenario.setup))
        )
        assert not seen.failures, (scenario.name, server.name, seen.first_failure)
        answers = len(seen.latencies)
        return Sample(
            seen.per_second,
            statistics.median(seen.latencies),
            seen.percentile(99),
            (server.cpu_seconds() - service) / answers,
            (tree_seconds(self._postmaster) - database) / answers,
        )

    def _pgbench(self, scenario: Scenario) -> Sample:
        self.runner.run(self._rewind(scenario))
        database = tree_seconds(self._postmaster)
        seen = pgbench.run(
            self.scripts[scenario.name],
            *(self.measured.dsn, scenario.connections, self.seconds, self.folder),
        )
        used = tree_seconds(self._postmaster) - database
        answers = seen.per_second * max(1, round(self.seconds))
        return Sample(seen.per_second, seen.median_seconds, seen.p99_seconds, 0.0, used / answers)

    async def _rewind(self, scenario: Scenario) -> None:
        """Bring the data to what pgbench starts from: the last variant before the first."""
        port = next(server.port for server in self.servers if server.name == "selvedge")
        for number in range(scenario.connections):
            last = scenario.requests(self.measured, number)[-1]
            await load.ask(port, last.encoded(self.measured.key))


async def _execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _postmaster(dsn: str) -> int:
    """The process id of the server's parent process."""
    connection = await asyncpg.connect(dsn)
    try:
        own = await connection.fetchval("select pg_backend_pid()")
        return int(psutil.Process(own).ppid())
    finally:
        await connection.close()
