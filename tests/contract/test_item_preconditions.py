"""Tests of ``ifMatch`` in the items of bulk writes (contract, Preconditions)."""

from random import Random
from typing import Any, Final
from uuid import uuid4

import pytest

from service.records.master_record import MasterRecord
from tests.support import generate, rows
from tests.support.api import Api
from tests.support.openapi_validation import is_failure
from tests.support.parametrize import WITH_OWN_KEY, of_each_resource, of_each_with_own_key

pytestmark = pytest.mark.contract("Preconditions")

COLORS: Final = "/api/colors"
STALE: Final = '"0123456789abcdef0123456789abcdef"'
MALFORMED: Final = (
    "", "x", '"a', 'a"', 'W/"a"', '"a", "b"', '*, "a"', ' "a"', '"a" ', '"é"', "**",
)  # fmt: skip
FAILED: Final = "precondition_failed"
INVALID: Final = "validation_error.invalid_value"


async def created(api: Api, resource: MasterRecord, count: int = 3) -> list[dict[str, Any]]:
    """Return the writable forms of new records, with their ids."""
    references, root = await generate.references(api), f"/api/{resource.name}"
    bodies = [
        generate.body(resource, "create", references, Random(f"{resource.name} {number}"))
        for number in range(count)
    ]
    if resource in WITH_OWN_KEY:
        bodies = [body | {str(resource.own_key): f"key {uuid4()}"} for body in bodies]
    answer = await api.post(
        root, [generate.with_state(resource, body, "active") for body in bodies]
    )
    assert answer.status == 201, answer.raw
    return [
        (await api.get(f"{root}/{record['id']}?form=writable")).data | {"id": record["id"]}
        for record in answer.data
    ]


async def tag(api: Api, path: str, *, writable: bool = False) -> str:
    """Return the entity tag of a record or a part, or of its writable form."""
    answer = await api.get(path, {"form": "writable"} if writable else None)
    return str(answer.headers["ETag"])


def keyed(item: dict[str, Any]) -> dict[str, Any]:
    """Return the item without its id, so that its own key names its record."""
    return {name: value for name, value in item.items() if name != "id"}


@of_each_resource
async def test_items_are_written_if_their_records_are_as_they_say(
    resource: MasterRecord, shared_api: Api
) -> None:
    """The tags of the document, of the writable form and of a compressed answer, and ``*``."""
    root, references = f"/api/{resource.name}", await generate.references(shared_api)
    items = await created(shared_api, resource, 4)
    paths = [f"{root}/{item['id']}" for item in items]
    tags = [await tag(shared_api, paths[0]), await tag(shared_api, paths[1], writable=True), "*"]
    tags.append(f'{(await shared_api.get(paths[3])).tag[:-1]}-gzip"')
    guarded = [item | {"ifMatch": given} for item, given in zip(items, tags, strict=True)]
    same = await shared_api.put(root, guarded)
    assert same.status == 200, same.raw
    merged = await shared_api.patch(
        root, [{"id": item["id"], "ifMatch": item["ifMatch"]} for item in guarded]
    )
    assert merged.data == same.data
    changed = [item | generate.altered(resource, item, references) for item in guarded[:1]]
    assert (await shared_api.put(root, changed)).status == 200
    again = await shared_api.put(root, [*changed, items[1]])
    is_failure(again, 412, FAILED)
    assert again.details == [(FAILED, "[0].ifMatch")]
    anew = changed[0] | {"ifMatch": await tag(shared_api, paths[0])}
    assert (await shared_api.put(root, [anew, items[1] | {"ifMatch": None}])).status == 200


