"""Fault tests of the Python client: after cut connections nothing is done twice."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from selvedge_client import Client, Collection, Document, NotFoundError, Record, UnavailableError
from tests.client.fault_proxy import Fault, FaultProxy
from tests.support.api import replacing

Bad: TypeAlias = tuple[FaultProxy, Client]
Write: TypeAlias = Callable[[Collection[Document], Record[Document]], Awaitable[Any]]
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
SingleWrite: TypeAlias = Callable[
    [Collection[Document], Record[Document], str | None], Awaitable[Record[Document]]
]
SINGLE: dict[str, SingleWrite] = {
    "replace": lambda groups, group, tag: groups.replace(
        group.id, {"name": "New", "state": "active"}, if_match=tag
    ),
    "patch": lambda groups, group, tag: groups.patch(
        group.id, replacing("/name", "New"), if_match=tag
    ),
    "delete": lambda groups, group, tag: groups.delete(group.id, if_match=tag),
}


async def count(groups: Collection[Document]) -> int:
    return len([record async for record in groups.records()])


@pytest.mark.parametrize("fault", Fault)
async def test_reads_are_tried_again(fault: Fault, proxied: Bad) -> None:
    proxy, client = proxied
    groups = client.collection("groups")
    expected = [record async for record in groups.records(page_size=10)]
    proxy.faults = [fault] * 3
    assert [record async for record in groups.records(page_size=10)] == expected
    assert proxy.faults == []


@pytest.mark.contract("Idempotency")
@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("write", KEYED.values(), ids=KEYED)
async def test_writes_with_a_key_are_done_once(write: Write, fault: Fault, proxied: Bad) -> None:
    proxy, client = proxied
    groups = client.collection("groups")
    group = await groups.create({"name": "Stored"})
    before = await count(groups)
    proxy.carried_out.clear()
    proxy.faults = [fault] * 2
    answer = await write(groups, group)
    assert len(proxy.carried_out) == (3 if fault in LOST else 1)
    made = [answer] if isinstance(answer, Record) else answer
    gained = {"create": 1, "create_many": 2, "replace_many": 0, "delete_many": -1}
    [name] = [name for name, keyed_write in KEYED.items() if keyed_write is write]
    assert await count(groups) - before == gained[name]
    assert len(made) == max(1, gained[name])


@pytest.mark.contract("Idempotency")
@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("is_guarded", [False, True], ids=["alone", "if_match"])
@pytest.mark.parametrize("write", SINGLE.values(), ids=SINGLE)
async def test_a_single_write_is_done_once(
    write: Any, is_guarded: bool, fault: Fault, proxied: Bad
) -> None:
    """The second try gets the first one's answer, and no 412 for the first one's change."""
    proxy, client = proxied
    groups = client.collection("groups")
    group = await groups.create({"name": "Stored"})
    proxy.carried_out.clear()
    proxy.faults = [fault]
    written = await write(groups, group, group.etag if is_guarded else None)
    assert written.id == group.id
    assert [line.partition(" ")[2] for line in proxy.carried_out] == ["200", "200"]
    read = await groups.read(group.id)
    assert written == read


async def test_a_repeated_addition_does_not_stand_twice(proxied: Bad) -> None:
    proxy, client = proxied
    suppliers = client.collection("sub-suppliers")
    supplier = await suppliers.create({"name": "Mill"})
    proxy.faults = [Fault.CUT_AFTER]
    added = [{"op": "add", "path": "/contacts/-", "value": {"email": "orders@example.com"}}]
    patched = await suppliers.patch(supplier.id, added)
    assert len(patched.data["contacts"]) == 1
    assert (await suppliers.read(supplier.id)).data["contacts"] == patched.data["contacts"]


async def test_tries_come_to_an_end(proxied: Bad) -> None:
    proxy, client = proxied
    proxy.faults = [Fault.UNAVAILABLE] * 20
    with pytest.raises(UnavailableError):
        await client.collection("groups").read(1)
    assert len(proxy.faults) == 12


async def test_request_failures_are_not_retried(proxied: Bad) -> None:
    proxy, client = proxied
    with pytest.raises(NotFoundError):
        await client.collection("groups").read(2**62)
    assert proxy.carried_out == ["GET 404"]
