"""Assortment benchmark: generation of SKUs with GTINs, and bulk writes of SKUs beside colors.

``python -m benchmarks.assortment`` serves the demo data with two workers. It prints the seconds of
one ``generate`` of 9,600 SKUs, those of reads of another organization meanwhile, and the time of a
bulk PUT of 1,000 SKUs by key in relation to that of 1,000 colors.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Final, cast

import aiohttp

from tests.support.api import Answer, Api, issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.processes import executed

STYLES, COLORS, SIZES, BULK = 200, 6, 8, 1000
_ROUNDS: Final = 3
_PAIRS: Final = 9
_CALM_SECONDS: Final = 4.0
_NUMBERS: Final = count(1)


class Shop:
    """Records of an organization that a generation needs."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def send(self, method: str, path: str, body: Any) -> Any:
        """Return the data of a successful response."""
        answer = await self._api.call(method, path, body)
        assert answer.status < 300, answer.raw[:500]
        return answer.data

    async def fill(self) -> None:
        """Create sizes, colors and a range of numbers."""
        self.sizes = (await self.send("POST", "/api/size-ranges", {"name": "Benchmark"}))["id"]
        names = [{"name": f"B{number}"} for number in range(SIZES)]
        await self.send("PUT", f"/api/size-ranges/{self.sizes}/sizes", names)
        colors = [{"name": f"B{n}", "userDefinedId": f"BENCH-{n}"} for n in range(BULK)]
        self.colors = await self.send("POST", "/api/colors", colors)
        numbers = {"name": "Benchmark", "type": "gtin13", "companyPrefix": "9529"}
        self.range = (await self.send("POST", "/api/barcode-ranges", numbers))["id"]

    async def styles(self) -> list[dict[str, Any]]:
        """Create styles in some colors; return the body that generates their SKUs."""
        numbers = [f"BENCH-{next(_NUMBERS)}" for _ in range(STYLES)]
        items = [{"number": n, "name": "Benchmark", "sizeRangeId": self.sizes} for n in numbers]
        styles = await self.send("POST", "/api/styles", items)
        pairs = [
            {"styleId": style["id"], "colorId": color["id"]}
            for style in styles
            for color in self.colors[:COLORS]
        ]
        for start in range(0, len(pairs), BULK):
            await self.send("POST", "/api/style-colors", pairs[start : start + BULK])
        return [{"styleId": style["id"], "barcodeRangeId": self.range} for style in styles]


async def _reads(api: Api, is_over: Callable[[], bool]) -> list[float]:
    """Return the seconds of reads, one after the other; no page is read twice in a row."""
    seconds = list[float]()
    for number in count():
        if is_over():
            return seconds
        started = time.perf_counter()
        query = {"pageSize": "30", "pageNumber": str(number % 50 + 1)}
        answer = await api.get("/api/style-relations", query)
        assert answer.status == 200, answer.raw[:500]
        seconds.append(time.perf_counter() - started)
    raise AssertionError("unreachable")


def _is_past(end: float) -> bool:
    return time.perf_counter() > end


async def _timed(call: Awaitable[Answer]) -> float:
    started = time.perf_counter()
    answer = await call
    assert answer.status in (200, 201), answer.raw[:500]
    return time.perf_counter() - started


async def _generate(shop: Shop, api: Api, other: Api) -> None:
    """Print the seconds of generations, and those of another organization's reads."""
    for _ in range(_ROUNDS):
        body = await shop.styles()
        end = time.perf_counter() + _CALM_SECONDS
        calm = await _reads(other, partial(_is_past, end))
        generation = asyncio.create_task(_timed(api.post("/api/style-skus/generate", body)))
        busy = await _reads(other, generation.done)
        ratio = median(busy) / median(calm)
        print(
            f"generate {STYLES * COLORS * SIZES} SKUs with GTINs: {await generation:.2f} s; "
            f"another organization's reads: {1000 * median(calm):.1f} ms calm, "
            f"{1000 * median(busy):.1f} ms meanwhile ({ratio:.1f} times, {len(busy)} reads, "
            f"longest {1000 * max(busy):.0f} ms)"
        )


async def _bulk(shop: Shop, api: Api) -> None:
    """Print the ratio of pairs of bulk writes by key, in which every record changes."""
    rows = await shop.send("POST", "/api/style-skus/generate", (await shop.styles())[:25])
    skus = [
        {"sku": row["key"], "state": "active"}
        | {name: row[name] for name in ("styleColorId", "sizeRangeSizeId")}
        for row in rows[:BULK]
    ]
    ratios, times = [], []
    for number in range(_PAIRS):
        own = [sku | {"netWeight": number} for sku in skus]
        colors = [
            {"userDefinedId": f"BENCH-{n}", "name": f"B{n} {number}", "state": "active"}
            for n in range(BULK)
        ]
        of_skus = await _timed(api.put("/api/style-skus", own, params={"match": "sku"}))
        params = {"match": "userDefinedId"}
        of_colors = await _timed(api.put("/api/colors", colors, params=params))
        ratios.append(of_skus / of_colors)
        times.append((of_skus, of_colors))
    first, second = (1000 * median(column) for column in zip(*times, strict=True))
    print(
        f"bulk PUT of {len(skus)} SKUs by key: {first:.0f} ms, of {BULK} colors {second:.0f} ms;"
        f" median of {_PAIRS} pairs {median(ratios):.2f}"
    )


async def _run(base_url: str, dsn: str) -> None:
    # A connection that the service closes while it is idle would fail the next request.
    connector = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(base_url, connector=connector) as session:
        api, other = [Api(cast(Any, session), await issue_key(dsn, n)) for n in (1, 2)]
        shop = Shop(api)
        await shop.fill()
        await _generate(shop, api, other)
        await _bulk(shop, api)


def main() -> int:
    """Measure, and print the figures."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with template_server() as server, tempfile.TemporaryDirectory() as folder:
        dsn = fresh_database(server, "assortment", DEMO_TEMPLATE)
        settings = {"DATABASE_URL": dsn, "WORKERS": "2", "LOG_LEVEL": "critical"}
        with executed(Path(folder), "serve", **settings) as service:
            asyncio.run(_run(service.base_url, dsn))
    return 0


if __name__ == "__main__":
    sys.exit(main())