@of_each_resource
async def test_no_item_is_written_if_one_record_is_another(
    resource: MasterRecord, shared_api: Api, shared_dsn: str
) -> None:
    """In replaces, merges and deletes by state; all errors of a request are reported at once."""
    root, references = f"/api/{resource.name}", await generate.references(shared_api)
    first, second, third = await created(shared_api, resource)
    stale = second | {"ifMatch": STALE}
    before = await rows.dump(shared_dsn, versions=True)
    changed = first | generate.altered(resource, first, references)
    for answer in (
        await shared_api.put(root, [changed, stale]),
        await shared_api.patch(root, [changed, {"id": stale["id"], "ifMatch": STALE}]),
        await shared_api.put(root, [changed, stale], params={"dryRun": "true"}),
        await shared_api.put(root, [changed, stale], headers={"Prefer": "return=minimal"}),
        await shared_api.put(root, [changed, stale], headers={"Idempotency-Key": str(uuid4())}),
    ):
        is_failure(answer, 412, FAILED)
        assert answer.details == [(FAILED, "[1].ifMatch")]
        assert answer.json["error"]["failed_items"] == 1
    if generate.has_state(resource):
        gone = await shared_api.put(root, [stale | {"state": "deleted"}, changed])
        assert gone.details == [(FAILED, "[0].ifMatch")]
    unknown = third | {"id": "0" if resource.string_ids else 2**62, "ifMatch": STALE}
    unknown |= dict.fromkeys(resource.unique_fields)
    wrong = third | {"ifMatch": "stale", "unheardOf": 1}
    several = await shared_api.put(root, [stale, unknown, wrong])
    assert (several.status, several.json["error"]["failed_items"]) == (404, 3)
    assert several.details == [
        (FAILED, "[0].ifMatch"),
        ("not_found", "[1].id"),
        (INVALID, "[2].ifMatch"),
        ("validation_error.unknown_field", "[2].unheardOf"),
    ]
    assert await rows.dump(shared_dsn, versions=True) == before


@pytest.mark.contract("Own keys")
@of_each_with_own_key
async def test_items_with_own_keys_expect_a_live_record(
    resource: MasterRecord, shared_api: Api
) -> None:
    """A record to create, restore or delete that is not there meets no tag, and not ``*``."""
    root, match = f"/api/{resource.name}", {"match": str(resource.own_key)}
    first, second = await created(shared_api, resource, 2)
    path = f"{root}/{first['id']}"
    stored = keyed(first)
    good = await shared_api.put(
        root, [stored | {"ifMatch": await tag(shared_api, path)}], params=match
    )
    assert good.data[0]["outcome"] == "unchanged"
    keys = generate.key_of(resource, first)
    merged = await shared_api.patch(root, [keys | {"ifMatch": "*"}], params=match)
    assert merged.data[0]["outcome"] == "unchanged"
    new = stored | {str(resource.own_key): f"key {uuid4()}"}
    gone = generate.key_of(resource, new) | {"state": "deleted"}
    deleted = await shared_api.delete(f"{root}/{second['id']}")
    restored = keyed(second)
    for expected in ("*", STALE, deleted.headers["ETag"]):
        items = [item | {"ifMatch": expected} for item in (new, restored)]
        refused = await shared_api.put(root, items, params=match)
        is_failure(refused, 412, FAILED)
        assert refused.details == [(FAILED, "[0].ifMatch"), (FAILED, "[1].ifMatch")]
        refused = await shared_api.patch(root, items, params=match)
        assert refused.details == [(FAILED, "[0].ifMatch"), (FAILED, "[1].ifMatch")]
        refused = await shared_api.put(root, [gone | {"ifMatch": expected}], params=match)
        assert refused.details == [(FAILED, "[0].ifMatch")]
    stale = keys | {"ifMatch": STALE, "state": "deleted"}
    refused = await shared_api.patch(root, [stale], params=match)
    assert refused.details == [(FAILED, "[0].ifMatch")]
    ending = stale | {"ifMatch": await tag(shared_api, path)}
    ended = await shared_api.patch(root, [ending], params=match)
    assert ended.data[0]["outcome"] == "deleted"


