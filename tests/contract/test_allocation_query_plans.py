"""Query plans of allocations: they read what they give out and pass over, not what a range has."""

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

STORED, NUMBERS, PASSED_OVER = 20_000, 30, 50
MOST_ROWS = 20 * (NUMBERS + PASSED_OVER)
PREFIX = "952177"


async def store_by_hand(dsn: str) -> None:
    """Store every second number of a range, behind the leading ones without a gap."""
    references = [*range(PASSED_OVER), *range(PASSED_OVER + 1, 2 * STORED, 2)]
    digits = [f"{PREFIX}{reference:06}" for reference in references]
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        """insert into barcode (organization_id, barcode, type, gtin14)
        select 1, number, 'gtin13', '0' || number from unnest($1::text[]) as number""",
        [each + check_digit(each) for each in digits],
    )
    await connection.execute("analyze barcode")
    await connection.close()


async def test_allocations_read_what_they_need(
    server_dsn: str, worker_id: str, monkeypatch: pytest.MonkeyPatch
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
            await store_by_hand(dsn)
            for _ in range(2):
                rows.clear()
                answer = await api.post("/api/barcodes/allocate", [{"count": NUMBERS}])
                assert len(answer.data) == NUMBERS
                assert any("generate_series" in text for text in rows)
                assert {text: n for text, n in rows.items() if n > MOST_ROWS} == {}
