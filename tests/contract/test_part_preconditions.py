"""Tests of ``ifMatch`` in the items of part collections (contract, Preconditions)."""

from itertools import product

import pytest

from service.resources.registry import PART_COLLECTIONS
from service.routes import collection_path
from service.writing.part_collections import PartCollection
from tests.contract.test_item_preconditions import FAILED, STALE, tag
from tests.support import parts, rows
from tests.support.api import Api
from tests.support.openapi_validation import is_failure
from tests.support.part_collections import replaceable

pytestmark = [pytest.mark.contract("Preconditions", "Part collections"), pytest.mark.demo_data]

of_each_tagged_part = pytest.mark.parametrize(
    "collection",
    [collection for collection in PART_COLLECTIONS if not collection.part.parents],
    ids=lambda collection: collection.collection,
)


@of_each_tagged_part
async def test_items_of_parts_have_the_tags_of_their_parts(
    collection: PartCollection, api: Api, demo_dsn: str
) -> None:
    root, key = collection_path(collection), collection.key
    items = await replaceable(api, collection)
    paths = [parts.path(collection.part, item[key]) for item in items]
    tags = [await tag(api, paths[0]), await tag(api, paths[1], writable=True)]
    guarded = [item | {"ifMatch": given} for item, given in zip(items, tags, strict=True)]
    before = await rows.dump(demo_dsn, versions=True)
    for method in ("PUT", "PATCH"):
        same = await api.call(method, root, guarded)
        assert same.status == 200, same.raw
        anyway = await api.call(method, root, [item | {"ifMatch": "*"} for item in items])
        assert anyway.data == same.data
        owner = await tag(api, f"/api/{collection.part.owner.name}/{items[0][key]}")
        for wrong in (STALE, owner, tags[1]):
            refused = await api.call(method, root, [guarded[0] | {"ifMatch": wrong}, guarded[1]])
            is_failure(refused, 412, FAILED)
            assert refused.details == [(FAILED, "[0].ifMatch")]
        skipped = await api.call(
            method, root, [guarded[0] | {"ifMatch": STALE}, guarded[1]], params={"onError": "skip"}
        )
        assert [row["outcome"] for row in skipped.data] == ["failed", "unchanged"]
        assert (skipped.data[0]["id"], skipped.json["code"]) == (items[0][key], "partial")
        missing = await api.call(method, root, [items[0] | {key: 2**62, "ifMatch": STALE}])
        assert missing.details == [("not_found", f"[0].{key}")]
    assert await rows.dump(demo_dsn, versions=True) == before


async def test_measured_values_and_prices_have_tags_of_their_own(api: Api) -> None:
    below_parents = [each for each in PART_COLLECTIONS if each.part.parents]
    for collection, method in product(below_parents, ("PUT", "PATCH")):
        [item] = await replaceable(api, collection, 1)
        answer = await api.call(method, collection_path(collection), [item | {"ifMatch": "*"}])
        assert answer.details == [("validation_error.unknown_field", "[0].ifMatch")]
