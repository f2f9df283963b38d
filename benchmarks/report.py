"""Report of the benchmarks: the sections and plots of docs/benchmarks.md."""

import json
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import psutil

from benchmarks import interpreters
from benchmarks.contestants import PEERS, TITLES
from benchmarks.interpreters import kind_of
from benchmarks.samples import EVERY_SCENARIO, Results
from benchmarks.scenarios import Scenario
from tests.support.reports import measured_on, table, write_section

DOCS: Final = Path(__file__).parents[1] / "docs"
PAGE: Final = "benchmarks.md"
_HERE: Final = Path(__file__).parent
_DRAWN: Final = ("selvedge", *PEERS, "pgbench")
#: Read on import, before the benchmark makes load.
_LOAD_BEFORE: Final = psutil.getloadavg()[0]
_THEIRS: Final = ("fastapi", "litestar", "pydantic", "msgspec", "uvicorn", "uvloop", "asyncpg")
_SECTION: Final = """\
## Beside peers and ceilings

{how}

![Requests per second](benchmarks.png)

How many times the other's answers per second Selvedge gives (median of the rounds'
ratios); the last two are ceilings, not peers. Selvedge and all that are written in Python run with
the same interpreter:

{ratios}

Medians of the rounds; processor time per request, of the service and of PostgreSQL:

{details}
{notes}
{environment}
{peers}
"""


def write_bench(
    results: Results,
    scenarios: Sequence[Scenario],
    how: str,
    postgres: str,
    *,
    is_complete: bool,
    docs: Path = DOCS,
) -> None:
    """Replace the section of `make bench`, and its plot when the run is over."""
    notes = [] if is_complete else ["The run did not finish: the figures are of what it measured."]
    notes += [_failure(name, titled, text) for (titled, name), text in results.failures.items()]
    text = _SECTION.format(
        how=how,
        ratios=_ratios(results, scenarios),
        details=_details(results, scenarios),
        notes="".join(f"\n{note}\n" for note in notes),
        environment=environment(postgres),
        peers=_peers(),
    )
    write_section(docs / PAGE, "make bench", text)


def draw_bench(results: Results, scenarios: Sequence[Scenario], docs: Path = DOCS) -> None:
    """Replace the plot of `make bench`."""
    names = [name for name in _names(_own(results)[0]) if kind_of(name) in _DRAWN]
    bars = [
        {
            "title": scenario.title,
            "bars": {
                TITLES[kind_of(name)]: results.rate(scenario.name, name)
                for name in names
                if results.has(scenario.name, name)
            },
        }
        for scenario in scenarios
        if any(results.has(scenario.name, name) for name in names)
    ]
    if bars:
        draw({"kind": "rates", "scenarios": bars}, docs / "benchmarks.png")


def compared(results: Results, scenarios: Sequence[Scenario]) -> str:
    """Return the table of this checkout beside the base: ratios of rates and processor time."""
    rows, parts = [], ("service_cpu", "database_cpu")
    for scenario in scenarios:
        if not results.has(scenario.name, "selvedge", "base"):
            continue
        own, other = (
            sum(results.median(scenario.name, name, part) for part in parts)
            for name in ("selvedge", "base")
        )
        cpu = f"{own / other:.3f}" if other else ""
        rows.append((scenario.name, f"{results.ratio(scenario.name, 'base'):.3f}", cpu))
    return table([("scenario", "rate to base", "processor time to base"), *rows])


def draw(plot: dict[str, Any], path: Path) -> None:
    """Draw a plot with matplotlib, which is installed with the peers' packages."""
    subprocess.run(
        [str(interpreters.OWN.peers), str(_HERE / "peers" / "draw.py"), str(path)],
        input=json.dumps(plot).encode(),
        check=True,
    )


def environment(postgres: str) -> str:
    """Return commit, host, versions, and the load of the host before."""
    return (
        f"{measured_on(postgres, 'orjson', 'jsonschema-rs', 'uvloop')}\n"
        f"Load average of the minute before: {_LOAD_BEFORE:.1f} (0 is a machine to itself)."
    )


