"""Tests of own keys that are empty, blank, or no key of the collection (contract, Own keys)."""

from random import Random
from urllib.parse import quote

import asyncpg
import pytest

from service import schemas
from service.writing.unique_keys import shared_keys
from tests.support import generate
from tests.support.api import MERGE_PATCH, Api, replacing
from tests.support.parametrize import WITH_OWN_KEY
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("Own keys")


@pytest.mark.demo_data
async def test_no_own_key_is_blank_wherever_it_is_written(api: Api, sample: Sample) -> None:
    """In every collection: create, replace, both patches, by id and by key, newKey, and paths."""
    wrong, references = [], await generate.references(api)
    for resource in sample(WITH_OWN_KEY, 12):
        if resource.properties[resource.key_fields[0]].stored_kind != "string":
            continue
        root, key = f"/api/{resource.name}", resource.key_fields[0]
        body = generate.body(resource, "create", references, Random(7))
        body |= {key: "BLANK-0"}
        created = await api.post(root, body)
        path = f"{root}/{created.data['id']}"
        form = (await api.get(path, {"form": "writable"})).data
        by_id, by_key = {"id": created.data["id"]}, {"match": key}
        named = generate.key_of(resource, created.data)
        is_simple = resource.own_key_within is None
        for text, kind in (("", "too_short"), (" \t", "invalid_value")):
            blank, merge_patch = {key: text}, {"content_type": MERGE_PATCH}
            answers = [
                (key, await api.post(root, body | blank)),
                (f"[0].{key}", await api.put(root, [form | by_id | blank])),
                (f"[0].{key}", await api.patch(root, [by_id | blank])),
                (key, await api.put(path, form | blank)),
                (key, await api.patch(path, replacing(f"/{key}", text))),
                (key, await api.patch(path, blank, **merge_patch)),
                (f"[0].{key}", await api.put(root, [form | named | blank], params=by_key)),
                (f"[0].{key}", await api.patch(root, [named | blank], params=by_key)),
                ("[0].newKey", await api.patch(root, [named | {"newKey": text}], params=by_key)),
            ]
            if is_simple:
                keyed = {"match": key, "keys": text}
                answers.append(("keys[0]", await api.delete(root, keyed)))
                answers.append(("id", await api.get(f"{root}/{key}={quote(text)}")))
            wrong += [
                (resource.name, field, answer.raw)
                for field, answer in answers
                if (answer.status, answer.details) != (400, [(f"validation_error.{kind}", field)])
            ]
    assert not wrong


@pytest.mark.contract("Unique keys")
async def test_stored_blank_keys_belong_to_nobody(api: Api, demo_dsn: str, sample: Sample) -> None:
    connection = await asyncpg.connect(demo_dsn)
    await connection.execute("update organization set unique_keys = true where id = 1")
    ids = await generate.references(api)
    for resource in sample(WITH_OWN_KEY, 12):
        root, key = f"/api/{resource.name}", str(resource.own_key)
        if "null" not in schemas.definition(resource.name, "writable").properties[key].types:
            continue
        bodies = [
            generate.body(resource, "create", ids, Random(8)) | {key: f"B-{n}"} for n in range(2)
        ]
        made = await api.post(
            root, [generate.with_state(resource, body, "active") for body in bodies]
        )
        live, dead = (record["id"] for record in made.data)
        blank = f"update {resource.table} set {resource.key_columns[0]} = $2 where id = $1"
        await api.delete(f"{root}/{dead}")
        for record_id in (live, dead):
            await connection.execute(blank, int(record_id), "")
        if "purge" not in resource.statements:
            restored = await api.patch(f"{root}/{dead}", replacing("/state", "active"))
            assert restored.status == 200, restored.raw
            form = (await api.get(f"{root}/{dead}", {"form": "writable"})).data
            assert (form["state"], form[key]) == ("active", None)
            if resource.own_key not in resource.unique_fields:
                await connection.execute(blank, int(dead), "")
        assert not await shared_keys(connection, resource, 1)
        patched = await api.patch(f"{root}/{live}", replacing("/state", "inactive"))
        assert (patched.status, patched.data.get(key)) == (200, None), patched.raw
    await connection.close()


@pytest.mark.contract("Paths by own key")
async def test_a_wrong_path_blames_no_field_of_the_body(api: Api) -> None:
    for path, missing in {
        "groups/weave=x": [],
        "groups/userDefinedId=": [],
        "groups/userDefinedId=%FF": [],
        f"groups/userDefinedId={'x' * 51}": [],
        "facilities/name=Mill": ["subSupplierId"],
        "style-relations/relatedStyleId=1": ["styleId"],
    }.items():
        own_key = schemas.key_fields(path.partition("/")[0])[0]
        required = set() if "style-relations" in path else {"name", "state"} - {own_key}
        for body in ({}, {own_key: None}, {own_key: "x" * 51}):
            details = (await api.put(f"/api/{path}", body)).details
            fields = sorted(str(field) for _, field in details if field != own_key)
            assert fields == sorted(["id", *missing, *required]), (path, body)
            assert own_key not in [field for _, field in details]
