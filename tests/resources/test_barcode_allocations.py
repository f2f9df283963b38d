"""Tests of the allocation of barcodes (contract, Allocation of barcodes)."""

import asyncio
from collections import Counter
from random import Random
from typing import Any

import asyncpg
import pytest

from service.resources.assortment.barcode_allocations import BarcodeAllocations
from tests.resources.test_barcode_ranges import OUT_OF_RANGE, RANGES, a_range
from tests.resources.test_barcodes import BARCODES, gtin
from tests.support.api import Answer, Api, replacing
from tests.support.transactions import SKIP, entry, send

pytestmark = pytest.mark.contract("Allocation of barcodes")

ALLOCATE = "/api/barcodes/allocate"
INVALID, UNKNOWN = "validation_error.invalid_value", "validation_error.unknown_reference"
REQUIRED = "validation_error.required_field"


async def new_range(api: Api, **fields: Any) -> dict[str, Any]:
    """Create a range with a prefix that no other test has."""
    return dict((await api.post(RANGES, a_range(**fields))).data)


def numbers(made: dict[str, Any], *references: int) -> list[str]:
    return [gtin(f"{made['companyPrefix']}{reference:05}") for reference in references]


def keys(answer: Answer) -> list[str]:
    assert answer.status in (200, 201), answer.raw
    return [row["key"] for row in answer.data]


async def test_the_lowest_free_numbers_are_given_out_in_order(api: Api) -> None:
    """Stored numbers are left out, deleted ones too; outcomes are in the order of the items."""
    first, other = await new_range(api, userDefinedId="R-1"), await new_range(api, isDefault=True)
    stored = (await api.post(BARCODES, [{"barcode": n} for n in numbers(first, 1, 3)])).data
    await api.delete(f"{BARCODES}/{stored[0]['id']}")
    sent = [
        {"barcodeRangeId": first["id"], "count": 2},
        {"count": 2},
        {"barcodeRangeId": {"userDefinedId": "R-1"}, "count": 1},
    ]
    answer = await api.post(ALLOCATE, sent)
    assert answer.status == 201
    assert keys(answer) == numbers(first, 0, 2) + numbers(other, 0, 1) + numbers(first, 4)
    row = answer.data[0]
    assert row == {"outcome": "created", "id": row["id"], "key": numbers(first, 0)[0]} | {
        "styleSkuId": None,
        "barcodeRangeId": first["id"],
        "details": [],
    }
    barcode = (await api.get(f"{BARCODES}/{row['id']}")).data
    assert (barcode["barcodeRangeId"], barcode["type"]) == (first["id"], "gtin13")
    shown = (await api.get(f"{RANGES}/{first['id']}")).data
    assert (shown["nextReference"], shown["free"]) == (5, 99995)
    # References that a range gets before its first one are the lowest then.
    location = f"{RANGES}/{(await new_range(api, firstReference=7))['id']}"
    made = (await api.get(location)).data
    assert keys(await api.post(ALLOCATE, [{"barcodeRangeId": made["id"], "count": 1}])) == numbers(
        made, 7
    )
    await api.patch(location, replacing("/firstReference", 6))
    again = await api.post(ALLOCATE, [{"barcodeRangeId": made["id"], "count": 2}])
    assert keys(again) == numbers(made, 6, 8)


async def test_the_twelve_digits_of_a_short_gtin(api: Api) -> None:
    body = a_range(type="gtin12", companyPrefix="652177")
    made = (await api.post(RANGES, body)).data
    [key] = keys(await api.post(ALLOCATE, [{"barcodeRangeId": made["id"], "count": 1}]))
    assert key == gtin("65217700000")


@pytest.mark.demo_data
async def test_ranges_that_give_no_numbers(api: Api) -> None:
    few = await new_range(api, firstReference=88, lastReference=99)
    inactive = await new_range(api, state="inactive")
    gone = await new_range(api)
    await api.delete(f"{RANGES}/{gone['id']}")
    cases = [
        ({"barcodeRangeId": inactive["id"], "count": 1}, (INVALID, "[0].barcodeRangeId")),
        ({"barcodeRangeId": gone["id"], "count": 1}, (UNKNOWN, "[0].barcodeRangeId")),
        ({"barcodeRangeId": 2**60, "count": 1}, (UNKNOWN, "[0].barcodeRangeId")),
        ({"barcodeRangeId": {"userDefinedId": "-"}, "count": 1}, (UNKNOWN, "[0].barcodeRangeId")),
        ({"barcodeRangeId": few["id"]}, (REQUIRED, "[0].count")),
        ({"count": 1001}, (OUT_OF_RANGE, "[0].count")),
    ]
    for item, error in cases:
        assert (await api.post(ALLOCATE, [item])).details == [error]
    twice = [{"barcodeRangeId": few["id"], "count": count} for count in (10, 30)]
    exhausted = await api.post(ALLOCATE, twice)
    [row] = exhausted.json["error"]["details"]
    message = f"Range {few['id']} has 12 numbers left; 40 are needed."
    assert (exhausted.status, row["type"], row["value"]) == (409, "conflict.exhausted", message)
    [default] = (await api.get(RANGES, {"isDefault": "true"})).data
    await api.delete(f"{RANGES}/{default['id']}")
    assert (await api.post(ALLOCATE, [{"count": 1}])).details == [(REQUIRED, "[0].barcodeRangeId")]
    refused = await api.post(ALLOCATE, [{"count": 1}], params={"onError": "skip"})
    assert refused.details == [("validation_error.unknown_parameter", "onError")]


