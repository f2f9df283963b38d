"""Tests of syncs that are the whole truth: missing records are deleted, within a bound."""

from collections import Counter
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from service.extras.client import Client, Outcome, TooManyMissingError, sync
from tests.client.test_sync import named


def _keyed(prefix: str, count: int) -> list[dict[str, Any]]:
    return [named(f"{prefix}-{n:04}", "Whole") for n in range(count)]


@pytest.mark.contract("Own keys", "Filters")
async def test_missing_records_are_deleted_within_the_bound(
    selvedge: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many records at once, of which each query names some ids."""
    monkeypatch.setattr(sync, "_LISTED_IDS", 150)
    colors = selvedge.collection("colors")
    stored = [color async for color in colors.records(page_size=100)]
    unkeyed = await colors.create({"name": "Of somebody else"})
    others = [named(color["userDefinedId"], "Kept") for color in stored if color["userDefinedId"]]
    truth = {color["userDefinedId"]: color for color in [*others, *_keyed("W", 400)]}

    async def run(records: list[dict[str, Any]], **how: Any) -> Counter[str]:
        outcomes = colors.sync(records, match="userDefinedId", size=1000, merge=True, **how)
        return Counter([outcome.outcome async for outcome in outcomes])

    everything = [*truth.values()]
    assert (await run(everything, delete_missing=True))["created"] == 400
    fewer = [color for color in everything if not color["userDefinedId"].startswith("W-01")]
    with pytest.raises(TooManyMissingError, match=r"100 of [0-9]+ colors are missing") as refused:
        await run(fewer, delete_missing=True, at_most=0.001)
    assert refused.value.at_most == 0.001
    assert (await run(fewer, delete_missing=True, at_most=0.5, dry_run=True))["deleted"] == 100
    assert (await run(everything))["unchanged"] == len(everything)
    counts = await run(fewer, delete_missing=True, at_most=0.5)
    assert counts == Counter(unchanged=len(fewer), deleted=100)
    assert (await colors.read(unkeyed.id)).data["state"] == "active"
    # A record that fails is not missing.
    fewer[-1] = fewer[-1] | {"colorGroupIds": [2**60]}
    assert await run(fewer, delete_missing=True) == Counter(unchanged=len(fewer) - 1, failed=1)


@pytest.mark.contract("Own keys")
async def test_records_that_are_sent_as_deleted_do_not_raise_the_bound(selvedge: Client) -> None:
    """Neither when they are deleted nor, sent again, when they have been."""
    categories = selvedge.collection("style-categories")
    stored = [category async for category in categories.records(page_size=100)]
    remaining = [
        {name: category[name] for name in ("userDefinedId", "name", "state")}
        for category in stored
        if category["userDefinedId"]
    ]
    gone = [{"userDefinedId": f"GONE-{n}", "name": "Gone"} for n in range(len(remaining))]
    await categories.create_many([*gone, {"userDefinedId": "MISSING", "name": "Missing"}])
    records = [*remaining, *(record | {"state": "deleted"} for record in gone)]
    outcomes = list[str]()

    async def run() -> None:
        at_most = 1 / (len(records) + 1)
        async for outcome in categories.sync(
            records, match="userDefinedId", delete_missing=True, at_most=at_most
        ):
            outcomes.append(outcome.outcome)

    for last_outcome in ("deleted", "unchanged"):
        with pytest.raises(TooManyMissingError, match=f"1 of {len(remaining) + 1} "):
            await run()
        assert outcomes[-1] == last_outcome
    await categories.delete("userDefinedId=MISSING")


@pytest.mark.contract("Own keys", "Dry runs")
async def test_a_dry_run_yields_the_outcomes_of_the_sync(selvedge: Client) -> None:
    """A record that is sent as deleted is not missing, and new ones count for the bound."""
    brands = selvedge.collection("brands")
    stored = [brand async for brand in brands.records(page_size=100) if brand["customId"]]
    remaining = [
        {"customId": b["customId"], "name": b["name"], "state": b["state"]} for b in stored
    ]

    def keyed(prefix: str, count: int, state: str) -> list[dict[str, Any]]:
        return [{"customId": f"{prefix}-{n}", "name": "Dry", "state": state} for n in range(count)]

    await brands.write([*keyed("D", 3, "active"), *keyed("L", 1, "active")], "create")
    records = [*remaining, *keyed("D", 3, "deleted"), *keyed("N", 100, "active")]
    # One of the live records is missing; without the new ones the share would be greater.
    at_most = 1 / (len(remaining) + 50)
    expected = Counter(unchanged=len(remaining), deleted=4, created=100)
    for dry_run in (True, False):
        outcomes = brands.sync(
            records, match="customId", merge=True, delete_missing=True, at_most=at_most,
            dry_run=dry_run,
        )  # fmt: skip
        assert Counter([row.outcome async for row in outcomes]) == expected
    await brands.write(keyed("N", 100, "deleted"), "merge", match="customId")


async def test_request_lines_that_are_too_long_are_divided() -> None:
    """Long ids, or a proxy with a lower limit than the service."""
    seen = list[int]()

    async def answer(request: web.Request) -> web.Response:
        seen.append(len(request.raw_path))
        if seen[-1] > 2_000:
            return web.Response(status=414)
        return web.json_response({"data": [{"id": 2**62, "userDefinedId": "M"}], "pagination": {}})

    app = web.Application()
    app.router.add_get("/api/colors", answer)
    async with TestServer(app) as server, Client(str(server.make_url("/")), "x") as client:
        run = sync.Sync(client.collection("colors"), "userDefinedId")
        for record_id in range(2**61, 2**61 + 200):
            run.collect(Outcome({}, "unchanged", record_id, ()))
        missing = await run.missing(at_most=1)
    assert len(missing) == sum(length <= 2_000 for length in seen) == 4


@pytest.mark.contract("Own keys")
async def test_several_collections_are_deleted_in_reverse_order(selvedge: Client) -> None:
    """A brand goes after its styles; what is in use elsewhere fails."""
    brand = {"customId": "Reverse", "name": "Brand", "state": "active"}
    made = await selvedge.collection("brands").create(brand)
    style = {"number": "Reverse", "name": "Style", "state": "active", "brandId": made.id}
    await selvedge.collection("styles").create(style)
    truth = [
        (name, key, 200, [r async for r in selvedge.collection(name).records() if r.get(key)])
        for name, key in (("brands", "customId"), ("styles", "number"))
    ]
    names = {"brands": ("customId", "name", "state"), "styles": ("number", "name", "state")}
    sets = [
        (
            name, key, size,
            [
                {member: record[member] for member in names[name]}
                for record in records if record[key] != "Reverse"
            ],
        )
        for name, key, size, records in truth
    ]  # fmt: skip
    outcomes = [
        (name, outcome)
        async for name, outcome in selvedge.sync(sets, merge=True, delete_missing=True, at_most=0.2)
    ]
    gone = [(name, each.record["id"]) for name, each in outcomes if each.outcome == "deleted"]
    assert [name for name, _ in gone] == ["styles", "brands"]
    assert gone[1][1] == made.id
