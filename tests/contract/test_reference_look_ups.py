"""Tests of the look-ups of keys in references: their number, races and plans.

``TEST_RECORDS`` sets the number of records of the plans.
"""

import asyncio
from typing import Any

import orjson
import pytest

from service.records.reference_targets import FOR_KEY_SHARE, TARGETS
from service.resources.styles import Styles
from tests.contract.test_own_key_query_plans import CHOSEN, KEYS, plan_made_while_empty
from tests.contract.test_page_query_plans import nodes
from tests.support.api import Api
from tests.support.keyed_references import World, made, text
from tests.support.priced_styles import price, priced_style
from tests.support.statement_spy import record_statements
from tests.support.writers import outcomes

pytestmark = pytest.mark.contract("References")


async def test_one_look_up_for_each_collection_and_none_by_id(
    own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look-up takes the place of a check that only locks."""
    look_ups = {lookup for target in TARGETS.values() for lookup in target.texts.values()}
    checks = {reference.text for reference in Styles.references}
    with record_statements(monkeypatch) as sent:
        world = World(mark=text())
        await world.fill(own_api)
        counts = []
        for references in (world.ids, world.keys):
            of = references.__getitem__
            styles = [
                {"number": text(), "name": "x", "brandId": of("brand"), "groupIds": [of("group")]}
                for _ in range(20)
            ]
            colors = [{"name": "x", "colorGroupIds": [of("color group")], "languageIds": [1]}] * 20
            requests = [
                {"name": text(), "styleId": of("style"), "sizeRangeSizeIds": [of("M")]}
                for _ in range(20)
            ]
            numbers = []
            for path, items in (
                ("styles", styles),
                ("colors", colors),
                ("sample-requests", requests),
            ):
                sent.clear()
                answer = await own_api.post(f"/api/{path}", items)
                assert answer.status == 201, answer.raw
                numbers.append(len([statement for statement in sent if statement in look_ups]))
                if path == "styles":
                    checked = len([statement for statement in sent if statement in checks])
                    assert checked == (0 if references is world.keys else 2)
            counts.append(numbers)
    assert counts == [[0, 0, 0], [2, 1, 3]]


async def test_a_key_that_moves_meanwhile_is_found(shared_api: Api) -> None:
    """Two brands exchange their keys while styles refer to one of the keys."""
    keys = [text(), text()]
    ids = [(await made(shared_api, "brands", name="x", customId=key))["id"] for key in keys]

    async def exchange() -> None:
        for n in range(12):
            brands = [
                {"id": id_, "name": "x", "state": "active", "customId": keys[(n + i) % 2]}
                for i, id_ in enumerate(ids)
            ]
            answer = await shared_api.put("/api/brands", brands)
            assert answer.status == 200, answer.raw

    async def refer() -> None:
        for _ in range(12):
            style = {"number": text(), "name": "x", "brandId": {"customId": keys[0]}}
            answer = await shared_api.post("/api/styles", style)
            assert answer.status == 201, answer.raw
            assert answer.data["brandId"] in ids

    await asyncio.gather(exchange(), refer(), refer())


async def test_a_record_that_is_deleted_meanwhile_is_unknown(shared_api: Api) -> None:
    """Either the delete is refused, because a style refers to the brand, or the style is."""
    for _ in range(6):
        key = {"customId": text()}
        brand = (await made(shared_api, "brands", name="x", **key))["id"]
        style = {"number": text(), "name": "x", "brandId": key}
        refer, delete = await asyncio.gather(
            shared_api.post("/api/styles", style), shared_api.delete(f"/api/brands/{brand}")
        )
        assert (refer.status, delete.status) in ((201, 409), (400, 200))


async def test_failed_items_take_what_refers_to_them_along(shared_api: Api) -> None:
    """A chain of new parents, longer than the rounds of checks, hangs on one that fails."""
    names = [text() for _ in range(8)]
    field = {"type": "nestedAllowedValue", "state": "active"}
    items: list[dict[str, Any]] = [
        {**field, "name": "x", "userDefinedId": name, "parentCustomFieldId": {"userDefinedId": up}}
        for name, up in zip(names[1:], names, strict=False)
    ]
    items += [{**field, "name": "x", "userDefinedId": names[0], "parentCustomFieldId": 2**40}]
    items += [{**field, "name": "x", "userDefinedId": text()}]
    path = "/api/compliance-custom-fields?match=userDefinedId&onError=skip"
    answer = await shared_api.put(path, items)
    assert outcomes(answer) == ["failed"] * 8 + ["created"]


BRANDS = """
insert into brand (organization_id, id, name, custom_id, state)
select 1, n, 'Brand', 'B-' || n, 'active' from generate_series(1, $1::integer) as n"""
SIZES = """
with made as (
    insert into size_range (organization_id, id, name, state)
    select 1, n, 'Range', 'active' from generate_series(0, 5999) as n
)
insert into size_range_size (organization_id, id, size_range_id, name)
select 1, n, n % 6000, 'S-' || n / 6000 from generate_series(1, $1::integer) as n"""
LINES = """
with made as (
    insert into style (organization_id, id, number, name)
    select 1, n, 'S-' || n, 'Vest' from generate_series(0, 5999) as n
)
insert into measurement_line (organization_id, id, style_id, name)
select 1, n, n % 6000, 'L-' || n / 6000 from generate_series(1, $1::integer) as n"""
OWNERS = [n % 6000 for n in CHOSEN]

of_each_look_up = pytest.mark.parametrize(
    ("target", "lock", "rows", "keys", "index"),
    [
        ("brands", FOR_KEY_SHARE, BRANDS, [[f"B-{n}" for n in CHOSEN]], "brand_by_own_key"),
        (
            "size-ranges/sizes",
            "",
            SIZES,
            [[f"S-{n // 6000}" for n in CHOSEN], OWNERS],
            "size_range_size_by_own_key",
        ),
        (
            "styles/measurement-chart",
            "",
            LINES,
            [[f"L-{n // 6000}" for n in CHOSEN], OWNERS],
            "measurement_line_by_style",
        ),
    ],
)


@pytest.mark.plain_postgresql
@pytest.mark.usefixtures("without_response_cache")  # SQL that bypasses the service
@of_each_look_up
async def test_keys_are_found_by_an_index(
    target: str, lock: str, rows: str, keys: list[Any], index: str, dsn: str
) -> None:
    table, statement = TARGETS[target].table, TARGETS[target].texts[lock]
    plan = await plan_made_while_empty(dsn, table, statement, keys, rows)
    steps = [*nodes(orjson.loads(plan)[0]["Plan"])]
    assert index in {step.get("Index Name") for step in steps}
    # Entries are read once for each record that has them, also those that no key names.
    most = 2 * KEYS if TARGETS[target].within else KEYS
    assert max(step["Actual Rows"] * step["Actual Loops"] for step in steps) <= most


async def test_a_price_list_is_looked_up_by_its_key_or_if_nothing_has_a_price(
    own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    with record_statements(monkeypatch) as sent:
        of = await priced_style(own_api)
        await of.made("style-skus", styleColorId=of.colors[0], sizeRangeSizeId=of.sizes[0], sku="1")
        await of.set("RRP", price("99.90"))
        counts = []
        for params in (
            {"priceListId": str(of.lists["RRP"])},
            {"priceList.userDefinedId": "RRP"},
            {"priceListId": str(of.lists["JP"])},
        ):
            sent.clear()
            rows = (await own_api.get("/api/effective-prices", params)).data
            counts.append((len(rows), sum("from price_list\nwhere" in each for each in sent)))
    assert counts == [(1, 0), (1, 1), (0, 1)]
