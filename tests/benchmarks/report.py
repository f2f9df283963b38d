"""docs/benchmarks.md: one part for each command, each replaced by its own next run."""

import json
import platform
import re
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import psutil

from tests.benchmarks.contestants import PEERS, TITLES, peers_python
from tests.benchmarks.samples import Results
from tests.benchmarks.scenarios import Scenario

_ROOT: Final = Path(__file__).parents[2]
_DOCUMENT: Final = _ROOT / "docs" / "benchmarks.md"
#: Taken on import, before there is any load of our own.
_LOAD_BEFORE: Final = psutil.getloadavg()[0]
_PARTS: Final = ("bench", "scale", "soak")
_START: Final = """# Benchmarks

Written by `make bench`, `make bench-scale` and `make soak`; each writes its own part. Everything
runs on one machine: load generator, servers and PostgreSQL (the embedded one, on an empty folder,
without syncing to disk) share the same two cores, so only ratios within one run mean anything.
"""
_OURS: Final = ("aiohttp", "asyncpg", "orjson", "jsonschema-rs", "uvloop")
_THEIRS: Final = ("fastapi", "litestar", "pydantic", "msgspec", "uvicorn", "uvloop", "asyncpg")


def write_bench(results: Results, scenarios: Sequence[Scenario], how: str) -> None:
    """Replace the part of `bench`, and its plot."""
    bars = [
        {
            "title": one.title,
            "bars": {
                TITLES[name]: results.rate(one.name, name)
                for name in ("selvedge", *PEERS, "pgbench")
                if name in results.samples[one.name]
            },
        }
        for one in scenarios
    ]
    draw({"kind": "rates", "scenarios": bars}, "benchmarks.png")
    lines = [
        "## Beside peers and ceilings",
        "",
        how,
        "",
        "![Requests per second](benchmarks.png)",
        "",
        "How many times the other's answers per second Selvedge gives (median of the rounds'",
        "ratios); the last two are ceilings, not peers:",
        "",
        *_ratios(results, scenarios),
        "",
        "Medians of the rounds; processor time per request, of the service and of PostgreSQL:",
        "",
        *_details(results, scenarios),
        "",
        *_machine(),
    ]
    write_part("bench", lines)


def compared(results: Results, scenarios: Sequence[Scenario]) -> str:
    """How this checkout does beside the base: ratios of rates and of processor time."""
    rows = []
    for one in scenarios:
        if one.is_own:
            continue
        cpu = [
            sum(results.median(one.name, who, f"{part}_cpu") for part in ("service", "database"))
            for who in ("selvedge", "base")
        ]
        rows.append([one.name, f"{results.ratio(one.name, 'base'):.3f}", f"{cpu[0] / cpu[1]:.3f}"])
    return "\n".join(table(["scenario", "rate to base", "processor time to base"], rows))


def write_part(name: str, lines: Sequence[str]) -> None:
    """Replace one part of the document and keep the others."""
    parts = dict.fromkeys(_PARTS, "")
    if _DOCUMENT.exists():
        found = re.findall(r"<!-- (\w+) -->\n(.*?)\n<!-- end -->", _DOCUMENT.read_text(), re.DOTALL)
        parts |= dict(found)
    parts[name] = "\n".join(lines)
    text = [f"<!-- {part} -->\n{body}\n<!-- end -->\n" for part, body in parts.items() if body]
    _DOCUMENT.parent.mkdir(exist_ok=True)
    _DOCUMENT.write_text("\n".join([_START, *text]))


def draw(plot: dict[str, Any], name: str) -> None:
    """Draw with matplotlib, which is installed where the peers are."""
    path = _DOCUMENT.parent / name
    path.parent.mkdir(exist_ok=True)
    subprocess.run(
        [str(peers_python()), str(Path(__file__).parent / "peers" / "draw.py"), str(path)],
        input=json.dumps(plot).encode(),
        check=True,
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose first column is text and whose others are numbers."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return [f"| {' | '.join(row)} |" for row in (header, rule, *rows)]


def machine() -> str:
    """What everything ran on, in one line, and what else it was doing."""
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{_processor()}, {psutil.cpu_count()} cores, {memory:.0f} GB, {platform.system()};"
        f" load average of the minute before: {_LOAD_BEFORE:.1f} (0 is a machine to itself)"
    )


def _ratios(results: Results, scenarios: Sequence[Scenario]) -> list[str]:
    names = [name for name in TITLES if name != "selvedge"]
    rows = []
    for one in scenarios:
        known = results.samples[one.name]
        cells = [f"{results.ratio(one.name, n):.2f}" if n in known else "" for n in names]
        rows.append([f"{one.title} (c={one.connections})", *cells])
    return table(["scenario", *(TITLES[name] for name in names)], rows)


def _details(results: Results, scenarios: Sequence[Scenario]) -> list[str]:
    rows = []
    for one in scenarios:
        for name in results.samples[one.name]:
            median, p99, service, database = (
                results.median(one.name, name, value)
                for value in ("median", "p99", "service_cpu", "database_cpu")
            )
            rows.append(
                [
                    one.title,
                    TITLES[name],
                    f"{results.rate(one.name, name):,.0f}",
                    f"{median * 1e3:.2f}",
                    f"{p99 * 1e3:.2f}",
                    f"{service * 1e6:,.0f}" if name != "pgbench" else "",
                    f"{database * 1e6:,.0f}",
                ]
            )
    header = ["scenario", "who", "per second", "median ms", "p99 ms", "service µs", "PostgreSQL µs"]
    return table(header, rows)


def _machine() -> list[str]:
    theirs = json.loads(
        subprocess.run(
            [str(peers_python()), "-m", "pip", "list", "--format", "json"],
            check=True,
            capture_output=True,
        ).stdout
    )
    listed = {one["name"].lower(): one["version"] for one in theirs}
    node = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True)
    package = json.loads((Path(__file__).parent / "peers" / "fastify" / "package.json").read_text())
    others = " ".join(f"{name} {number}" for name, number in package["dependencies"].items())
    return [
        f"Machine: {machine()}.",
        f"Selvedge: Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in _OURS)
        + ", PostgreSQL 18.",
        "Peers: " + ", ".join(f"{name} {listed[name]}" for name in _THEIRS if name in listed) + ";",
        f"Node.js {node.stdout.strip()} with {others}.",
    ]


def _processor() -> str:
    try:
        names = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        names = []
    return names[0] if names else platform.machine()
