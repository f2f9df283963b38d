"""Tests of entity tags and preconditions (RFC 9110, 13; contract, Preconditions)."""

from itertools import product
from random import Random
from typing import Any

import pytest
from xxhash import xxh3_128_hexdigest

from service.records.master_record import MasterRecord
from tests.support import generate, rows
from tests.support.api import Answer, Api
from tests.support.openapi_validation import is_failure
from tests.support.parametrize import of_each_resource

pytestmark = pytest.mark.contract("Preconditions")

GROUPS = "/api/groups"


async def created(api: Api, resource: MasterRecord) -> tuple[Answer, dict[str, Any]]:
    """Return the answer to creating a record, and a body to replace it by."""
    references, random = await generate.references(api), Random(resource.name)
    body = generate.body(resource, "create", references, random)
    answer = await api.post(f"/api/{resource.name}", generate.with_state(resource, body, "active"))
    return answer, generate.with_state(
        resource, generate.body(resource, "replace", references, random), "inactive"
    )


def data_of(answer: Answer) -> bytes:
    """Return the bytes of ``data``, as they stand in the body of one record."""
    return answer.raw.partition(b'"data":')[2][:-1]


@of_each_resource
async def test_every_answer_with_one_record_has_its_tag(
    resource: MasterRecord, shared_api: Api
) -> None:
    made, body = await created(shared_api, resource)
    location = made.headers["Location"]
    read = await shared_api.get(location)
    replaced = await shared_api.put(location, body)
    references = await generate.references(shared_api)
    patched = await shared_api.patch(
        location, generate.change(resource, "active", references, Random(3))
    )
    deleted = await shared_api.delete(location)
    tags = [answer.headers["ETag"] for answer in (made, read, replaced, patched, deleted)]
    for answer, tag in zip((made, read, replaced, patched, deleted), tags, strict=True):
        coding = answer.headers.get("Content-Encoding")
        suffix = f"-{coding}" if coding else ""
        assert tag == f'"{xxh3_128_hexdigest(data_of(answer))}{suffix}"'
    assert made.tag == read.tag
    assert len({*tags}) == len({*map(data_of, (made, read, replaced, patched, deleted))})


@of_each_resource
async def test_unmodified_records_get_304(resource: MasterRecord, shared_api: Api) -> None:
    made, _ = await created(shared_api, resource)
    location, tag = made.headers["Location"], made.headers["ETag"]
    for value in (tag, f"W/{tag}", f'"x", {tag}', "*", f'W/"x",{tag} , "y"'):
        for method in ("GET", "HEAD"):
            answer = await shared_api.call(method, location, headers={"If-None-Match": value})
            assert (answer.status, answer.raw) == (304, b"")
            assert answer.headers["ETag"] == tag
    for other in ('"x"', "", "x", tag.strip('"'), '"'):
        answer = await shared_api.get(location, headers={"If-None-Match": other})
        assert (answer.status, answer.data) == (200, made.data)
    writable = await shared_api.get(f"{location}?form=writable", headers={"If-None-Match": tag})
    assert writable.status == 200
    assert writable.headers["ETag"] != tag


@of_each_resource
async def test_a_write_that_expects_another_record_changes_nothing(
    resource: MasterRecord, shared_api: Api, shared_dsn: str
) -> None:
    made, body = await created(shared_api, resource)
    location, tag = made.headers["Location"], made.headers["ETag"]
    references = await generate.references(shared_api)
    change = generate.change(resource, "inactive", references, Random(3))
    before = await rows.dump(shared_dsn, versions=True)
    malformed = (f"w/{tag}", tag.strip('"'), f"{tag} x", f"x{tag}", f"{tag}{tag}", f"*, {tag}", '"')
    for stale in ('"stale"', f"W/{tag}", "", '"a", "b"', *malformed):
        expected = {"If-Match": stale}
        for answer in (
            await shared_api.put(location, body, headers=expected),
            await shared_api.patch(location, change, headers=expected),
            await shared_api.patch(location, [], headers=expected),
            await shared_api.delete(location, headers=expected),
        ):
            is_failure(answer, 412, "precondition_failed")
            assert answer.details == [("precondition_failed", None)]
            assert answer.headers["ETag"] == made.tag
    assert await rows.dump(shared_dsn, versions=True) == before


