"""Tests of sources: records are of the source of the key that created them (contract, Sources)."""

from random import Random
from typing import Any

import asyncpg
import pytest

from service.organizations import administration
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from tests.support import generate
from tests.support.api import Api
from tests.support.parametrize import of_each_resource

pytestmark = pytest.mark.contract("Sources")


@pytest.fixture
async def erp(shared_dsn: str, shared_api: Api) -> Api:
    """A caller of the same organization whose key has the source `erp`."""
    connection = await asyncpg.connect(shared_dsn)
    key = await administration.issue_key(connection, 1, name="ERP", scopes=["write"], source="erp")
    await connection.close()
    assert key
    return Api(shared_api.client, key)


async def ids(api: Api, resource: MasterRecord, **query: str) -> set[Any]:
    answer = await api.get(f"/api/{resource.name}", {"pageSize": "100"} | query)
    assert answer.status == 200, answer.raw
    return {record["id"] for record in answer.data}


@of_each_resource
async def test_records_are_of_the_source_of_the_key_that_created_them(
    resource: MasterRecord, shared_api: Api, erp: Api
) -> None:
    """Whoever writes them later, singly or in bulk; no form shows it."""
    path, random = f"/api/{resource.name}", Random(resource.name)
    references = await generate.references(shared_api)
    me = (await shared_api.get("/api/me")).data["key"]
    assert me["source"] == str(me["id"])
    made = await erp.post(path, generate.body(resource, "create", references, random))
    assert made.status == 201, made.raw
    record_id, location = made.data["id"], made.headers["Location"]
    assert "source" not in made.data
    assert record_id in await ids(shared_api, resource, source="erp")
    form = (await shared_api.get(location, {"form": "writable"})).data
    assert "source" not in form
    assert (await shared_api.put(location, form)).status == 200
    assert record_id not in await ids(shared_api, resource, source=me["source"])
    assert record_id in await ids(shared_api, resource, source="erp", id=str(record_id))
    conditions = {"filter[0].property": "source", "filter[0].operator": "isNull"}
    stored = await ids(shared_api, resource, **conditions, **{"filter[0].value": "true"})
    assert record_id not in stored
    lines = (await erp.get("/api/export", {"collection": resource.name, "source": "erp"})).raw
    assert f'"id":{record_id},'.encode() in lines or f'"id":"{record_id}"'.encode() in lines
    others = (await erp.get("/api/export", {"collection": resource.name, "source": "none"})).raw
    assert others.count(b"\n") == 1
    assert (await erp.delete(location)).status == 200


async def test_lists_do_not_sort_by_source_and_exports_of_parts_have_none(shared_api: Api) -> None:
    sorted_by = await shared_api.get("/api/colors", {"sort[0].property": "source"})
    assert sorted_by.details == [("validation_error.invalid_value", "sort[0].property")]
    parts = {"collection": "size-range-sizes", "source": "erp"}
    answer = await shared_api.get("/api/export", parts)
    assert answer.details == [("validation_error.invalid_value", "collection")]
    every = (await shared_api.get("/api/export", {"source": "nobody"})).raw
    assert every.count(b"\n") == 1
    query = {"collection": "colors", "source": "a\0"}
    assert (await shared_api.get("/api/export", query)).status == 400


async def test_restored_records_stay_of_their_source(erp: Api, shared_api: Api) -> None:
    """Whoever restores them."""
    color = {"userDefinedId": "SRC-1", "name": "Madder", "state": "active"}
    made = await erp.post("/api/colors", color)
    await shared_api.delete(made.headers["Location"])
    answer = await shared_api.put("/api/colors/userDefinedId=SRC-1", color | {"state": "active"})
    assert answer.data["id"] == made.data["id"]
    [listed] = (await erp.get("/api/colors", {"source": "erp", "userDefinedId": "SRC-1"})).data
    assert listed["id"] == made.data["id"]
    await erp.delete(made.headers["Location"])


async def test_every_table_of_records_has_the_column(shared_dsn: str) -> None:
    connection = await asyncpg.connect(shared_dsn)
    tables = await connection.fetch(
        """select table_name from information_schema.columns
        where table_schema = 'public' and column_name = 'source'"""
    )
    await connection.close()
    assert {table for (table,) in tables} >= {resource.table for resource in MASTER_RECORDS}
