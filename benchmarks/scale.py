"""Benchmark of lists of 10^4 to 10^7 style relations: first page, and deepest by cursor."""

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import asyncpg
import orjson
import uvloop

from benchmarks import load, report
from benchmarks.contestants import contestant
from benchmarks.data import ORGANIZATION, Data
from benchmarks.load import Request
from service.listing import cursor, parameters
from service.resources.registry import STYLE_RELATIONS
from tests.support.reports import table, write_section

_SMALLEST: Final = 10**4
_CHUNK: Final = 10**6
_PATH: Final = "/api/style-relations"
_REPEATS: Final = 200

_GROW: Final = """
insert into style_relation (organization_id, style_id, related_style_id)
select $1::bigint, ($2::bigint[])[n % cardinality($2::bigint[]) + 1],
    ($2::bigint[])[n * 7919 % cardinality($2::bigint[]) + 1]
from generate_series(1, $3::bigint) as n
"""
_STYLES: Final = """
insert into style (organization_id, number, name)
select $1::bigint, 'ST-' || n, 'Style ' || n from generate_series(1, 20000) as n
"""
_BY_ID: Final[list[tuple[str, str]]] = []
_BY_NUMBER: Final = [
    ("sort[0].property", "RelatedStyleNumber"),
    ("sort[0].order", "desc"),
]

_SECTION: Final = """\
## Pages of long lists

Milliseconds of one caller while nothing else goes on (medians of
up to {repeats}), by the number of style relations of the organization; the deepest
page is the last full one, by cursor.

![Milliseconds by number of relations](benchmarks-scale.png)

{table}

{environment}
"""


@dataclass(frozen=True, slots=True)
class Point:
    """Page that one caller requests repeatedly."""

    rows: int
    page: str
    milliseconds: float


def run(measured: Data, largest: int, docs: Path = report.DOCS) -> None:
    """Measure, and write the section of the document and its plot after each size."""
    with (
        TemporaryDirectory(prefix="selvedge-scale-") as folder,
        contestant("selvedge", measured.dsn, Path(folder)) as server,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        points: list[Point] = []
        for of_size in _points(measured, server.port, runner, largest):
            points += of_size
            _write(points, measured.postgres, docs)


def _points(
    measured: Data, port: int, runner: asyncio.Runner, largest: int
) -> Iterator[list[Point]]:
    """Yield the points of each size."""
    size = _SMALLEST
    runner.run(_execute(measured.dsn, _STYLES, ORGANIZATION))
    while size <= largest:
        rows, points = runner.run(_grow(measured.dsn, size)), []
        for name, sort in (("by id", _BY_ID), ("by related style number, descending", _BY_NUMBER)):
            for depth in ("first", "deepest"):
                path = runner.run(_path(measured, sort, deep=depth == "deepest"))
                milliseconds = runner.run(_measure(port, measured.key, path))
                points.append(Point(size, f"{depth} page {name}", milliseconds))
                print(f"{rows:>12,}  {depth:<8}{name:<38}{milliseconds:8.2f} ms", flush=True)
        yield points
        size *= 10


async def _measure(port: int, key: str, path: str) -> float:
    """Return the median response time, in milliseconds; slow pages are requested less often."""
    request = Request("GET", path).encoded(key)
    times: list[float] = []
    until = time.perf_counter() + 20
    while len(times) < _REPEATS and (time.perf_counter() < until or len(times) < 3):
        started = time.perf_counter()
        assert orjson.loads(await load.ask(port, request))["data"]
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


async def _path(measured: Data, sort: Sequence[tuple[str, str]], *, deep: bool) -> str:
    """Return the path of the first page, or of the last full page by its cursor."""
    if not deep:
        query = "&".join(f"{name}={value}" for name, value in sort)
        return f"{_PATH}?{query}" if query else _PATH
    order = "r.id desc" if not sort else "s.number, r.id desc"
    connection = await asyncpg.connect(measured.dsn)
    try:
        last = await connection.fetchrow(
            f"""
            select s.number, r.id from style_relation r
            join style s on s.organization_id = r.organization_id and s.id = r.related_style_id
            where r.organization_id = $1 order by {order} offset 31 limit 1
            """,
            ORGANIZATION,
        )
    finally:
        await connection.close()
    list_request = parameters.read_query(list(sort), STYLE_RELATIONS.properties)
    keys = [last["id"]] if not sort else [last["number"], last["id"]]
    scope = cursor.scope(_PATH, ORGANIZATION)
    return f"{_PATH}?cursor={cursor.CursorWriter(list_request).write(keys, scope)}"


async def _grow(dsn: str, size: int) -> int:
    """Create relations up to a number, and vacuum as autovacuum would in time."""
    connection = await asyncpg.connect(dsn, command_timeout=3600)
    try:
        count = "select count(*) from style_relation where organization_id = $1"
        styles = [
            row["id"]
            for row in await connection.fetch(
                "select id from style where organization_id = $1 order by id", ORGANIZATION
            )
        ]
        rows = await connection.fetchval(count, ORGANIZATION)
        while rows < size:
            chunk = min(_CHUNK, size - rows)
            await connection.execute(_GROW, ORGANIZATION, styles, chunk)
            rows += chunk
        await connection.execute("vacuum analyze style_relation, style")
        return int(rows)
    finally:
        await connection.close()


async def _execute(dsn: str, statement: str, *parameters: object) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement, *parameters)
    finally:
        await connection.close()


def _write(points: Sequence[Point], postgres: str, docs: Path) -> None:
    sizes = sorted({point.rows for point in points})
    pages = list(dict.fromkeys(point.page for point in points))
    milliseconds = {(point.page, point.rows): point.milliseconds for point in points}
    lines = [
        {
            "label": page,
            "x": sizes,
            "y": [milliseconds[page, size] for size in sizes],
            "dashed": page.startswith("deepest"),
        }
        for page in pages
    ]
    plot = {
        "kind": "lines",
        "lines": lines,
        "log_x": True,
        "marker": "o",
        "x_label": "style relations of the organization",
        "y_label": "milliseconds",
        "title": "A page of 30 style relations",
    }
    report.draw(plot, docs / "benchmarks-scale.png")
    rows = [[page, *(f"{milliseconds[page, size]:.2f}" for size in sizes)] for page in pages]
    header = ["page", *(f"{size:,}" for size in sizes)]
    text = _SECTION.format(
        repeats=_REPEATS,
        table=table([header, *rows]),
        environment=report.environment(postgres),
    )
    write_section(docs / report.PAGE, "make bench-scale", text)
