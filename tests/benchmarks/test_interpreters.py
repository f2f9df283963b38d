"""Interpreters of benchmarks: each runs its own contestants, and has a table of its own."""

import sys
from pathlib import Path

import pytest

from benchmarks import interpreters, report
from benchmarks.samples import Results, Sample
from benchmarks.scenarios import scenarios


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the command of another interpreter, for which nothing is installed."""
    command = tmp_path / "python3"
    command.symlink_to(sys.executable)
    monkeypatch.setattr(interpreters, "_install", lambda *_: None)
    return str(command)


def test_what_is_no_python_runs_once(other: str) -> None:
    kinds = ["fastapi", "fastify", "pgbench"]
    assert [*interpreters.entries(kinds, [sys.executable, other])] == [
        *("selvedge", "fastapi", "fastify", "pgbench"),
        *(f"selvedge@{other}", f"fastapi@{other}"),
    ]


def test_an_interpreter_has_environments_of_its_own(other: str) -> None:
    own, second = map(interpreters.of, ("fastapi", f"fastapi@{other}"))
    assert own.service == Path(sys.executable)
    assert len({own.service, own.peers, second.service, second.peers}) == 4


def test_packages_are_installed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = list[str]()

    def run(arguments: list[str], **_: object) -> None:
        commands.append(arguments[2])
        (tmp_path / "environment").mkdir(exist_ok=True)

    monkeypatch.setattr("subprocess.run", run)
    packages = interpreters._PACKAGES["python"]
    for _ in range(2):
        interpreters._install("python3", tmp_path / "environment", packages)
    assert commands == ["venv", "pip"]


def test_each_interpreter_has_its_table(other: str, tmp_path: Path) -> None:
    first, *_ = chosen = [*scenarios()]
    results = Results(tmp_path / "results.jsonl")
    results.begin()
    rates = {"selvedge": 300, "litestar": 200, "fastify": 100}
    for name, rate in {**rates, f"selvedge@{other}": 400, f"litestar@{other}": 250}.items():
        results.add(first.name, name, Sample(rate, 0.01, 0.02, 0.001, 0.002))
    text = " ".join(report._ratios(results, chosen).split())
    assert text.count(f"### {interpreters.OWN.title}") == 2
    assert "| 1.50 | 3.00 |" in text
    assert "| 1.60 | 4.00 |" in text
