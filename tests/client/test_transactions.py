"""Tests of transactions over collections by the client."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from selvedge_client import BlockingClient, Client, FailureError, transactions
from service.limits import MAX_TRANSACTION_BYTES
from tests.client.conftest import ServiceAddress
from tests.client.fault_proxy import Fault, FaultProxy

pytestmark = pytest.mark.contract("Transactions over collections")


def style(mark: str) -> dict[str, object]:
    brand = {"customId": mark}
    return {"number": mark, "name": "Coat", "brandId": brand, "state": "active"}


def brand(mark: str) -> dict[str, object]:
    return {"customId": mark, "name": "Brand", "state": "active"}


async def test_entries_are_sent_at_the_end_of_the_context(selvedge: Client) -> None:
    async with selvedge.transaction() as batch:
        batch.upsert("styles", style("CT-1"))
        batch.upsert("brands", brand("CT-1"))
    assert [(name, row.outcome) for name, row in batch.outcomes] == [
        ("styles", "created"),
        ("brands", "created"),
    ]
    with suppress(KeyError):
        async with selvedge.transaction() as batch:
            batch.delete("styles", {"number": "CT-1"})
            raise KeyError
    assert (batch.outcomes, len(batch)) == ([], 1)
    batch = selvedge.transaction()
    batch.merge("styles", style("CT-2"))
    batch.create("brands", {"customId": "CT-2", "name": 5})
    with pytest.raises(FailureError, match="which creates it, fails"):
        await batch.send()
    async with selvedge.transaction(skip=True, dry_run=True) as batch:
        batch.merge("styles", style("CT-2"))
    [(_, row)] = batch.outcomes
    assert (row.outcome, row.details[0].field) == ("failed", "[0].item.brandId")


async def test_only_callers_who_allow_it_get_several_transactions(
    selvedge: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "_MAX_BYTES", 200)
    async with selvedge.transaction(splits=True, skip=True) as batch:
        for number in range(9):
            batch.upsert("brands", brand(f"CS-{number}") | ({"name": 5} if number == 8 else {}))
    outcomes = [row.outcome for _, row in batch.outcomes]
    assert outcomes == [*["created"] * 8, "failed"]
    assert batch.outcomes[8][1].details[0].field == "[8].item.name"
    batch = selvedge.transaction(splits=True)
    for number in range(9, 18):
        batch.upsert("brands", brand(f"CS-{number}") | ({"name": 5} if number == 17 else {}))
    with pytest.raises(FailureError) as failed:
        await batch.send()
    assert failed.value.details[0].field == "[8].item.name"
    with pytest.raises(ValueError, match="leave out key or splits"):
        selvedge.transaction(splits=True, key="night")
    monkeypatch.setattr(transactions, "MAX_ENTRIES", 20_000)
    monkeypatch.setattr(transactions, "_MAX_BYTES", 2**30)
    gone = {"userDefinedId": "NONE"}
    for splits in (False, True):
        batch = selvedge.transaction(splits=splits)
        for number in range(10_001):
            batch.delete("colors", gone | {"userDefinedId": f"NONE {number}"})
        if splits:
            assert len(await batch.send()) == 10_001
        else:
            with pytest.raises(FailureError, match="10000 items"):
                await batch.send()


@pytest.mark.parametrize(("styles", "prices", "requests"), [(3_000, 10, 1), (30_000, 1, 3)])
async def test_a_night_of_30_000_prices_takes_few_requests(
    selvedge: Client, monkeypatch: pytest.MonkeyPatch, styles: int, prices: int, requests: int
) -> None:
    sent = list[int]()

    async def send(*call: Any) -> None:
        _, _, lines, start, end = call
        sent.append(sum(map(len, lines[start:end])))

    monkeypatch.setattr(transactions.Transaction, "_send", send)
    batch = selvedge.transaction(splits=True)
    for number in range(styles):
        price = {
            "styleColorId": {"colorId": {"userDefinedId": "NVY"}},
            "sizeRangeSizeId": {"name": "M"},
            "minimumQuantity": 1,
            "amount": "79.90",
        }
        row = {"priceListId": {"userDefinedId": "RRP"}, "prices": [price] * prices}
        batch.upsert("style-prices", {"styleId": {"number": f"{number}"}, "priceLists": [row]})
    await batch.send()
    assert len(sent) == requests
    assert max(sent) < MAX_TRANSACTION_BYTES


async def test_retries_write_once(proxied: tuple[FaultProxy, Client]) -> None:
    proxy, client = proxied
    proxy.faults = [Fault.CUT_AFTER]
    async with client.transaction() as batch:
        batch.create("brands", brand("CR-1"))
    [(_, row)] = batch.outcomes
    assert (row.outcome, row.is_replayed) == ("created", True)


async def test_programs_without_an_event_loop_send_transactions(
    service_address: ServiceAddress,
) -> None:
    def use() -> list[str]:
        with BlockingClient(str(service_address.url), service_address.writer) as client:
            with client.transaction() as batch:
                batch.upsert("brands", brand("CB-1"))
                batch.merge("styles", style("CB-1"))
            return [row.outcome for _, row in batch.outcomes]

    assert await asyncio.to_thread(use) == ["created", "created"]
