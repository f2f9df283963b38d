"""Query plans of ranges and allocations, which read blocks of numbers and not each stored one.

The numbers that earlier releases stored are few; they are read one by one.
"""

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.schemas.formats import check_digit
from tests.support.api import Api, issue_key
from tests.support.counted_plans import counted
from tests.support.databases import fresh_database
from tests.support.serving import serving

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Allocation of barcodes"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

STORED, OF_EARLIER_RELEASES = 20_000, 40
NUMBERS = 30
MOST_ROWS = 8_000
"""Blocks, and the numbers of some: at the ends of a range, and where the next free one is."""
PREFIX = "952177"
SHAPES = {"without a gap": 1, "every second number": 2}


async def store_by_hand(dsn: str, step: int) -> None:
    """Store numbers of a range as the service does, the last ones as an earlier release."""
    digits = [f"{PREFIX}{reference:06}" for reference in range(0, STORED * step, step)]
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        """insert into barcode (organization_id, barcode, type, gtin14, is_counted)
        select 1, number, 'gtin13', '0' || number, n <= $2
        from unnest($1::text[]) with ordinality as sent(number, n)""",
        [each + check_digit(each) for each in digits],
        STORED - OF_EARLIER_RELEASES,
    )
    await connection.execute(
        """insert into barcode_block
        select 1, left(gtin14, 10)::bigint, count(*) from barcode where is_counted group by 2"""
    )
    await connection.execute("analyze barcode, barcode_block")
    await connection.close()


@pytest.mark.contract("Barcode ranges")
@pytest.mark.parametrize("step", SHAPES.values(), ids=SHAPES)
async def test_ranges_and_allocations_read_blocks(
    server_dsn: str, worker_id: str, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    dsn = fresh_database(server_dsn, f"allocation_{worker_id}")
    connection = await asyncpg.connect(dsn)
    await connection.execute("insert into organization (id, name) values (1, 'New')")
    await connection.close()
    with counted(monkeypatch) as rows:
        async with serving(dsn, POOL_SIZE="1") as server, TestClient(server) as client:
            api = Api(client, await issue_key(dsn, 1))
            body = {"name": "Own", "type": "gtin13", "companyPrefix": PREFIX, "isDefault": True}
            made = await api.post("/api/barcode-ranges", body)
            assert made.status == 201
            await store_by_hand(dsn, step)
            rows.clear()
            renamed = await api.put(
                f"/api/barcode-ranges/{made.data['id']}", {"name": "All", "state": "active"}
            )
            shown = (renamed.data["nextReference"], renamed.data["free"])
            assert shown == (STORED if step == 1 else 1, 10**6 - STORED)
            for _ in range(2):
                answer = await api.post("/api/barcodes/allocate", [{"count": NUMBERS}])
                assert len(answer.data) == NUMBERS
            assert any("generate_series" in text for text in rows)
            assert {text: n for text, n in rows.items() if n > MOST_ROWS} == {}
