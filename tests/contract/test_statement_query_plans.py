"""Query plans of every statement, for an organization that the statistics lack.

Child tables are reached through their owners (``service/database/planner_statistics.py``): no
nested loop reads the children of the whole organization for each row.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import asyncpg
import orjson
import psycopg
import pytest
from aiohttp.test_utils import TestClient

from service.database.planner_statistics import children
from service.resources.registry import MASTER_RECORDS
from service.routes import Route
from tests.contract.test_document_query_plans import ADMINISTRATIVE, TENANT_TABLES
from tests.contract.test_every_route import SUCCESSES
from tests.contract.test_page_query_plans import nodes
from tests.support.api import Api, issue_key
from tests.support.parametrize import CALLERS_ROUTES
from tests.support.sampling import Sample
from tests.support.serving import serving

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Budgets"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

CHILDREN = TENANT_TABLES - {resource.table for resource in MASTER_RECORDS} - ADMINISTRATIVE
LARGE, UNKNOWN, ROWS = 100, 3, 20_000
#: Size ranges show the name of one size each, by which lists filter and sort before the page.
DEFAULT_SIZES = "s.name as default_grading_size_name"


class Sent(NamedTuple):
    """Statement as sent: its arguments, and whether sequential scans were allowed."""

    arguments: tuple[Any, ...]
    is_write: bool


async def sent_by_routes(
    dsn: str, chosen: list[Route], monkeypatch: pytest.MonkeyPatch
) -> dict[str, Sent]:
    """Send a successful request to each route and return the statements by text."""
    sent, connect = dict[str, Sent](), asyncpg.connect

    async def logged(*arguments: Any, **options: Any) -> asyncpg.Connection:
        connection = await connect(*arguments, **options)
        connection.add_query_logger(
            lambda record: sent.setdefault(
                record.query, Sent(tuple(record.args), connection.is_in_transaction())
            )
        )
        return connection

    connection = await asyncpg.connect(dsn)
    row = await connection.fetchrow(
        """select r.style_id, s.sample_request_id, s.size_range_size_id,
            (select min(price_list_id) from style_price)
        from sample_request r join sample_request_size s on s.sample_request_id = r.id
        where r.organization_id = 1 and s.organization_id = 1 limit 1"""
    )
    await connection.close()
    names = ("styleId", "sampleRequestId", "sizeRangeSizeId", "priceListId")
    stored = dict(zip(names, row, strict=True))
    monkeypatch.setattr(asyncpg, "connect", logged)
    async with serving(dsn, POOL_SIZE="1") as server, TestClient(server) as client:
        api = Api(client, await issue_key(dsn, 1))
        for route in chosen:
            answer = await SUCCESSES[route.operation.name](api, route, stored)
            assert answer.status in (200, 201), answer.raw
    monkeypatch.undo()
    begins = re.compile(r"(--.*\n)*\s*(with|select|insert|update|delete)\b")
    return {text: arguments for text, arguments in sent.items() if begins.match(text)}


def grow(dsn: str, texts: str) -> None:
    """Repeat the children of organization 1 in a large organization, without what they refer to.

    Only children that the texts of statements name.
    """
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")
        owners = children(connection)
        for table in owners.keys() & {*re.findall(r"\w+", texts)}:
            owner = owners[table]
            names = [
                name
                for (name,) in connection.execute(
                    """select attname from pg_attribute where attrelid = %s::regclass
                    and attnum > 0 and not attisdropped and attgenerated = ''""",
                    [table],
                )
            ]
            moved = [LARGE if name == "organization_id" else name for name in names]
            shown = ", ".join(
                f"{name} + n * 1000000" if name in ("id", owner) else str(name) for name in moved
            )
            connection.execute(
                f"""insert into {table} ({", ".join(names)})
                select {shown} from {table}, generate_series(1, {ROWS} / (
                    select count(*) from {table} where organization_id = 1
                )) n where organization_id = 1""".encode()
            )


def per_row(plan: dict[str, Any], table: str = "", is_repeated: bool = False) -> Iterator[Any]:
    """Yield every scan by the organization alone that a nested loop repeats for each row.

    One that a hash or merge join reads once costs what the organization's rows cost, once.
    """
    table = plan.get("Relation Name", table)
    kind = plan["Node Type"]
    is_scan = kind in ("Index Scan", "Index Only Scan", "Bitmap Index Scan", "Seq Scan")
    is_child = table in CHILDREN
    if is_scan and is_repeated and is_child and not is_by_owner(plan):
        yield table, kind, plan.get("Index Name")
    for part in plan.get("Plans", ()):
        relation = part["Parent Relationship"]
        if relation == "InitPlan":
            yield from per_row(part)
            continue
        inner = kind == "Nested Loop" and (relation == "Inner" or "Join Filter" in plan)
        goes_on = is_repeated and kind != "Hash"
        yield from per_row(part, table, inner or goes_on)


def is_by_owner(node: dict[str, Any]) -> bool:
    """Return whether an index condition has more than the organization."""
    columns = re.findall(r"\b([a-z_]+) (?:=|<|>|<=|>=) ", node.get("Index Cond", ""))
    return bool({*columns} - {"organization_id"})


async def plans(connection: asyncpg.Connection, text: str, sent: Sent) -> dict[str, Any]:
    """Return the custom and the generic plan of a statement for the unknown organization."""
    first, *others = sent.arguments or (None,)
    arguments = [UNKNOWN if first == 1 else first, *others][: len(sent.arguments)]
    await connection.execute(f"set enable_seqscan = {'off' if sent.is_write else 'on'}")
    custom = await connection.fetchval(f"explain (format json) {text}", *arguments)
    await connection.execute(f"prepare asked as {text}")
    await connection.execute("set plan_cache_mode = force_generic_plan")
    empty = f"({', '.join(['null'] * len(arguments))})" if arguments else ""
    generic = await connection.fetchval(f"explain (format json) execute asked{empty}")
    await connection.execute("reset plan_cache_mode; deallocate asked")
    return {"custom": orjson.loads(custom), "generic": orjson.loads(generic)}


async def test_children_are_reached_through_their_owners(
    demo_dsn: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = sample(CALLERS_ROUTES, 20)
    sent = await sent_by_routes(demo_dsn, chosen, monkeypatch)
    assert len(sent) > len(chosen)
    grow(demo_dsn, " ".join(sent))
    connection = await asyncpg.connect(demo_dsn, server_settings={"jit": "off"})
    await connection.execute("analyze")
    scans = list[Any]()
    for text, arguments in sent.items():
        for kind, plan in (await plans(connection, text, arguments)).items():
            scans += [
                (kind, *scan, text)
                for scan in per_row(plan[0]["Plan"])
                if DEFAULT_SIZES not in text
            ]
    await connection.close()
    assert not scans


async def test_updates_look_their_rows_up(demo_dsn: str) -> None:
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute(
        """insert into color (organization_id, id, name)
        select 1, 10000 + n, 'C' from generate_series(1, 2000) n; analyze color"""
    )
    (colors,) = (resource for resource in MASTER_RECORDS if resource.name == "colors")
    text = colors.statements["update"].text
    read = await plans(connection, text, Sent((1, "[]"), is_write=True))
    await connection.close()
    scans = [node for node in nodes(read["generic"][0]["Plan"]) if "Index Cond" in node]
    assert [*map(is_by_owner, scans)] == [True, True]
