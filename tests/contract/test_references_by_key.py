"""Tests of references by own key: they do what references by id do (contract, References)."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.records.keyed_values import keyed_fields
from service.resources.registry import MASTER_RECORDS, PARTS
from tests.support.api import Api, replacing
from tests.support.keyed_references import BODIES, DRY, PARTS_BODIES, World, made, text
from tests.support.offenders import in_each
from tests.support.writers import outcomes

pytestmark = pytest.mark.contract("References")

UNIQUE = frozenset(
    {
        *("id", "number", "sku", "barcode", "name", "text", "userDefinedId", "companyPrefix"),
        *("position", "requestedAt", "isPrimary", "fileName"),
    }
)


def objects(value: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield where a body by key has objects in place of ids: names without indexes."""
    if isinstance(value, list):
        for member in value:
            yield from objects(member, names)
    elif isinstance(value, dict):
        for name, member in value.items():
            members = member if isinstance(member, list) else [member]
            if name.endswith(("Id", "Ids")) and any(isinstance(m, dict) for m in members):
                yield (*names, name)
            else:
                yield from objects(member, (*names, name))


def test_the_bodies_have_every_reference() -> None:
    shown = {name: {*objects(body(lambda _: {}))} for name, body in (BODIES | PARTS_BODIES).items()}
    for resource in (*MASTER_RECORDS, *PARTS):
        above = 1 if resource.list_name else 0
        fields = keyed_fields(resource.name, resource.list_name)
        accepted = {keyed.names[above:] for keyed in fields}
        if resource.name == "style-custom-fields":
            accepted.add(("allowedValues", "parentAllowedValueId"))
        if resource.name == "custom-field-values":
            accepted.add(("allowedValueId",))
        if resource.name == "barcodes":  # whose number is one of the range's, in a test of its own
            accepted.remove(("barcodeRangeId",))
        assert shown.get(resource.name, set()) == accepted, resource.name


def common(record: dict[str, Any]) -> Any:
    """Return the parts of a writable form that two records with the same references share."""
    shared = {name: value for name, value in record.items() if name not in UNIQUE}
    values = [value | {"id": 0} for value in record.get("allowedValues", ())]
    return shared | {"allowedValues": values}


@in_each("collection", BODIES)
async def test_by_key_a_write_does_what_it_does_by_id(
    collection: str, shared_api: Api, world: World
) -> None:
    root, body = f"/api/{collection}", BODIES[collection]
    by_id = await made(shared_api, collection, **body(world.ids.__getitem__))
    stored = (await shared_api.get(f"{root}/{by_id['id']}?form=writable")).data
    if collection in ("style-relations", "style-colors", "style-skus"):
        await shared_api.delete(f"{root}/{by_id['id']}")
    sent = body(world.keys.__getitem__)
    by_key = await made(shared_api, collection, **sent)
    path = f"{root}/{by_key['id']}"
    now = (await shared_api.get(f"{path}?form=writable")).data
    assert common(now) == common(stored)
    document = (await shared_api.get(path)).data
    # A replace, a merge and a patch by key leave it as it is.
    references = {name: sent[name] for name in sent if [*objects({name: sent[name]})]}
    patched = {name: value for name, value in references.items() if name in now}
    writes = [
        await shared_api.put(path, now | references, params=DRY),
        await shared_api.put(root, [now | references | {"id": by_key["id"]}], params=DRY),
        await shared_api.patch(root, [{"id": by_key["id"], **references}], params=DRY),
        await shared_api.patch(
            path, [replacing(f"/{name}", value)[0] for name, value in patched.items()], params=DRY
        ),
    ]
    assert [outcomes(answer) for answer in writes] == [["unchanged"]] * 4
    assert (await shared_api.put(path, now | references)).data == document


@pytest.mark.parametrize("part", PARTS_BODIES)
async def test_by_key_a_part_is_written_as_by_id(part: str, shared_api: Api, world: World) -> None:
    path, body = world.paths[part], PARTS_BODIES[part]
    by_key = await shared_api.put(path, body(world.keys.__getitem__))
    assert by_key.status == 200, by_key.raw
    by_id = await shared_api.put(path, body(world.ids.__getitem__), params=DRY)
    assert outcomes(by_id) == ["unchanged"]


async def test_associations_take_both_spellings(shared_api: Api, world: World) -> None:
    field = {
        "name": "Lining",
        "type": "text",
        "associatedBrands": [world.keys["brand"]],
        "associatedGroups": [world.keys["group"]],
        "associatedStyleCategories": [{"customId": world.keys["category"]["userDefinedId"]}],
    }
    stored = await made(shared_api, "style-custom-fields", **field)
    shown = [
        stored[name][0]["id"]
        for name in ("associatedBrands", "associatedGroups", "associatedStyleCategories")
    ]
    assert shown == [world.ids[name] for name in ("brand", "group", "category")]
    await made(shared_api, "groups", name="Twin", **world.keys["group"])
    twin = await shared_api.post("/api/style-custom-fields", field)
    field_path = "associatedGroups[0].userDefinedId"
    assert (twin.status, twin.details) == (409, [("conflict.ambiguous_key", field_path)])


async def test_parts_name_their_owners_by_key(shared_api: Api) -> None:
    key = {"userDefinedId": text()}
    path, part = "/api/color-translations", {"translations": [{"languageId": {"code": "de"}}]}
    unknown = await shared_api.put(path, [{"colorId": key, **part}])
    assert (unknown.status, unknown.details) == (404, [("not_found", "[0].colorId")])
    color = await made(shared_api, "colors", name="Sage", **key)
    written = await shared_api.put(path, [{"colorId": key, **part}])
    assert [record["colorId"] for record in written.data] == [color["id"]]
