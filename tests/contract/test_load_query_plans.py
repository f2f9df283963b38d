"""Query plans of large writes: a row is written by the same few rows read, however many there are.

The statistics do not know the organization, as in the first hours of a migration.
"""

from random import Random
from typing import Any, Final

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from selvedge_client.documents import OWN_KEYS
from service.resources.registry import TRANSACTION
from service.schemas.formats import check_digit
from tests.support import random_sets
from tests.support.api import Api, issue_key
from tests.support.counted_plans import counted
from tests.support.databases import fresh_database
from tests.support.sampling import Sample, examples
from tests.support.serving import serving
from tests.support.transactions import entry, send, shown

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Transactions over collections", "Bulk"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

RECORDS: Final = examples(400, 10_000)
MOST_ROWS: Final = 150
"""Most rows that a statement reads for a record: a sample request has sizes with several lines."""
COLLECTIONS: Final = Sample(__name__)([*TRANSACTION.collections], 6)
NEW: Final = 3


def writes(collection: str, random: Random) -> list[dict[str, Any]]:
    """Return entries of many records of a collection, which refer to records of the same number."""
    entries = [random_sets.write(collection, str(n), random) for n in range(RECORDS)]
    for n, each in enumerate(entries if collection == "barcodes" else ()):
        digits = f"90{n:010}"
        each["item"] |= {"barcode": digits + check_digit(digits), "type": "gtin13"}
    return entries


@pytest.fixture
async def dsn(server_dsn: str, worker_id: str) -> str:
    """The DSN of a database with a new organization, which was never analyzed."""
    dsn = fresh_database(server_dsn, f"load_{worker_id}")
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        """insert into organization (id, name, multiple_language, pro, unique_keys)
        values ($1, 'New', true, true, true)""",
        NEW,
    )
    await connection.close()
    return dsn


async def test_rows_read_are_in_proportion_to_the_rows_written(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When records are new, are sent again, change, and are deleted, unless others use them."""
    random, offenses = Random(1), dict[Any, float]()
    with counted(monkeypatch) as rows:
        async with serving(dsn, POOL_SIZE="1") as server, TestClient(server) as client:
            api = Api(client, await issue_key(dsn, NEW))

            async def write(entries: list[dict[str, Any]], phase: str) -> None:
                rows.clear()
                answer = await send(api, entries)
                assert phase == "deleted" or shown(answer)
                for text, count in rows.items():
                    if count > MOST_ROWS * RECORDS:
                        offenses[entries[0]["collection"], phase, text] = count / RECORDS

            shown(await send(api, random_sets.every(random)))
            for collection in TRANSACTION.collections:
                entries, rows.is_paused = writes(collection, random), collection not in COLLECTIONS
                await write(entries, "new")
                if collection in COLLECTIONS:
                    await write(entries, "again")
                    await write(writes(collection, random), "changed")
            rows.is_paused = False
            for collection in reversed(COLLECTIONS):
                if collection in OWN_KEYS and collection != "barcodes":
                    keys = [random_sets.key(collection, str(n)) for n in range(RECORDS)]
                    await write([entry(collection, "delete", **key) for key in keys], "deleted")
    assert offenses == {}