def _failure(name: str, scenario: str, text: str) -> str:
    """Return one line about a failure; the run's output has its whole text."""
    where = "did not start" if scenario == EVERY_SCENARIO else f"failed at `{scenario}`"
    line = text.partition("\n")[0][:200].replace("`", "'")
    return f"**{TITLES[kind_of(name)]} {where}:** `{line}`"


def _title(results: Results, name: str) -> str:
    """Return who it is, and with which Python where Selvedge ran with several."""
    is_alone = len(_own(results)) == 1 or name in interpreters.WITHOUT_PYTHON
    python = "" if is_alone else f", {interpreters.of(name).title.partition(',')[0]}"
    return f"{TITLES[kind_of(name)]}{python}"


def _own(results: Results) -> list[str]:
    """Return the names of Selvedge by interpreter, in the order of their samples."""
    names = [name for samples in results.samples.values() for name in samples]
    return [name for name in dict.fromkeys(names) if kind_of(name) == "selvedge"] or ["selvedge"]


def _names(own: str) -> list[str]:
    """Return the names of contestants beside those that Selvedge's interpreter runs, in order."""
    suffix = own.removeprefix("selvedge")
    return [k if k in interpreters.WITHOUT_PYTHON else f"{k}{suffix}" for k in TITLES]


def _ratios(results: Results, scenarios: Sequence[Scenario]) -> str:
    """Return a table for each interpreter of Selvedge, below a heading if there are several."""
    names = _own(results)
    tables = []
    for own in names:
        title = f"### {interpreters.of(own).title}\n\n" if len(names) > 1 else ""
        tables.append(title + _table_beside(results, scenarios, own))
    return "\n\n".join(tables)


def _table_beside(results: Results, scenarios: Sequence[Scenario], own: str) -> str:
    others = [
        name
        for name in _names(own)
        if name != own and any(results.has(each.name, name) for each in scenarios)
    ]
    rows = [
        (
            f"{scenario.title} (c={scenario.connections})",
            *(_ratio(results, scenario.name, own, name) for name in others),
        )
        for scenario in scenarios
        if not scenario.is_own
    ]
    return table([("scenario", *(TITLES[kind_of(name)] for name in others)), *rows])


def _ratio(results: Results, scenario: str, own: str, name: str) -> str:
    if {(scenario, own), (scenario, name)} & results.failures.keys():
        return "failed"
    is_measured = results.has(scenario, own, name)
    return f"{results.ratio(scenario, name, own):.2f}" if is_measured else ""


def _details(results: Results, scenarios: Sequence[Scenario]) -> str:
    rows = []
    for scenario in scenarios:
        for name in results.samples.get(scenario.name, {}):
            median, p99, service, database = (
                results.median(scenario.name, name, value)
                for value in ("median", "p99", "service_cpu", "database_cpu")
            )
            rows.append(
                (
                    scenario.title,
                    _title(results, name),
                    f"{results.rate(scenario.name, name):,.0f}",
                    f"{median * 1e3:.2f}",
                    f"{p99 * 1e3:.2f}",
                    f"{service * 1e6:,.0f}" if name != "pgbench" else "",
                    f"{database * 1e6:,.0f}",
                )
            )
    header = ("scenario", "who", "per second", "median ms", "p99 ms", "service µs", "PostgreSQL µs")
    return table([header, *rows])


@cache
def _peers() -> str:
    """Return the versions of the peers' packages."""
    listed = subprocess.run(
        [str(interpreters.OWN.peers), "-m", "pip", "list", "--format", "json"],
        check=True,
        capture_output=True,
    ).stdout
    versions = {package["name"].lower(): package["version"] for package in json.loads(listed)}
    node = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True)
    package = json.loads((_HERE / "peers" / "fastify" / "package.json").read_text())
    others = " ".join(f"{name} {number}" for name, number in package["dependencies"].items())
    theirs = ", ".join(f"{name} {versions[name]}" for name in _THEIRS if name in versions)
    return f"Peers: {theirs};\nNode.js {node.stdout.strip()} with {others}."
