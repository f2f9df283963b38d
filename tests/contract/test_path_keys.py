"""Tests of paths with own keys in place of ids (contract, Paths by own key)."""

import asyncio
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from service.records.master_record import MasterRecord
from tests.support import generate
from tests.support.api import Answer, Api, exactly, replacing
from tests.support.offenders import in_each
from tests.support.parametrize import of_each_with_simple_key

pytestmark = pytest.mark.contract("Paths by own key")

BRANDS, STYLES, COLORS = "/api/brands", "/api/styles", "/api/colors"
ODD = "A/B=C %2F+é漢{x}?#&;..漢"
ACME = f"{BRANDS}/customId=ACME"


def keyed(resource: MasterRecord, key: str) -> str:
    """Return the path of the record with the own key."""
    return f"/api/{resource.name}/{resource.own_key}={quote(key, safe='')}"


def same(by_key: Answer, by_id: Answer) -> bool:
    return (by_key.status, by_key.data, by_key.headers.get("ETag")) == (
        by_id.status,
        by_id.data,
        by_id.headers.get("ETag"),
    )


@pytest.mark.demo_data
@pytest.mark.parametrize("key", ["K-1", ODD])
@of_each_with_simple_key
async def test_by_key_is_as_by_id(resource: MasterRecord, key: str, api: Api) -> None:
    root, references = f"/api/{resource.name}", await generate.references(api)
    new = generate.body(resource, "create", references, Random(3)) | {str(resource.own_key): key}
    created = await api.post(root, new)
    by_id, by_key = f"{root}/{created.data['id']}", keyed(resource, key)
    for form in ({}, {"form": "writable"}):
        assert same(await api.get(by_key, form), await api.get(by_id, form))
    before = (await api.get(by_id, {"form": "writable"})).data
    changed = generate.altered(resource, before, references)
    patch = [{"op": "replace", "path": f"/{name}", "value": changed[name]} for name in changed]
    patched = await api.patch(by_key, patch)
    assert same(patched, await api.get(by_id))
    assert (await api.get(by_id, {"form": "writable"})).data == before | changed
    etag = (await api.get(by_key)).headers["ETag"]
    assert (await api.get(by_key, headers={"If-None-Match": etag})).status == 304
    assert (await api.delete(by_key, headers={"If-Match": '"old"'})).status == 412
    deleted = await api.delete(by_key, headers={"If-Match": etag})
    assert (deleted.status, deleted.data["state"]) == (200, "deleted")
    for gone in (await api.get(by_key), await api.patch(by_key, []), await api.delete(by_key)):
        assert (gone.status, gone.details) == (404, [("not_found", "id")])


@pytest.mark.demo_data
@of_each_with_simple_key
async def test_a_put_by_key_creates_replaces_and_restores(resource: MasterRecord, api: Api) -> None:
    root, references = f"/api/{resource.name}", await generate.references(api)
    path, name = keyed(resource, "K-2"), str(resource.own_key)
    body = generate.body(resource, "create", references, Random(4))
    body = generate.with_state(resource, body, "active")
    body.pop(name, None)
    dry_run = await api.put(path, body, params={"dryRun": "true"})
    assert (dry_run.data["outcome"], dry_run.data["key"]) == ("created", "K-2")
    created = await api.put(path, body)
    assert (created.status, created.json["code"]) == (201, "created"), created.raw
    location = f"{root}/{created.data['id']}"
    assert created.headers["Location"] == location
    assert created.data.get(name, "K-2") == "K-2"
    again = await api.put(path, body | {name: "K-2", "id": 5})
    assert (again.status, again.data) == (200, created.data)
    assert "Location" not in again.headers
    assert same(again, await api.get(location))
    if "purge" not in resource.statements:
        await api.delete(path)
        restored = await api.put(path, body)
        assert (restored.status, restored.data["id"]) == (200, created.data["id"])
    other = await api.put(path, body | {name: "K-3"})
    assert (other.status, other.details) == (400, [("validation_error.invalid_value", name)])


@pytest.mark.contract("Preconditions")
async def test_preconditions_of_a_put_by_key(api: Api) -> None:
    body, create_only = {"name": "Acme", "state": "active"}, {"If-None-Match": "*"}
    for header in ('"tag"', "*"):
        missing = await api.put(ACME, body, headers={"If-Match": header})
        assert (missing.status, missing.details) == (412, [("precondition_failed", None)])
        both = await api.put(ACME, body, headers=create_only | {"If-Match": header})
        assert (both.status, both.details) == (412, [("precondition_failed", None)])
    runs = await asyncio.gather(*(api.put(ACME, body, headers=create_only) for _ in range(3)))
    assert sorted(run.status for run in runs) == [201, 412, 412]
    etag = (await api.get(ACME)).headers["ETag"]
    changed = await api.put(ACME, body | {"name": "Acme 2"}, headers={"If-Match": etag})
    assert changed.status == 200
    assert (await api.put(ACME, body, headers={"If-Match": etag})).status == 412
    await api.delete(ACME)
    assert (await api.put(ACME, body, headers={"If-Match": "*"})).status == 412
    assert (await api.put(ACME, body, headers=create_only | {"If-Match": "*"})).status == 412
    assert (await api.put(ACME, body, headers=create_only)).status == 200


