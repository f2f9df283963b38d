"""Tests of every injected schema fault: alone, and all of them in bulk."""

import pytest

from service.records.master_record import MasterRecord
from tests.support import generate, rows, schema_faults
from tests.support.api import Api
from tests.support.openapi_validation import invalid, is_failure
from tests.support.parametrize import of_each_resource, of_each_with_own_key

pytestmark = pytest.mark.contract("Errors", "Bad input")


@of_each_resource
@pytest.mark.parametrize(("method", "form"), [("POST", "create"), ("PUT", "replace")])
async def test_every_fault_of_every_item_at_once(
    resource: MasterRecord, method: str, form: str, shared_api: Api, shared_dsn: str
) -> None:
    expected = [
        fault
        for fault in schema_faults.injected_faults(resource.name, form)
        if form == "create" or fault.kind != "state_not_allowed"
    ]
    before = await rows.dump(shared_dsn, versions=True)
    for start in range(0, len(expected), 200):
        part = expected[start : start + 200]
        items = [fault.body for fault in part]
        if form == "replace":
            ids = [str(id_) if resource.string_ids else id_ for id_ in range(1, len(part) + 1)]
            items = [item | {"id": id_} for item, id_ in zip(items, ids, strict=True)]
        answer = await shared_api.call(method, f"/api/{resource.name}", items)
        assert answer.details == [
            (invalid(fault.kind), f"[{number}].{fault.field}") for number, fault in enumerate(part)
        ]
        kinds = {fault.kind for fault in part}
        is_failure(answer, 400, invalid(*kinds) if len(kinds) == 1 else "validation_error")
        error = answer.json["error"]
        assert error["operation"] == ("bulk_create" if form == "create" else "bulk_replace")
        assert (error["total_items"], error["failed_items"]) == (len(part), len(part))
        assert str(len(part)) in error["summary"]
    assert await rows.dump(shared_dsn, versions=True) == before


@of_each_resource
@pytest.mark.parametrize(("method", "form"), [("POST", "create"), ("PUT", "replace")])
async def test_every_fault_alone(
    resource: MasterRecord, method: str, form: str, shared_api: Api
) -> None:
    path = f"/api/{resource.name}"
    if form == "replace":
        path = f"{path}/{(await shared_api.get(path)).data[0]['id']}"
    for fault in schema_faults.injected_faults(resource.name, form):
        answer = await shared_api.call(method, path, fault.body)
        assert answer.details == [(invalid(fault.kind), fault.field)], fault
        is_failure(answer, 400, invalid(fault.kind))


@pytest.mark.contract("Bulk")
@of_each_resource
async def test_every_fault_of_items_that_delete(resource: MasterRecord, shared_api: Api) -> None:
    """Items that delete need less than others; every member that they have is validated."""
    if not generate.has_state(resource):
        return
    faults = [
        fault
        for fault in schema_faults.injected_faults(resource.name, "replace")
        if fault.field != "state" and fault.kind != "required_field"
    ]
    id_type = str if resource.string_ids else int
    items = [
        fault.body | {"id": id_type(number), "state": "deleted"}
        for number, fault in enumerate(faults[:200], start=1)
    ]
    answer = await shared_api.put(f"/api/{resource.name}", items)
    assert answer.details == [
        (invalid(fault.kind), f"[{number}].{fault.field}")
        for number, fault in enumerate(faults[:200])
    ]


@pytest.mark.contract("Own keys")
@of_each_with_own_key
async def test_every_fault_of_items_that_delete_by_key(
    resource: MasterRecord, shared_api: Api
) -> None:
    keys = {*resource.key_fields}
    faults = [
        fault
        for fault in schema_faults.injected_faults(resource.name, "replace")
        if not {fault.field, fault.field.partition(".")[0]} & {*keys, "state", "id"}
        and fault.kind != "required_field"
    ]
    items = [
        dict.fromkeys(keys, 1)
        | fault.body
        | {str(resource.own_key): f"K{number}", "state": "deleted"}
        for number, fault in enumerate(faults[:200])
    ]
    answer = await shared_api.put(f"/api/{resource.name}?match={resource.own_key}", items)
    assert answer.details == [
        (invalid(fault.kind), f"[{number}].{fault.field}")
        for number, fault in enumerate(faults[:200])
    ]
