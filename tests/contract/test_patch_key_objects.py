"""Tests of objects with own keys in a JSON Patch (contract, Patches)."""

import pytest

from tests.contract.test_patch import expecting, writable
from tests.support.api import Api
from tests.support.keyed_references import World

pytestmark = pytest.mark.contract("Patches")


async def test_a_test_takes_key_objects(shared_api: Api, world: World) -> None:
    """In place of stored ids, of ids that the patch writes, and within lists and objects."""
    ids, keys = world.ids, world.keys
    path = f"/api/styles/{ids['style']}"
    brand, group = keys["brand"], keys["group"]
    written = [
        {"op": "replace", "path": "/brandId", "value": brand},
        {"op": "add", "path": "/groupIds/-", "value": group},
    ]
    compared = [
        expecting("/brandId", brand),
        expecting("/brandId", ids["brand"]),
        expecting("/groupIds", [group]),
        expecting("/groupIds/0", group),
        expecting("/groupIds", [ids["group"]]),
    ]
    patched = await shared_api.patch(path, [*written, *compared])
    assert (patched.status, patched.data["brandId"]) == (200, ids["brand"]), patched.raw
    whole = (await writable(shared_api, path)) | {"brandId": brand, "groupIds": [group]}
    assert (await shared_api.patch(path, [*compared, expecting("", whole)])).status == 200
    chart = f"{path}/measurement-chart"
    lines = [keys["M"], ids["M"], {"sizeRangeId": ids["range"], "name": "M"}]
    same = [expecting("/lines/0/requested/0/sizeRangeSizeId", size) for size in lines]
    assert (await shared_api.patch(chart, same)).status == 200
    for pointer, value in (
        ("/brandId", {"customId": "nobody"}),
        ("/brandId", {"customId": 7}),
        ("/brandId", {"number": "x"}),
        ("/brandId", {}),
        ("/styleCategoryId", keys["category"]),
        ("/groupIds", [group, group]),
        ("/brandId/customId", brand),
    ):
        answer = await shared_api.patch(path, [expecting(pointer, value)])
        assert (answer.status, answer.details) == (409, [("conflict.test_failed", "[0].path")])
    unknown = {"op": "replace", "path": "/brandId", "value": {"customId": "nobody"}}
    answer = await shared_api.patch(path, [unknown, expecting("/brandId", unknown["value"])])
    assert answer.details == [("validation_error.unknown_reference", "brandId")]
