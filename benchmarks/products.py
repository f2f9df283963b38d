"""Benchmark of products: processor time of pages of an assortment of 500,000 prices.

The first ten pages, in which the service loads its modules and plans statements, do not count.

A style has two colors in five sizes, a file, a name in another language, and 50 prices in five
price lists: in three of them one for each SKU, in the others prices of all levels, of the past and
of more pieces.
"""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import aiohttp
import asyncpg
import psutil

from tests.support.api import Api, issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.processes import Running, executed

STYLES: Final = 10_000
_NAME: Final = "Benchmark"
_SOME: Final = 10
"""Number of pages of each figure: processor time counts in hundredths of a second."""
_LISTS: Final = {"/api/products": {"channel.userDefinedId": "SHOP"}}
_FILL: Final = Path(__file__).with_suffix(".sql").read_text().split(";\n")[:-1]


async def _fill(dsn: str) -> int:
    """Return the id of a new organization with the assortment."""
    connection = await asyncpg.connect(dsn, command_timeout=600)
    organization = int(
        await connection.fetchval("insert into organization (name) values ($1) returning id", _NAME)
    )
    for text in _FILL:
        await connection.execute(text, organization, *([STYLES] if "$2" in text else ()))
    await connection.execute("vacuum analyze")
    await connection.close()
    return organization


async def _database(dsn: str) -> psutil.Process:
    """Return the first process of the database server."""
    connection = await asyncpg.connect(dsn)
    process = psutil.Process(connection.get_server_pid()).parent()
    await connection.close()
    assert process is not None
    return process


def _seconds(processes: Sequence[psutil.Process]) -> float:
    """Return the processor time of processes and of all that they have started."""
    running = [child for each in processes for child in each.children(recursive=True)]
    ended = sum(sum(each.cpu_times()[:4]) for each in processes)
    return float(ended + sum(sum(each.cpu_times()[:2]) for each in running))


async def _pages(
    api: Api, path: str, query: dict[str, str], processes: Sequence[psutil.Process]
) -> list[list[float]]:
    """Return the milliseconds of a page, of processor time and by the clock, for each ten pages."""
    figures, texts = list[list[float]](), {**query, "pageSize": "30"}
    while True:
        before = _seconds(processes), time.perf_counter()
        for _ in range(_SOME):
            answer = await api.get(path, texts)
            assert answer.status == 200, answer.raw[:500]
            if not answer.json["pagination"]["hasMore"]:
                return figures
            texts = {"cursor": answer.json["pagination"]["cursor"]}
        after = _seconds(processes), time.perf_counter()
        figures.append([1000 * (b - a) / _SOME for a, b in zip(before, after, strict=True)])


async def _run(service: Running, dsn: str, organization: int) -> None:
    processes = [await _database(dsn), psutil.Process(service.process.pid)]
    async with aiohttp.ClientSession(service.base_url) as session:
        api = Api(cast(Any, session), await issue_key(dsn, organization))
        for path, query in _LISTS.items():
            figures = await _pages(api, path, query, processes)
            for name, index in (("first", 1), ("middle", len(figures) // 2), ("last", -1)):
                processor, wall = figures[index]
                times = f"{processor:.0f} ms of processor time, {wall:.0f} ms"
                print(f"{path}, {name} pages of 30: {times}", flush=True)


def run() -> None:
    """Measure, and print the figures."""
    with template_server() as server, tempfile.TemporaryDirectory() as folder:
        dsn = fresh_database(server, "products", DEMO_TEMPLATE)
        organization = asyncio.run(_fill(dsn))
        settings = {"DATABASE_URL": dsn, "LOG_LEVEL": "critical"}
        with executed(Path(folder), "serve", **settings) as service:
            asyncio.run(_run(service, dsn, organization))