async def test_a_range_that_is_used_up_has_no_numbers_left(api: Api) -> None:
    """Its next reference would have a digit more than its references have."""
    made = await new_range(api)
    by_hand = [{"barcode": number} for number in numbers(made, 10000, 10007, 99999)]
    assert (await api.post(BARCODES, by_hand)).status == 201
    location = f"{RANGES}/{made['id']}"
    assert (await api.patch(location, replacing("/nextReference", 100000))).status == 200
    shown = (await api.get(location)).data
    assert (shown["nextReference"], shown["free"]) == (None, 0)
    refused = await api.post(ALLOCATE, [{"barcodeRangeId": made["id"], "count": 1}])
    [row] = refused.json["error"]["details"]
    assert row["value"] == f"Range {made['id']} has 0 numbers left; 1 are needed."


@pytest.mark.contract("Barcode ranges")
@pytest.mark.parametrize("seed", range(4))
async def test_what_ranges_show_and_give_is_what_is_free(api: Api, seed: int) -> None:
    """After numbers by hand and allocations at random, in a range of forty."""
    random, first, last = Random(seed), 99960, 99999
    made = await new_range(api, firstReference=first)
    free = [*range(first, last + 1)]
    for turn in range(14):
        if turn % 2:
            few = free[: random.randint(1, 5)]
            body = [{"barcodeRangeId": made["id"], "count": len(few)}]
            given = keys(await api.post(ALLOCATE, body)) if few else []
            assert given == numbers(made, *few)
        else:
            few = random.sample(free, min(len(free), random.randint(1, 5)))
            sent = [{"barcode": number} for number in numbers(made, *few)]
            assert not few or (await api.post(BARCODES, sent)).status == 201
        free = [each for each in free if each not in few]
        shown = (await api.get(f"{RANGES}/{made['id']}")).data
        assert (shown["nextReference"], shown["free"]) == ((*free, None)[0], len(free))


async def test_dry_runs_and_retries_lose_no_number(api: Api) -> None:
    made = await new_range(api)
    body = [{"barcodeRangeId": made["id"], "count": 2}]
    dry = await api.post(ALLOCATE, body, params={"dryRun": "true"})
    assert (dry.status, [row["id"] for row in dry.data]) == (200, [None, None])
    headers = {"Idempotency-Key": "allocate-once"}
    answers = [await api.post(ALLOCATE, body, headers=headers) for _ in range(2)]
    assert answers[0].data == answers[1].data
    assert keys(dry) == keys(answers[0]) == numbers(made, 0, 1)
    assert (await api.get(f"{RANGES}/{made['id']}")).data["free"] == 99998


@pytest.mark.contract("Barcode ranges")
async def test_a_range_keeps_its_allocated_numbers(api: Api) -> None:
    made = await new_range(api, firstReference=5)
    await api.post(ALLOCATE, [{"barcodeRangeId": made["id"], "count": 3}])
    location = f"{RANGES}/{made['id']}"
    for field, wrong, right in (("lastReference", 6, 7), ("firstReference", 6, 5)):
        refused = await api.patch(location, replacing(f"/{field}", wrong))
        assert refused.details == [(OUT_OF_RANGE, field)]
        assert (await api.patch(location, replacing(f"/{field}", right))).status == 200
    assert (await api.delete(location)).status == 200