@of_each_resource
async def test_a_write_that_expects_what_is_not_there_changes_nothing(
    resource: MasterRecord, shared_api: Api, shared_dsn: str
) -> None:
    """``*`` asks that there is no record; a tag, weak or strong, that it is another one."""
    made, body = await created(shared_api, resource)
    location, tag = made.headers["Location"], made.headers["ETag"]
    writable = (await shared_api.get(f"{location}?form=writable")).headers["ETag"]
    before = await rows.dump(shared_dsn, versions=True)
    for value in ("*", tag, f"W/{tag}", f'"x", {tag}', writable):
        headers = {"If-None-Match": value}
        for answer in (
            await shared_api.put(location, body, headers=headers),
            await shared_api.patch(location, [], headers=headers),
            await shared_api.delete(location, headers=headers),
            await shared_api.delete(location, headers=headers | {"If-Match": tag}),
        ):
            is_failure(answer, 412, "precondition_failed")
        nowhere = await shared_api.delete(f"/api/{resource.name}/{2**62}", headers=headers)
        is_failure(nowhere, 404, "not_found")
    assert await rows.dump(shared_dsn, versions=True) == before
    for other in ('"x"', "", "x"):
        patched = await shared_api.patch(location, [], headers={"If-None-Match": other})
        assert patched.status == 200
    both = {"If-None-Match": '"x"', "If-Match": tag}
    assert (await shared_api.patch(location, [], headers=both)).status == 200
    is_failure(
        await shared_api.patch(location, [], headers=both | {"If-Match": '"y"'}),
        412,
        "precondition_failed",
    )


@of_each_resource
async def test_a_write_that_expects_the_record_as_it_is(
    resource: MasterRecord, shared_api: Api
) -> None:
    made, body = await created(shared_api, resource)
    location, tag = made.headers["Location"], made.headers["ETag"]
    replaced = await shared_api.put(location, body, headers={"If-Match": f'"x", {tag}'})
    assert replaced.status == 200, replaced.raw
    again = await shared_api.put(location, body, headers={"If-Match": tag})
    is_failure(again, 412, "precondition_failed")
    patched = await shared_api.patch(
        location,
        generate.change(resource, "active", await generate.references(shared_api), Random(3)),
        headers={"If-Match": replaced.headers["ETag"]},
    )
    assert patched.status == 200
    anyway = await shared_api.patch(location, [], headers={"If-Match": "*"})
    assert anyway.headers["ETag"] == patched.headers["ETag"]
    gone = await shared_api.delete(location, headers={"If-Match": patched.headers["ETag"]})
    assert gone.status == 200


@pytest.mark.contract("Precedence")
async def test_errors_that_precede_the_precondition(shared_api: Api) -> None:
    stale = {"If-Match": '"stale"'}
    used = (await shared_api.get(GROUPS, {"pageSize": 1})).data[0]["id"]
    body = {"name": "Unchanged", "state": "active"}
    wrong = await shared_api.put(f"{GROUPS}/{used}", body | {"colour": 1}, headers=stale)
    is_failure(wrong, 400, "validation_error.unknown_field")
    for expected in (stale, {"If-Match": "*"}):
        unknown = await shared_api.put(f"{GROUPS}/{2**62}", body, headers=expected)
        is_failure(unknown, 404, "not_found")
    is_failure(await shared_api.delete(f"{GROUPS}/{used}"), 409, "conflict.in_use")
    in_use = await shared_api.delete(f"{GROUPS}/{used}", headers=stale)
    is_failure(in_use, 412, "precondition_failed")
    untestable = [{"op": "test", "path": "/name", "value": "Other"}]
    failed = await shared_api.patch(f"{GROUPS}/{used}", untestable, headers=stale)
    is_failure(failed, 412, "precondition_failed")


@of_each_resource
async def test_bulk_and_creating_writes_take_no_precondition(
    resource: MasterRecord, shared_api: Api
) -> None:
    path, item = f"/api/{resource.name}", {"name": "x", "id": 1, "state": "active"}
    for name, expected in product(("If-Match", "If-None-Match"), ("*", '"x"', "")):
        headers = {name: expected}
        for answer in (
            await shared_api.post(path, [item], headers=headers),
            await shared_api.put(path, [item], headers=headers),
            await shared_api.delete(path, {"ids": "1"}, headers=headers),
        ):
            is_failure(answer, 400, answer.json["code"])
            assert ("validation_error.invalid_value", name) in answer.details
            assert answer.json["error"]["total_items"] == 1
        created = await shared_api.post(path, item, headers=headers)
        is_failure(created, 400, created.json["code"])
        assert ("validation_error.invalid_value", name) in created.details


async def test_what_is_wrong_with_a_tag(shared_api: Api) -> None:
    """A weak tag and a malformed one are told as such, not as a change of the record."""
    made = await shared_api.post("/api/groups", {"name": "Tagged"})
    location, tag = made.headers["Location"], made.tag
    messages = {
        '"stale"': "The record has changed since it was read.",
        f'"stale", W/{tag}': "The record has changed since it was read.",
        f"W/{tag}": "Send the entity tag without W/: a weak one matches no record.",
        f"w/{tag}": f"Send the entity tag as it was received, with its quotation marks: {tag}.",
        tag.strip('"'): f"Send the entity tag as it was received, with its quotation marks: {tag}.",
    }
    for value, message in messages.items():
        answer = await shared_api.delete(location, headers={"If-Match": value})
        assert (answer.status, answer.json["error"]["details"][0]["value"]) == (412, message)
