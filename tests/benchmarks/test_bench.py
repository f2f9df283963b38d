"""Benchmarks: every contestant answers every scenario as Selvedge does; a failure ends no run."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from benchmarks import bench, pgbench
from benchmarks.bench import Pace
from benchmarks.contestants import BASE, OURS, PEERS, peers_are_installed
from benchmarks.data import Data
from benchmarks.samples import EVERY_SCENARIO, Results, Sample
from benchmarks.scenarios import Scenario, scenarios
from tests.policy.sources import ROOT
from tests.support.sampling import Sample as Chosen

_NAMES = ("selvedge", "base", "pgbench", "bare", *(PEERS if peers_are_installed() else ()))
_SAMPLE = Sample(100.0, 0.01, 0.02, 0.001, 0.002)


def expected(scenario: Scenario) -> set[str]:
    """Return the contestants that take part in a scenario."""
    if scenario.is_own:
        return {*OURS}
    return {*_NAMES} - (set() if scenario.has_pgbench else {"pgbench"})


def test_every_contestant_answers_every_scenario(
    measured: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: Chosen
) -> None:
    monkeypatch.setenv(BASE, str(ROOT))
    # Lists are also read while others write, and `bare` answers writes as "patch" was answered.
    names = {"patch", *(scenario.name for scenario in sample(scenarios(), 4))}
    chosen = [scenario for scenario in scenarios() if scenario.name in names]
    results = Results(tmp_path / "results.jsonl")
    results.begin()
    bench.run(measured, chosen, _NAMES, Pace(rounds=1, seconds=0), results)
    assert not results.failures
    assert {name: {*samples} for name, samples in results.samples.items()} == {
        scenario.name: expected(scenario) for scenario in chosen
    }


def test_who_does_not_start_is_recorded_and_the_others_go_on(
    measured: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BASE, str(tmp_path))
    results = Results(tmp_path / "results.jsonl")
    results.begin()
    chosen = [scenario for scenario in scenarios() if scenario.name == "news"]
    names, pace = ["selvedge", "base"], Pace(rounds=2, seconds=0)
    with pytest.raises(KeyboardInterrupt):
        bench.run(measured, chosen, names, pace, results, Mock(side_effect=KeyboardInterrupt))
    assert [*results.failures] == [(EVERY_SCENARIO, "base")]
    _, failure, sample = map(json.loads, results.file.read_text().splitlines())
    assert failure["contestant"] == "base"
    assert sample["contestant"] == "selvedge"


def test_a_failure_drops_the_samples_of_the_scenario_alone(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.jsonl")
    results.begin(rounds=2)
    for scenario in ("put", "patch"):
        for name in ("selvedge", "fastapi"):
            results.add(scenario, name, _SAMPLE)
    with results.attempt("put", "fastapi"):
        raise ConnectionError("gone")
    assert results.failures == {("put", "fastapi"): "ConnectionError: gone"}
    assert not results.has("put", "fastapi")
    assert results.has("put", "selvedge")
    assert results.ratio("patch", "fastapi") == 1
    assert len(results.file.read_text().splitlines()) == 6


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        ("it's", "it's"),
        ('{"a": null}', '{"a": null}'),
        (set(), "{}"),
        ([], "{}"),
        ({3, 1, 2}, "{1,2,3}"),
        ([1, None], "{1,NULL}"),
        (["a,b", 'c"d'], '{"a,b","c\\"d"}'),
    ],
)
def test_a_parameter_is_written_as_postgresql_reads_it(value: Any, text: str) -> None:
    variables = pgbench._Variables()
    assert pgbench._parameter(value, variables) == ":v0"
    assert variables.named == {"v0": text}


def test_a_parameter_that_is_null_is_no_variable() -> None:
    variables = pgbench._Variables()
    lines = [*pgbench._transaction([("select $1::jsonb, $2::bigint", (None, 1))], variables)]
    assert lines == ["select null::jsonb, :v0::bigint;"]


def test_what_pgbench_does_first_is_not_measured() -> None:
    log = [(800_000, 10, 900_000), (100_000, 11, 600_000), (200_000, 12, 100_000)]
    lines = [["0", "0", str(latency), "0", *map(str, end)] for latency, *end in log]
    run = pgbench.measured(lines, warm_up=1)
    assert run.transactions == 3
    assert run.per_second == pytest.approx(2)
    assert (run.median_seconds, run.p99_seconds) == (0.2, 0.2)
    with pytest.raises(RuntimeError):
        pgbench.measured(lines, warm_up=3)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: [line.replace("::bigint", "::bigint + 1000000") for line in lines],
        lambda _: ["select 1;"],
    ],
)
def test_statements_that_read_something_else_are_found(
    measured: Data, spoil: Callable[[list[str]], list[str]]
) -> None:
    scenario = next(scenario for scenario in scenarios() if scenario.name == "measurement")
    script = asyncio.run(pgbench.script(measured, scenario))
    pgbench.check(script, measured.dsn)
    script.transactions[:] = [(spoil(lines), answer) for lines, answer in script.transactions]
    with pytest.raises(AssertionError):
        pgbench.check(script, measured.dsn)