async def test_a_number_that_is_stored_meanwhile_is_passed_over(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await new_range(api)
    first, second = numbers(made, 0, 1)
    look_up, statuses = BarcodeAllocations._free_digits, list[int]()

    async def store_by_hand(*arguments: Any) -> Any:
        digits = await look_up(*arguments)
        statuses.append((await api.post(BARCODES, {"barcode": first})).status)
        return digits

    monkeypatch.setattr(BarcodeAllocations, "_free_digits", store_by_hand)
    given = await api.post(ALLOCATE, [{"barcodeRangeId": made["id"], "count": 1}])
    assert (keys(given), statuses) == ([second], [201, 409])


async def test_callers_at_once_get_each_number_once(api: Api) -> None:
    """Beside a writer who stores numbers of the range by hand."""
    made = await new_range(api)
    by_hand = numbers(made, *range(0, 80, 7))

    async def write() -> list[str]:
        statuses = [(await api.post(BARCODES, {"barcode": barcode})).status for barcode in by_hand]
        assert {*statuses} <= {201, 409}
        return [each for each, status in zip(by_hand, statuses, strict=True) if status == 201]

    async def allocate(*dry_runs: str) -> list[str]:
        given = list[str]()
        for dry_run in dry_runs:
            body = [{"barcodeRangeId": made["id"], "count": 5}]
            rows = keys(await api.post(ALLOCATE, body, params={"dryRun": dry_run}))
            given += rows if dry_run == "false" else []
        return given

    calls = [allocate("false", "true", "false") for _ in range(6)]
    results = await asyncio.gather(write(), *calls)
    given = Counter(key for result in results for key in result)
    assert {*given.values()} == {1}
    of_range = {"barcodeRangeId": str(made["id"]), "pageSize": "100"}
    allocated = (await api.get(BARCODES, of_range)).data
    assert len(allocated) == 6 * 2 * 5
    assert (await api.get(f"{RANGES}/{made['id']}")).data["free"] == 100000 - len(given)
    highest = max(int(row["barcode"][7:12]) for row in allocated)
    assert {*numbers(made, *range(highest + 1))} <= given.keys()


async def write_by_hand(api: Api, made: dict[str, Any], seed: int) -> None:
    """Store numbers at random: many, single ones, and in transactions; some are taken."""
    random = Random(seed)
    for _ in range(6):
        few = [{"barcode": each} for each in numbers(made, *random.sample(range(3000), 40))]
        answer = await api.post(BARCODES, few[:20], params=SKIP)
        assert answer.status in (200, 201, 409), answer.raw
        answer = await send(api, [entry("barcodes", **each) for each in few[20:]], params=SKIP)
        assert answer.status in (200, 201, 409), answer.raw
        await api.post(BARCODES, few[0])


@pytest.mark.contract("Barcode ranges")
async def test_counts_stay_right_beside_writers_of_ranges(api: Api, demo_dsn: str) -> None:
    made = await new_range(api, lastReference=2999)
    location = f"{RANGES}/{made['id']}"

    async def change() -> None:
        for last in (4000, 99999, 3500) * 3:
            assert (await api.patch(location, replacing("/lastReference", last))).status == 200
            await new_range(api)

    async def allocate() -> None:
        for count in range(1, 9):
            body = [{"barcodeRangeId": made["id"], "count": count}]
            assert len(keys(await api.post(ALLOCATE, body))) == count

    by_hand = (write_by_hand(api, made, seed) for seed in range(4))
    await asyncio.gather(*by_hand, change(), allocate(), allocate())
    connection = await asyncpg.connect(demo_dsn)
    stored = await connection.fetch(
        """select left(gtin14, 13)::bigint % 100000 from barcode
        where organization_id = 1 and gtin14 like '0' || $1::text || '%'""",
        made["companyPrefix"],
    )
    await connection.close()
    free = {*range(3501)} - {reference for (reference,) in stored}
    shown = (await api.get(location)).data
    assert len(stored) > 500
    assert (shown["nextReference"], shown["free"]) == (min(free), len(free))


@pytest.mark.contract("Barcodes")
async def test_a_create_names_the_range_of_its_number(api: Api) -> None:
    """The range is set for good; it is live, and has the number."""
    body = a_range(userDefinedId="OF-1", lastReference=9)
    made, other = [(await api.post(RANGES, each)).data for each in (body, a_range())]
    digits = f"{body['companyPrefix']}0000"
    sent = [gtin(f"{digits}{n}") for n in (7, 8)]
    stored = await api.post(
        BARCODES, {"barcode": sent[0], "barcodeRangeId": {"userDefinedId": "OF-1"}}
    )
    assert stored.data["barcodeRangeId"] == made["id"]
    location = stored.headers["Location"]
    for range_id, details in (
        (made["id"], None),
        (None, None),
        (other["id"], [("validation_error.read_only_field", "barcodeRangeId")]),
    ):
        item = {"state": "active", "barcodeRangeId": range_id}
        answer = await api.put(location, item)
        assert (answer.details if details else answer.data["barcodeRangeId"]) == (
            details or made["id"]
        )
    internal = {"barcode": sent[1], "type": "internal", "barcodeRangeId": made["id"]}
    wrong = [{"barcode": sent[1], "barcodeRangeId": other["id"]}, internal]
    wrong.append({"barcode": gtin(f"{digits[:-1]}10"), "barcodeRangeId": made["id"]})
    refused = await api.post(BARCODES, wrong)
    assert refused.details == [(INVALID, f"[{n}].barcodeRangeId") for n in range(3)]
    narrow = await api.patch(f"{RANGES}/{made['id']}", replacing("/lastReference", 6))
    assert narrow.details == [(OUT_OF_RANGE, "lastReference")]
    assert (await api.delete(f"{RANGES}/{made['id']}")).status == 200
    unknown = {"barcode": sent[1], "barcodeRangeId": made["id"]}
    refused = await api.post(BARCODES, unknown)
    assert refused.details == [(UNKNOWN, "barcodeRangeId")]
    assert (await api.put(location, {"state": "inactive"})).status == 200
