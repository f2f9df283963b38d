"""Tests of filters by reference: related records and list entries (contract, Filters by reference).

The expected records follow from the documents alone: those of the list, and of what they refer to.
"""

from collections.abc import Iterator
from typing import Any

import asyncpg
import orjson
import pytest

from service.listing.list_request import Condition, ListRequest, SortKey
from service.listing.operators import EQ
from service.records.resource import Resource
from service.resources.registry import MASTER_RECORDS, REFERENCE_LISTS
from tests.contract.test_page_query_plans import handled, nodes
from tests.support.api import Api
from tests.support.listing import Record, condition, everything, text, walk

pytestmark = pytest.mark.contract("Filters by reference")

STYLES, UNKNOWN = "/api/styles", "validation_error.invalid_value"
PROPERTIES = {
    resource.name: resource.properties for resource in (*MASTER_RECORDS, *REFERENCE_LISTS)
}
LISTS = [resource for resource in MASTER_RECORDS if resource.related]
of_each_list = pytest.mark.parametrize("resource", LISTS, ids=lambda resource: resource.name)
#: Collection of related records with members that a document lacks (its own: ""), and the field
#: with their ids.
TARGETS = {
    "barcodeRange": ("barcode-ranges", "barcodeRangeId"),
    "brand": ("brands", "brandId"),
    "styleCategory": ("style-categories", "styleCategoryId"),
    "groups": ("groups", "groupIds"),
    "sampleType": ("sample-types", "sampleTypeId"),
    "season": ("seasons", "seasonId"),
    "seasons": ("seasons", "seasonIds"),
    "color": ("colors", "colorId"),
    "styleColor": ("style-colors", "styleColorId"),
    "sizeRangeSize": ("sizes", "sizeRangeSizeId"),
    "sizeRange": ("size-ranges", "sizeRangeId"),
    "itemCategory": ("item-categories", "itemCategoryId"),
    "supplier": ("suppliers", "supplierId"),
    "subSupplier": ("sub-suppliers", "subSupplierId"),
    "subSuppliers": ("sub-suppliers", "subSupplierIds"),
    "priceLists": ("price-lists", "priceListIds"),
    "style": ("styles", "styleId"),
    "styleSku": ("style-skus", "styleSkuId"),
    "relatedStyle": ("styles", "relatedStyleId"),
    "parentCustomField": ("", "parentCustomFieldId"),
    "associatedBrands": ("brands", "associatedBrands"),
    "associatedGroups": ("groups", "associatedGroups"),
    "associatedStyleCategories": ("style-categories", "associatedStyleCategories"),
    "languages": ("languages", "languages"),
}
#: Other names of a member in the documents of the related records.
SPELLED = {"languageCode": ("code",), "customId": ("customId", "userDefinedId")}


def entries(record: Record, field: str) -> Iterator[Record]:
    """Yield the entries of a list of a document, or the ids that it refers to, as entries."""
    value = record.get(field, record.get(f"{field.removesuffix('s')}Ids"))
    for entry in value if isinstance(value, list) else [value]:
        if entry is not None:
            name = {"name": record["sizeName"]} if field == "sizeRangeSizeId" else {}
            yield entry if isinstance(entry, dict) else {"id": entry, **name}


def values(record: Record, name: str, targets: dict[Any, Record]) -> set[Any]:
    """Return the values of a related member, such as ``groups.userDefinedId``."""
    related, _, member = name.partition(".")
    if not member:
        return {*record[name]}
    of_document = set[Any]()
    for entry in entries(record, TARGETS.get(related, ("", related))[1]):
        target = targets.get(entry.get("languageId", entry.get("id")), {})
        shown = [entry.get(member), *(target.get(key) for key in SPELLED.get(member, (member,)))]
        of_document |= {value for value in shown[: 1 if member in entry else None] if value}
    return of_document


async def records_by_id(api: Api, collection: str) -> dict[Any, Record]:
    """Return all records of a collection, deleted ones too."""
    records = await everything(api, f"/api/{collection}", PROPERTIES[collection])
    return {record["id"]: record for record in records}


