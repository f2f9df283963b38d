"""Tests of missing, ambiguous and malformed keys in references (contract, References)."""

from itertools import combinations
from typing import Any

import orjson
import pytest

from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from tests.support.api import Answer, Api, replacing
from tests.support.keyed_references import BODIES, World, made, text
from tests.support.offenders import in_each

pytestmark = pytest.mark.contract("References")

REQUIRED = "validation_error.required_field"


def rows(answer: Answer) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = answer.json["error"]["details"]
    return listed


async def test_every_missing_and_ambiguous_key_is_named(shared_api: Api, world: World) -> None:
    brand, key = world.ids["brand"], world.keys["brand"]
    twin = (await made(shared_api, "brands", name="Twin", **key))["id"]
    style = {"name": "Jacket", "state": "active"}
    answer = await shared_api.put(
        "/api/styles?match=number",
        [
            {"number": text(), **style, "brandId": key, "styleCategoryId": {"userDefinedId": "?"}},
            {"number": text(), **style, "groupIds": [world.keys["group"], {"userDefinedId": "!"}]},
            {"number": text(), **style, "groupIds": [world.keys["group"], world.ids["group"]]},
            {"number": text(), **style},
        ],
    )
    assert (answer.status, answer.json["error"]["failed_items"]) == (409, 3)
    assert rows(answer) == [
        {
            "type": "conflict.ambiguous_key",
            "field": "[0].brandId",
            "value": f"Records {brand}, {twin} have this key: {orjson.dumps(key).decode()}.",
        },
        {
            "type": "validation_error.unknown_reference",
            "field": "[0].styleCategoryId",
            "value": 'There is no such style category: {"userDefinedId":"?"}.',
        },
        {
            "type": "validation_error.unknown_reference",
            "field": "[1].groupIds[1]",
            "value": 'There is no such group: {"userDefinedId":"!"}.',
        },
        {
            "type": "validation_error.duplicate",
            "field": "[2].groupIds[1]",
            "value": "Remove this: the list has it already.",
        },
    ]
    # What is deleted is not meant.
    await shared_api.delete(f"/api/brands/{brand}")
    meant = await made(shared_api, "styles", number=text(), name="Coat", brandId=key)
    assert meant["brandId"] == twin


SIZE = "sizeRangeSizeIds[0]"
MISSING = [
    ("style-relations", {"styleId": {"number": "?"}}, "styleId", '{"number":"?"}'),
    ("facilities", {"subSupplierId": {"customId": "?"}}, "subSupplierId", '{"customId":"?"}'),
    ("colors", {"languageIds": [1, {"code": "xx"}]}, "languageIds[1]", '{"code":"xx"}'),
    (
        "care-instructions",
        {"languages": [{"languageId": {"code": "?"}, "text": "x"}]},
        "languages[0].languageId",
        '{"code":"?"}',
    ),
    (
        "sample-requests",
        {"sizeRangeSizeIds": [{"sizeRangeId": {"userDefinedId": "?"}, "name": "M"}]},
        SIZE,
        '{"userDefinedId":"?"}',
    ),
    (
        "sample-requests",
        {"sizeRangeSizeIds": [{"sizeRangeId": 2**62, "name": "M"}]},
        SIZE,
        '{"sizeRangeId":4611686018427387904,"name":"M"}',
    ),
    (
        "sample-requests",
        {"requested": [{"lineId": {"name": "?"}, "sizeRangeSizeId": 1, "value": 1}]},
        "requested[0].lineId",
        '{"name":"?"}',
    ),
    (
        "style-custom-fields",
        {"allowedValues": [{"value": "x", "parentAllowedValueId": {"value": "?"}}]},
        "allowedValues[0].parentAllowedValueId",
        '{"value":"?"}',
    ),
]


@in_each(("collection", "fault", "field_path", "key"), MISSING)
async def test_a_missing_key_is_named_at_its_reference(
    collection: str, fault: dict[str, Any], field_path: str, key: str, shared_api: Api, world: World
) -> None:
    body = BODIES[collection](world.keys.__getitem__) | fault
    answer = await shared_api.post(f"/api/{collection}", body)
    assert answer.status == 400
    assert ("validation_error.unknown_reference", field_path) in answer.details
    assert any(key in row["value"] for row in rows(answer) if row["field"] == field_path)


UNKNOWN: dict[str, Any] = {
    "M": {"sizeRangeId": {"userDefinedId": "?"}, "name": "M"},
    "L": {"sizeRangeId": {"userDefinedId": "?"}, "name": "L"},
    "style color": {"styleId": {"number": "?"}, "colorId": {"userDefinedId": "?"}},
    "chest": {"name": "?"},
    "hem": {"name": "!"},
    "denim": {"userDefinedId": "?"},
    "twill": {"value": "?"},
    "english": {"code": "xx"},
    "german": {"code": "yy"},
}
"""Keys that nobody has, by the name of the record; those of others have the same field."""


