"""Tests of pending requests: those without a response are repeated with their keys (Files)."""

import time
from typing import Any

import pytest

from service.client import Client, FailureError, ForbiddenError, UnreachableError
from service.transfer.id_map import IdMap, open_id_map
from service.transfer.pending import PendingRequest, resend_pending, send_pending
from tests.client.fault_proxy import Fault, start_fault_proxy
from tests.transfer.conftest import ONCE, ImportFolder, TransferEnvironment, listed

pytestmark = pytest.mark.contract("Files")

DAY = 24 * 3600.0


def request(name: str = "Trims", asked_at: float | None = None) -> PendingRequest:
    items = [{"name": name}]
    return PendingRequest(
        "sub-suppliers", "create", None, items, ["1"], ["00" * 16], asked_at=asked_at
    )


async def test_a_key_that_may_only_read_leaves_the_request_pending(
    environment: TransferEnvironment, keys: dict[str, str], client: Client, folder: ImportFolder
) -> None:
    """It was carried out before: dropped, it would be done a second time."""
    folder.write("sub-suppliers.ndjson", {"id": 1, "name": "Trims"})
    async with (
        start_fault_proxy(environment.url) as (proxy, url),
        Client(url, keys["write"], retry_policy=ONCE) as cut,
    ):
        proxy.faults.append(Fault.CUT_AFTER)
        with pytest.raises(UnreachableError):
            await folder.import_records(cut)
    async with Client(str(environment.url), keys["read"]) as reader:
        with pytest.raises(ForbiddenError):
            await folder.import_records(reader)
    assert await folder.import_records(client) == {"sub-suppliers": {"not sent": 1}}
    assert len(await listed(client, "sub-suppliers")) == 1


class Refusing:
    """Client whose writes are refused."""

    def __init__(self, status: int, error_type: str) -> None:
        self.error = FailureError(status, error_type, ())

    def collection(self, _: str) -> "Refusing":
        return self

    async def write(self, *_: Any, **__: Any) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("status", "error_type", "is_kept"),
    [
        (400, "validation_error", False),
        (403, "forbidden.organization", False),
        (409, "conflict.duplicate", False),
        (413, "payload_too_large", False),
        (401, "unauthorized", True),
        (403, "forbidden.scope", True),
        (409, "conflict.in_progress", True),
        (429, "too_many_requests", True),
        (503, "server_error.unavailable", True),
    ],
)
async def test_only_what_decides_a_request_ends_it(
    folder: ImportFolder, status: int, error_type: str, is_kept: bool
) -> None:
    refusing: Any = Refusing(status, error_type)
    with open_id_map(folder.path / "ids.sqlite3", dry_run=False) as id_map:
        with pytest.raises(FailureError):
            await send_pending(refusing, id_map, request(), "a key")
        assert pending(id_map) == ["a key"] * is_kept


async def test_refused_and_old_requests_are_not_resent(
    client: Client, folder: ImportFolder
) -> None:
    """Its lines are sent anew. The service may have forgotten a key that is a day old."""
    with open_id_map(folder.path / "ids.sqlite3", dry_run=False) as id_map:
        id_map.add_pending("refused", request(" "))
        id_map.add_pending("old", request("Old", asked_at=time.time() - DAY))
        id_map.add_pending("new", request("New", asked_at=time.time()))
        await resend_pending(client, id_map)
        assert pending(id_map) == []
    assert [record["name"] for record in await listed(client, "sub-suppliers")] == ["New"]


def pending(id_map: IdMap) -> list[str]:
    return [key for key, _ in id_map.pending_requests()]