@pytest.mark.contract("Idempotency")
async def test_a_put_by_key_is_repeated(api: Api) -> None:
    headers = {"Idempotency-Key": "acme"}
    body = {"name": "Acme", "state": "active"}
    first, again = [await api.put(ACME, body, headers=headers) for _ in range(2)]
    assert (first.status, again.raw) == (201, first.raw)
    assert again.headers["Idempotent-Replayed"] == "true"


async def test_an_ambiguous_key_is_reported_with_its_records(api: Api) -> None:
    made = await api.post(COLORS, [{"name": "Sage", "userDefinedId": "T"}] * 2)
    path = f"{COLORS}/userDefinedId=T"
    ids = ", ".join(str(record["id"]) for record in made.data)
    for answer in (
        await api.get(path),
        await api.put(path, {"name": "Sage", "state": "active"}),
        await api.patch(path, []),
        await api.delete(path),
        await api.get(f"{path}/translations"),
        await api.put(f"{path}/translations", []),
    ):
        assert (answer.status, answer.details) == (409, [("conflict.ambiguous_key", "id")])
        assert answer.json["error"]["details"][0]["value"] == f"Records {ids} have this key."


async def test_a_missing_key_is_named(api: Api) -> None:
    for path in (ACME, f"{BRANDS}/customId%3DACME"):
        answer = await api.get(path)
        assert (answer.status, answer.details) == (404, [("not_found", "id")])
        [row] = answer.json["error"]["details"]
        assert row["value"] == "There is no record with the customId ACME."


@in_each(
    ("path", "kind", "field"),
    [
        (f"{BRANDS}/name=Acme", "invalid_value", "id"),
        (f"{BRANDS}/customid=ACME", "invalid_value", "id"),
        (f"{BRANDS}/=ACME", "invalid_value", "id"),
        (f"{BRANDS}/customId=", "too_short", "id"),
        (f"{BRANDS}/customId={'x' * 501}", "too_long", "id"),
        (f"{BRANDS}/customId=a%00b", "invalid_value", "id"),
        (f"{BRANDS}/customId=%FF", "invalid_value", "id"),
        (f"{BRANDS}/customId=100%", "invalid_value", "id"),
        (f"{BRANDS}/customId=%zz", "invalid_value", "id"),
        ("/api/facilities/name=Mill", "invalid_value", "id"),
        ("/api/sample-requests/name=Proto", "invalid_value", "id"),
        ("/api/style-relations/relatedStyleId=1", "invalid_value", "id"),
        ("/api/sub-suppliers/name=Mill", "invalid_value", "id"),
        (f"{STYLES}/id=1/sample-requests", "invalid_value", "styleId"),
        (f"{STYLES}/1/sample-requests/unit=cm/measurements", "invalid_value", "sampleRequestId"),
        (f"{STYLES}/1/sample-requests/1/measurements/id=1", "invalid_value", "sizeRangeSizeId"),
    ],
)
async def test_only_own_keys_stand_in_paths(api: Api, path: str, kind: str, field: str) -> None:
    answer = await exactly(api, path)
    assert (answer.status, answer.details) == (400, [(f"validation_error.{kind}", field)])


async def sized(api: Api) -> dict[str, Any]:
    """Return a new size range with an own key and a size."""
    path = (await api.post("/api/size-ranges", {"name": "R", "userDefinedId": "R/1"})).headers
    await api.put(f"{path['Location']}/sizes", [{"name": "M/L"}])
    return dict((await api.get(path["Location"])).data)


async def test_parts_are_below_the_key_of_their_record(api: Api) -> None:
    style = (await api.post(STYLES, {"number": ODD, "name": "Vest"})).data
    size_range = await sized(api)
    color = (await api.post(COLORS, {"name": "Sage", "userDefinedId": "C/1"})).data
    own_key = size_range["userDefinedId"]
    sizes = [{"id": size["id"], "name": size["name"]} for size in size_range["sizes"]]
    for by_id, by_key, body in (
        (
            f"{STYLES}/{style['id']}/measurement-chart",
            f"{STYLES}/number={quote(ODD, safe='')}/measurement-chart",
            {"unit": "cm", "lines": [{"name": "Chest"}]},
        ),
        (f"{COLORS}/{color['id']}/translations", f"{COLORS}/userDefinedId=C%2F1/translations", []),
        (
            f"/api/size-ranges/{size_range['id']}/sizes",
            f"/api/size-ranges/userDefinedId={quote(own_key, safe='')}/sizes",
            sizes,
        ),
    ):
        assert same(await api.get(by_key), await api.get(by_id))
        replaced = await api.put(by_key, body)
        assert replaced.status == 200, replaced.raw
        assert same(replaced, await api.get(by_id))
        missing = by_key.replace("=", "=no", 1)
        for answer in (await api.get(missing), await api.put(missing, body)):
            assert (answer.status, answer.details) == (404, [("not_found", "id")])