@in_each("collection", BODIES)
async def test_missing_keys_hide_no_other_errors(
    collection: str, shared_api: Api, world: World
) -> None:
    """References by missing keys cause the errors that those by missing ids cause.

    They may cause more: each missing key is named, wherever it stands.
    """
    referred: set[str] = set()
    BODIES[collection](referred.add)
    unknown_ids = {
        name: str(2**62) if isinstance(world.ids[name], str) else 2**62 + number
        for number, name in enumerate(sorted(referred))
    }
    unknown_keys = {
        name: UNKNOWN.get(name) or dict.fromkeys(world.keys[name], f"no {name}")
        for name in referred
    }

    async def details(wrong: dict[str, Any]) -> list[tuple[str, str | None]]:
        body = BODIES[collection]((world.ids | wrong).__getitem__)
        answer = await shared_api.post(f"/api/{collection}", [body])
        assert answer.status == 400
        return answer.details

    for size in range(1, len(referred) + 1):
        for names in combinations(sorted(referred), size):
            by_id = await details({name: unknown_ids[name] for name in names})
            by_key = await details({name: unknown_keys[name] for name in names})
            assert {*by_id} <= {*by_key}, names


WRONG = [{}, {"id": 1}, {"customId": "x", "id": 1}, {"customId": 7}, {"customId": None}]


@in_each("wrong", [*WRONG, {"customId": ""}, {"customId": "\0"}])
async def test_an_object_of_another_form_is_refused_at_its_field(
    wrong: dict[str, Any], shared_api: Api
) -> None:
    style = {"number": text(), "name": "Jacket", "brandId": wrong}
    for answer in (
        await shared_api.post("/api/styles", style),
        await shared_api.patch("/api/styles/1", replacing("/brandId", wrong)),
    ):
        assert (answer.status, answer.details) == (
            400,
            [("validation_error.invalid_value", "brandId")],
        )


@pytest.mark.parametrize("languages", [None, [], [{"languageId": {"a": [0]}, "text": "x"}]])
async def test_an_object_of_another_form_is_refused_beside_fractions(
    languages: Any, shared_api: Api
) -> None:
    """The form of numbers is checked in the whole body if any number has a fraction."""
    items = [
        {"id": 1, "languages": [{"languageId": {"id": 1}, "text": "x"}]},
        {"id": 1.5, "languages": languages},
    ]
    answer = await shared_api.patch("/api/care-instructions", items)
    expected = [
        ("validation_error.invalid_value", "[0].languages[0].languageId"),
        ("validation_error.invalid_type", "[1].id"),
    ]
    if languages:
        expected.append(("validation_error.invalid_value", "[1].languages[0].languageId"))
    assert (answer.status, answer.details) == (400, expected)


async def test_a_key_of_another_organization_is_unknown_in_the_same_bytes(
    shared_api: Api, shared_other: Api
) -> None:
    key = {"userDefinedId": text()}
    body = {"name": "Navy", "colorGroupIds": [key]}
    before = await shared_other.post("/api/colors", body)
    await made(shared_api, "color-groups", name="Blues", **key)
    after = await shared_other.post("/api/colors", body)
    assert (before.status, before.raw) == (400, after.raw)
    size_range = await made(shared_api, "size-ranges", name="Mine", **key)
    await shared_api.put(f"/api/size-ranges/{size_range['id']}/sizes", [{"name": "M"}])
    related = [{"name": "S", "relatedSizeRangeSizeId": {"sizeRangeId": key, "name": "M"}}]
    own = (await made(shared_other, "size-ranges", name="Other"))["id"]
    foreign = await shared_other.put(f"/api/size-ranges/{own}/sizes", related)
    assert foreign.details == [("validation_error.unknown_reference", "[0].relatedSizeRangeSizeId")]


@pytest.mark.parametrize("resource", MASTER_RECORDS, ids=lambda resource: resource.name)
async def test_keys_lack_no_member(resource: MasterRecord, shared_api: Api) -> None:
    path, key = f"/api/{resource.name}?match={resource.own_key}", resource.key_fields
    for write in (shared_api.put, shared_api.patch):
        answer = await write(path, [{**dict.fromkeys(key), "state": "deleted"}])
        assert {*answer.details} == {(REQUIRED, f"[0].{name}") for name in key}


async def test_keys_of_parents_lack_no_member(shared_api: Api) -> None:
    request = [{"sampleRequestId": {"styleId": None, "name": "Proto"}, "sizes": []}]
    for write in (shared_api.put, shared_api.patch):
        answer = await write("/api/measurements", request)
        assert answer.details == [("validation_error.invalid_value", "[0].sampleRequestId")]