@of_each_list
async def test_records_match_by_what_they_refer_to(resource: Resource, shared_api: Api) -> None:
    path, own = f"/api/{resource.name}", await records_by_id(shared_api, resource.name)
    live = [record for record in own.values() if record.get("state") != "deleted"]
    for name in [prop.name for prop in resource.properties.values() if prop.within]:
        if name == "barcodes.barcode":
            continue  # Documents of SKUs do not show all of their barcodes.
        collection, _ = TARGETS.get(name.partition(".")[0], (None, ""))
        collection = None if collection == "sizes" else collection
        targets = dict[Any, Record]()
        if collection is not None:
            targets = await records_by_id(shared_api, collection) if collection else own
        stored = {value for record in live for value in values(record, name, targets)}
        plain = sorted((value for value in stored if "," not in text(value)), key=str)
        assert plain, f"the demo data have no {name}"
        for chosen in (plain[:1], [plain[len(plain) // 2], plain[-1]]):
            expected = [
                record["id"] for record in live if values(record, name, targets) & {*chosen}
            ]
            for params in (
                [(name, text(value)) for value in chosen],
                condition(name.upper(), "in", ",".join(map(text, chosen))),
            ):
                shown = await walk(shared_api, path, [*params, ("pageSize", "40")])
                assert [record["id"] for record in shown] == expected, (name, chosen)


async def make(api: Api, collection: str, **fields: Any) -> Any:
    return (await api.post(f"/api/{collection}", {"name": "Filtered"} | fields)).data["id"]


async def test_the_examples_of_the_contract(shared_api: Api, shared_other: Api) -> None:
    """Also after the own key has changed, and never by that of another organization."""
    brand = await make(shared_api, "brands", customId="ACME")
    groups = [await make(shared_api, "groups", userDefinedId="G1") for _ in range(2)]
    made = await make(shared_api, "styles", number="F-1", brandId=brand, groupIds=groups)
    other_brand = await make(shared_other, "brands", customId="ACME")
    theirs = await make(shared_other, "styles", number="F-1", brandId=other_brand)
    for api, style in ((shared_api, made), (shared_other, theirs)):
        answer = await api.get(f"{STYLES}?brand.customId=ACME", headers={"Prefer": "count=exact"})
        assert [record["id"] for record in answer.data] == [style]
        assert answer.headers["Total-Count"] == "1"
    for query in (f"groups.id={groups[0]}", "groups.userDefinedId=G1", f"brand.id={brand}"):
        assert [each["id"] for each in (await shared_api.get(f"{STYLES}?{query}")).data] == [made]
    assert (await shared_api.get(f"{STYLES}?groups.id={groups[0]}&brand.customId=G1")).data == []
    body = {"name": "Renamed", "customId": "ACME-2", "state": "active"}
    assert (await shared_api.put(f"/api/brands/{brand}", body)).status == 200
    assert (await shared_api.get(f"{STYLES}?brand.customId=ACME")).data == []
    assert len((await shared_api.get(f"{STYLES}?brand.customId=ACME-2")).data) == 1


async def test_cursors_carry_them(shared_api: Api) -> None:
    query = {"groups.userDefinedId": "G-1", "pageSize": "1"}
    groups = await shared_api.get("/api/groups", {"pageSize": "100"})
    query["groups.userDefinedId"] = max(groups.data, key=lambda g: int(g["usedInStyles"]))[
        "userDefinedId"
    ]
    cursor = {"cursor": (await shared_api.get(STYLES, query)).json["pagination"]["cursor"]}
    following = await shared_api.get(STYLES, cursor)
    del query["pageSize"]
    assert (await shared_api.get(STYLES, cursor | query)).data == following.data
    for name, value in (("groups.userDefinedId", "another"), ("groups.id", "1")):
        answer = await shared_api.get(STYLES, cursor | {name: value})
        assert answer.details == [("validation_error.exclusive_parameters", name)]


async def test_errors(shared_api: Api) -> None:
    for params, expected in (
        ([("groups.id", "x")], (UNKNOWN, "groups.id")),
        ([("groups.name", "x")], ("validation_error.unknown_parameter", "groups.name")),
        ([("groups", "1")], ("validation_error.unknown_parameter", "groups")),
        ([("sort[0].property", "groups.id")], (UNKNOWN, "sort[0].property")),
        *(
            (condition("groups.userDefinedId", operator, "true"), (UNKNOWN, "filter[0].operator"))
            for operator in ("ne", "notIn", "lt", "contains", "isNull")
        ),
    ):
        answer = await shared_api.get(STYLES, params)
        assert (answer.status, answer.details) == (400, [expected])
    # Ids of sub-suppliers are texts: one of another form matches none.
    assert (await shared_api.get("/api/facilities", {"subSupplier.id": "007"})).data == []


RECORDS, FEW = 15_000, 20
DATA = f"""
insert into organization (id, name) values (1, 'An organization');
insert into brand (organization_id, id, name, custom_id)
select 1, n, 'Brand', 'B-' || n from generate_series(1, 4) n;
insert into style_group (organization_id, id, name, user_defined_id)
select 1, n, 'Group', 'G-' || n from generate_series(1, 4) n;
insert into style (organization_id, id, number, name, brand_id)
select 1, n, 'S-' || n, 'Style', case when n <= {RECORDS - FEW} then 1 else 2 end
from generate_series(1, {RECORDS}) n;
insert into style_in_group (organization_id, group_id, style_id)
select 1, case when n <= {RECORDS - FEW} then 1 else 2 end, n from generate_series(1, {RECORDS}) n;
analyze brand, style_group, style, style_in_group;
"""


_FEW_MATCHES = (
    ("groups.id", 2),
    ("groups.userDefinedId", "G-2"),
    ("brand.id", 2),
    ("brand.customId", "B-2"),
)


@pytest.mark.plain_postgresql
@pytest.mark.usefixtures("without_response_cache")  # SQL that bypasses the service
async def test_few_matches_among_many_records_are_found_by_an_index(dsn: str) -> None:
    """Also where nearly all records refer to another one, so that a plan expects as many."""
    solid_state = {"jit": "off", "random_page_cost": "1.1"}  # whatever the server's default
    connection = await asyncpg.connect(dsn, server_settings=solid_state)
    await connection.execute(DATA)
    styles = next(resource for resource in MASTER_RECORDS if resource.name == "styles")
    properties = styles.properties
    for name, value in _FEW_MATCHES:
        by_id = SortKey(properties["id"], descending=False)
        query = styles.compile_list(
            ListRequest((Condition(properties[name], EQ, (value,)),), (by_id,))
        )
        await connection.execute(f"prepare listed as {query.text}")
        literal = f"'{value}'" if isinstance(value, str) else value
        for mode in ("force_custom_plan", "force_generic_plan"):
            await connection.execute(f"set plan_cache_mode = {mode}")
            explanation = await connection.fetchval(
                f"explain (analyze, timing off, format json) execute listed(1, {literal})"
            )
            plan = [*nodes(orjson.loads(explanation)[0]["Plan"])]
            assert max(map(handled, plan)) <= 4 * FEW, (name, mode, plan)
        await connection.execute("deallocate listed")
    await connection.close()