@pytest.mark.contract("Measured values", "Sample requests")
async def test_sample_requests_are_below_the_key_of_their_style(api: Api) -> None:
    style = (await api.post(STYLES, {"number": "S/1", "name": "Vest"})).data
    size = (await sized(api))["sizes"][0]
    body = {"styleId": style["id"], "name": "Proto 1", "sizeRangeSizeIds": [size["id"]]}
    request = (await api.post("/api/sample-requests", body)).data
    other = (await api.post(STYLES, {"number": "S/2", "name": "Vest"})).data
    pairs = [
        (f"{STYLES}/{style['id']}", f"{STYLES}/number=S%2F1"),
        (f"/sample-requests/{request['id']}", "/sample-requests/name=Proto%201"),
        (f"/measurements/{size['id']}", f"/measurements/name={quote(size['name'], safe='')}"),
    ]
    by_id, by_key = ("".join(pair[n] for pair in pairs) for n in (0, 1))
    [style_id, request_id, _], [style_key, request_key, _] = (
        [pair[n] for pair in pairs] for n in (0, 1)
    )
    for below in ("/sample-requests", request_id, f"{request_id}/measurements"):
        assert same(await api.get(style_key + below), await api.get(style_id + below))
    assert same(await api.get(style_key + request_key), await api.get(style_id + request_id))
    assert same(await api.get(by_key), await api.get(by_id))
    done = await api.put(by_key, {"designerComment": "Fits"})
    assert (done.status, done.data["designerComment"]) == (200, "Fits")
    patched = await api.patch(by_key, replacing("/approved", True))
    assert same(patched, await api.get(by_id))
    for path, field in (
        (f"{STYLES}/number=none{request_key}", "styleId"),
        (f"{style_key}/sample-requests/name=none/measurements", "sampleRequestId"),
        (f"{style_key}/sample-requests/name=none", "id"),
        (f"{style_key}{request_key}/measurements/name=none", "sizeRangeSizeId"),
        (f"{STYLES}/{other['id']}{request_key}", "id"),
    ):
        answer = await api.get(path)
        assert (answer.status, answer.details) == (404, [("not_found", field)])


@pytest.mark.contract("Reference lists")
async def test_languages_have_codes(api: Api) -> None:
    language = (await api.get("/api/languages", {"code": "de"})).data[0]
    for code in ("de", "DE"):
        assert (await api.get(f"/api/languages/code={code}")).data == language
    assert (await api.get("/api/languages/code=xx")).status == 404


@pytest.mark.contract("Tenancy")
async def test_keys_of_other_organizations_are_unknown(api: Api, other_api: Api) -> None:
    """In the same bytes, and without a trace of the other record."""
    await other_api.put(ACME, {"name": "Theirs", "state": "active"})
    nobodys = f"{BRANDS}/customId=NONE"
    for method, body in (("GET", None), ("PATCH", []), ("DELETE", None)):
        theirs, nobody = [await api.call(method, path, body) for path in (ACME, nobodys)]
        assert theirs.status == 404
        assert theirs.raw == nobody.raw.replace(b"NONE", b"ACME")
    mine = await api.put(ACME, {"name": "Mine", "state": "active"})
    assert (mine.status, mine.data["name"]) == (201, "Mine")
    assert (await other_api.get(ACME)).data["name"] == "Theirs"


async def test_cached_reads_by_key_are_exact(api: Api) -> None:
    """After a rename the record is found by its new key alone."""
    made = (await api.post(BRANDS, {"name": "Acme", "customId": "ACME"})).data
    assert (await api.get(ACME)).data == (await api.get(ACME)).data == made
    await api.patch(f"{BRANDS}/{made['id']}", replacing("/customId", "ACME-2"))
    assert (await api.get(ACME)).status == 404
    assert (await api.get(f"{BRANDS}/customId=ACME-2")).data["id"] == made["id"]


async def test_a_patch_by_key_meets_the_record_of_that_key(api: Api) -> None:
    """While two records swap their keys, every patch is that of the record with the key."""
    made = await api.post(BRANDS, [{"name": "One", "customId": key} for key in ("A", "B")])
    ids = [record["id"] for record in made.data]

    async def swap() -> None:
        for turn in range(6):
            keys = "AB" if turn % 2 else "BA"
            items = [
                {"id": record_id, "customId": key} for record_id, key in zip(ids, keys, strict=True)
            ]
            assert (await api.patch(BRANDS, items)).status == 200

    async def patch() -> list[Any]:
        return [
            (await api.patch(f"{BRANDS}/customId=A", replacing("/name", f"Turn {turn}"))).data
            for turn in range(12)
        ]

    _, patched = await asyncio.gather(swap(), patch())
    assert {record["customId"] for record in patched} == {"A"}


async def test_metrics_name_the_route(api: Api) -> None:
    await api.get(f"{BRANDS}/customId=NOT-IN-METRICS")
    async with api.client.get("/metrics") as answer:
        text = await answer.text()
    assert 'route="/api/brands/{id}"' in text
    assert "NOT-IN-METRICS" not in text