@pytest.mark.contract("Skipping failing items", "Idempotency", "Dry runs")
@of_each_resource
async def test_skipped_items_are_those_whose_records_are_others(
    resource: MasterRecord, shared_api: Api
) -> None:
    root, references = f"/api/{resource.name}", await generate.references(shared_api)
    first, second = await created(shared_api, resource, 2)
    path = f"{root}/{first['id']}"
    changed = first | generate.altered(resource, first, references)
    items = [changed | {"ifMatch": await tag(shared_api, path)}, second | {"ifMatch": STALE}]
    params, headers = {"onError": "skip"}, {"Idempotency-Key": str(uuid4())}
    dry = await shared_api.put(root, items, params=params | {"dryRun": "true"})
    done = await shared_api.put(root, items, params=params, headers=headers)
    assert (done.status, done.json["code"], done.data) == (200, "partial", dry.data)
    assert [row["outcome"] for row in done.data] == ["updated", "failed"]
    assert [row["id"] for row in done.data] == [first["id"], second["id"]]
    assert [row["type"] for row in done.data[1]["details"]] == [FAILED]
    assert done.data[1]["details"][0]["field"] == "[1].ifMatch"
    # The first write changed the tag; the stored response comes before the comparison.
    again = await shared_api.put(root, items, params=params, headers=headers)
    assert (again.raw, again.headers["Idempotent-Replayed"]) == (done.raw, "true")
    anew = await shared_api.put(root, items, params=params)
    assert [row["outcome"] for row in anew.data] == ["failed", "failed"]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_malformed_tags_are_errors_of_their_items(method: str, shared_api: Api) -> None:
    made = (await shared_api.post(COLORS, {"name": "Tagged"})).data
    item = {"id": made["id"], "name": "Tagged", "state": "active"}
    items = [item | {"ifMatch": text} for text in MALFORMED]
    for expected in items:
        answer = await shared_api.call(method, COLORS, [expected])
        is_failure(answer, 400, INVALID)
        assert answer.details == [(INVALID, "[0].ifMatch")]
    for value, kind in (
        (1, "invalid_type"),
        (["*"], "invalid_type"),
        (f'"{"x" * 199}"', "too_long"),
    ):
        answer = await shared_api.call(method, COLORS, [item | {"ifMatch": value}])
        assert answer.details == [(f"validation_error.{kind}", "[0].ifMatch")]


async def test_where_items_take_no_tags(shared_api: Api) -> None:
    """Creates, and single writes, which have headers."""
    unknown = "validation_error.unknown_field"
    made = await shared_api.post(COLORS, {"name": "Tagged"})
    path, body = made.headers["Location"], {"name": "Tagged", "state": "active", "ifMatch": "*"}
    for answer, field in (
        (await shared_api.post(COLORS, [body]), "[0].ifMatch"),
        (await shared_api.post(COLORS, body), "ifMatch"),
        (await shared_api.put(path, body), "ifMatch"),
    ):
        assert answer.details == [(unknown, field)]
    merge = {"content_type": "application/merge-patch+json"}
    assert (await shared_api.patch(path, {"ifMatch": "*"}, **merge)).details == [
        (unknown, "ifMatch")
    ]


@pytest.mark.contract("Tenancy")
async def test_tags_tell_nothing_of_the_records_of_others(
    shared_api: Api, shared_other: Api
) -> None:
    made = await shared_api.post(COLORS, {"name": "Ours", "userDefinedId": str(uuid4())})
    item = {"id": made.data["id"], "name": "Theirs", "state": "active"}
    for expected in ("*", made.headers["ETag"], STALE):
        foreign = await shared_other.put(COLORS, [item | {"ifMatch": expected}])
        unknown = await shared_other.put(COLORS, [item | {"id": 2**62, "ifMatch": expected}])
        is_failure(foreign, 404, "not_found")
        assert foreign.json["error"] == unknown.json["error"]
        by_key = {name: made.data[name] for name in ("userDefinedId", "name", "state")}
        refused = await shared_other.put(
            COLORS, [by_key | {"ifMatch": expected}], params={"match": "userDefinedId"}
        )
        assert refused.details == [(FAILED, "[0].ifMatch")]


@pytest.mark.contract("Own keys")
async def test_a_renamed_record_is_compared_as_it_was(shared_api: Api) -> None:
    """Each item is compared with its record before the request, whatever the others do."""
    names = [str(uuid4()) for _ in range(2)]
    made = await shared_api.post(COLORS, [{"name": "x", "userDefinedId": name} for name in names])
    tags = [await tag(shared_api, f"{COLORS}/{record['id']}") for record in made.data]
    written = {"name": "x", "state": "active"}
    items = [
        {"userDefinedId": name, "newKey": other, "ifMatch": expected, **written}
        for name, other, expected in zip(names, names[::-1], tags, strict=True)
    ]
    match = {"match": "userDefinedId"}
    swapped = await shared_api.put(COLORS, items, params=match)
    assert [row["outcome"] for row in swapped.data] == ["updated"] * 2
    refused = await shared_api.put(COLORS, items, params=match)
    assert refused.details == [(FAILED, "[0].ifMatch"), (FAILED, "[1].ifMatch")]
