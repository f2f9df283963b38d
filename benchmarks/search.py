"""Benchmark of searches by words in 10^4 to 10^7 colors, beside a look-up by id."""

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import quote_plus

import asyncpg
import orjson
import uvloop

from benchmarks import load, report
from benchmarks.contestants import contestant
from benchmarks.data import ORGANIZATION, Data
from benchmarks.load import Request
from tests.support.reports import table, write_section

_SMALLEST: Final = 10**4
_CHUNK: Final = 10**6
_PATH: Final = "/api/colors"
#: Requests of a kind, each with a text or id of its own, so that no response is cached.
_REPEATS: Final = 100
_SECONDS: Final = 20
_BY_KEY: Final = "`q`: a whole key"
_SHADES: Final = (
    *(
        "Deep",
        "Pale",
        "Dusty",
        "Bright",
        "Faded",
        "Warm",
        "Cool",
        "Dark",
        "Light",
        "Muted",
        "Washed",
    ),
    *("Burnt", "Frosted", "Heather", "Melange", "Neon", "Organic", "Pastel", "Rich", "Soft"),
)
_HUES: Final = (
    *("Amber", "Aqua", "Azure", "Beige", "Berry", "Black", "Blue", "Bordeaux", "Bronze", "Brown"),
    *("Camel", "Charcoal", "Coral", "Crème", "Denim", "Ecru", "Fuchsia", "Gold", "Green", "Grey"),
    *("Indigo", "Ivory", "Jade", "Khaki", "Lavender", "Lemon", "Lilac", "Lime", "Mauve", "Mint"),
    *("Mustard", "Navy", "Ocher", "Olive", "Orange", "Peach", "Petrol", "Pink", "Plum", "Purple"),
    *("Red", "Rose", "Ruby", "Rust", "Sage", "Salmon", "Sand", "Silver", "Slate", "Steel", "Taupe"),
    *("Teal", "Terracotta", "Turquoise", "Vanilla", "Violet", "Walnut", "White", "Wine", "Yellow"),
)
_GROW: Final = """
insert into color (organization_id, name, user_defined_id, color_reference, color_note)
select $1::bigint,
    ($2::text[])[n % cardinality($2::text[]) + 1] || ' '
        || ($3::text[])[n / cardinality($2::text[]) % cardinality($3::text[]) + 1] || ' '
        || n / cardinality($2::text[]) / cardinality($3::text[]),
    'C' || n, n % 20 || '-' || 1000 + n % 8999 || ' TCX', 'Lab dip requested.'
from generate_series($4::bigint, $5::bigint) as n
"""
_SECTION: Final = """\
## Search by words

Milliseconds of one caller while nothing else goes on (medians of up to {repeats}), by the number of
colors of the organization. No text is searched for twice, so that no response is cached. Each color
has a name such as `Deep Navy 17`, a key such as `C204017` and a reference such as `19-4024 TCX`.

{table}

How many times as long as a look-up by id a search for a whole key takes: {ratios}.

{environment}
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """Kind of request, and the query strings of its requests."""

    title: str
    queries: list[str]


def run(measured: Data, largest: int, docs: Path = report.DOCS) -> None:
    """Measure, and write the section of the document after each size."""
    with (
        TemporaryDirectory(prefix="selvedge-search-") as folder,
        contestant("selvedge", measured.dsn, Path(folder)) as server,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        milliseconds: dict[int, dict[str, float]] = {}
        size = _SMALLEST
        while size <= largest:
            first_id = runner.run(_grow(measured.dsn, size // 10 * (size > _SMALLEST), size))
            milliseconds[size] = {}
            for kind in _kinds(size, first_id):
                milliseconds[size][kind.title] = runner.run(
                    _measure(server.port, measured.key, kind)
                )
                print(
                    f"{size:>12,}  {kind.title:<46}{milliseconds[size][kind.title]:8.2f} ms",
                    flush=True,
                )
            _write(milliseconds, measured.postgres, docs)
            size *= 10


def _kinds(size: int, first_id: int) -> Iterator[Kind]:
    """Yield each kind of request among that many colors, whose ids begin with `first_id`."""
    random = Random(size)
    numbers = random.sample(range(1, size), _REPEATS)
    words = [(_SHADES[n % len(_SHADES)], _HUES[n // len(_SHADES) % len(_HUES)]) for n in numbers]
    per_name = len(_SHADES) * len(_HUES)
    yield Kind("by id", [f"id={first_id + n - 1}" for n in numbers])
    yield _search(_BY_KEY, [f"C{n}" for n in numbers], size)
    yield _search(
        "`q`: the beginning of a key, at most 11 colors", [f"C{n}"[:-1] for n in numbers], size
    )
    names = [
        f"{shade} {hue} {n // per_name}" for n, (shade, hue) in zip(numbers, words, strict=True)
    ]
    yield _search("`q`: a whole name, in capitals", [name.upper() for name in names], size)
    yield _search(
        "`q`: the beginnings of two words", [f"{shade[:4]} {hue[:4]}" for shade, hue in words], size
    )
    yield _search("`q`: a word of every 60th color", list(_HUES), size)


def _search(title: str, texts: Sequence[str], size: int) -> Kind:
    """Return searches whose targets differ between sizes: growth does not end cached responses."""
    texts = [f"{text:<{len(text) + len(str(size))}}" for text in dict.fromkeys(texts)]
    return Kind(title, [f"q={quote_plus(text)}" for text in texts])


async def _measure(port: int, key: str, kind: Kind) -> float:
    """Return the median response time, in milliseconds; slow requests are sent less often."""
    times: list[float] = []
    until = time.perf_counter() + _SECONDS
    for query in kind.queries:
        request = Request("GET", f"{_PATH}?{query}").encoded(key)
        started = time.perf_counter()
        assert orjson.loads(await load.ask(port, request))["data"], query
        times.append(time.perf_counter() - started)
        if time.perf_counter() > until:
            break
    return statistics.median(times) * 1000


async def _grow(dsn: str, done: int, size: int) -> int:
    """Create the colors after `done` up to a number, and return the id of the first of all."""
    connection = await asyncpg.connect(dsn, command_timeout=3600)
    try:
        for low in range(done, size, _CHUNK):
            high = min(low + _CHUNK, size)
            await connection.execute(_GROW, ORGANIZATION, _SHADES, _HUES, low + 1, high)
        await connection.execute("vacuum analyze color")
        statement = (
            "select min(id) from color where organization_id = $1 and user_defined_id = 'C1'"
        )
        return int(await connection.fetchval(statement, ORGANIZATION))
    finally:
        await connection.close()


def _write(milliseconds: dict[int, dict[str, float]], postgres: str, docs: Path) -> None:
    kinds = list(next(iter(milliseconds.values())))
    rows = [
        [kind, *(f"{of_kind[kind]:.2f}" for of_kind in milliseconds.values())] for kind in kinds
    ]
    header = ["request", *(f"{size:,}" for size in milliseconds)]
    ratios = (f"{of_kind[_BY_KEY] / of_kind[kinds[0]]:.2f}" for of_kind in milliseconds.values())
    text = _SECTION.format(
        repeats=_REPEATS,
        table=table([header, *rows]),
        ratios=", ".join(ratios),
        environment=report.environment(postgres),
    )
    write_section(docs / report.PAGE, "make bench-scale: search", text)
