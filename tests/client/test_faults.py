"""The Python client where connections are cut and the service is away: nothing is done twice."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from service.client import (
    Client,
    Collection,
    NotFoundError,
    Record,
    UnavailableError,
)
from tests.client.between import Between, Fault
from tests.support.api import replacing

Bad: TypeAlias = tuple[Between, Client]
Write: TypeAlias = Callable[[Collection, Record], Awaitable[Any]]
LOST = (Fault.CUT_AFTER, Fault.CUT_AMID, Fault.UNKNOWN_OUTCOME)

#: Writes that carry a key, with the count of records that they leave.
KEYED: dict[str, Write] = {
    "create": lambda groups, _: groups.create({"name": "Once"}),
    "create_many": lambda groups, _: groups.create_many([{"name": "Once"}, {"name": "Twice"}]),
    "replace_many": lambda groups, group: groups.replace_many(
        [{"id": group.id, "name": "New", "state": "active"}]
    ),
    "delete_many": lambda groups, group: groups.delete_many([group.id]),
}
SINGLE: dict[str, Callable[[Collection, Record, str | None], Awaitable[Record]]] = {
    "replace": lambda groups, group, tag: groups.replace(
        group.id, {"name": "New", "state": "active"}, if_match=tag
    ),
    "patch": lambda groups, group, tag: groups.patch(
        group.id, replacing("/name", "New"), if_match=tag
    ),
    "delete": lambda groups, group, tag: groups.delete(group.id, if_match=tag),
}


async def count(groups: Collection) -> int:
    return len([one async for one in groups.records()])


@pytest.mark.parametrize("fault", Fault)
async def test_reads_are_tried_again(fault: Fault, between: Bad) -> None:
    hop, client = between
    groups = client.collection("groups")
    expected = [one async for one in groups.records(page_size=10)]
    hop.faults = [fault] * 3
    assert [one async for one in groups.records(page_size=10)] == expected
    assert hop.faults == []


@pytest.mark.contract("Idempotency")
@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("write", KEYED.values(), ids=KEYED)
async def test_writes_with_a_key_are_done_once(write: Write, fault: Fault, between: Bad) -> None:
    hop, client = between
    groups = client.collection("groups")
    group = await groups.create({"name": "Stored"})
    before = await count(groups)
    hop.carried_out.clear()
    hop.faults = [fault] * 2
    answer = await write(groups, group)
    assert len(hop.carried_out) == (3 if fault in LOST else 1)
    made = [answer] if isinstance(answer, Record) else answer
    gained = {"create": 1, "create_many": 2, "replace_many": 0, "delete_many": -1}
    [name] = [name for name, one in KEYED.items() if one is write]
    assert await count(groups) - before == gained[name]
    assert len(made) == max(1, gained[name])


@pytest.mark.contract("Idempotency")
@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("is_guarded", [False, True], ids=["alone", "if_match"])
@pytest.mark.parametrize("write", SINGLE.values(), ids=SINGLE)
async def test_a_single_write_is_done_once(
    write: Any, is_guarded: bool, fault: Fault, between: Bad
) -> None:
    """The second try gets the first one's answer, and no 412 for the first one's change."""
    hop, client = between
    groups = client.collection("groups")
    group = await groups.create({"name": "Stored"})
    hop.carried_out.clear()
    hop.faults = [fault]
    written = await write(groups, group, group.etag if is_guarded else None)
    assert written.id == group.id
    assert [line.partition(" ")[2] for line in hop.carried_out] == ["200", "200"]
    read = await groups.read(group.id)
    assert written == read


async def test_a_repeated_addition_does_not_stand_twice(between: Bad) -> None:
    hop, client = between
    suppliers = client.collection("sub-suppliers")
    supplier = await suppliers.create({"name": "Mill"})
    hop.faults = [Fault.CUT_AFTER]
    added = [{"op": "add", "path": "/contacts/-", "value": {"email": "orders@example.com"}}]
    patched = await suppliers.patch(supplier.id, added)
    assert len(patched.data["contacts"]) == 1
    assert (await suppliers.read(supplier.id)).data["contacts"] == patched.data["contacts"]


async def test_tries_come_to_an_end(between: Bad) -> None:
    hop, client = between
    hop.faults = [Fault.UNAVAILABLE] * 20
    with pytest.raises(UnavailableError):
        await client.collection("groups").read(1)
    assert len(hop.faults) == 12


async def test_failures_of_the_request_are_told_at_once(between: Bad) -> None:
    hop, client = between
    with pytest.raises(NotFoundError):
        await client.collection("groups").read(2**62)
    assert hop.carried_out == ["GET 404"]
