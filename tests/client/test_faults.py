"""The Python client where connections are cut and the service is away: nothing is done twice."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from service.client import (
    Client,
    Collection,
    NotFoundError,
    PreconditionFailedError,
    Record,
    UnavailableError,
    UnreachableError,
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


@pytest.mark.parametrize("write", SINGLE.values(), ids=SINGLE)
async def test_a_guarded_write_is_not_done_twice(write: Any, between: Bad) -> None:
    """The second try finds the record changed, by the first."""
    hop, client = between
    groups = client.collection("groups")
    group, other = [await groups.create({"name": "Stored"}) for _ in range(2)]
    hop.faults = [Fault.CUT_BEFORE, Fault.UNAVAILABLE]
    assert (await write(groups, group, group.etag)).id == group.id
    hop.carried_out.clear()
    hop.faults = [Fault.CUT_AFTER]
    with pytest.raises(PreconditionFailedError):
        await write(groups, other, other.etag)
    assert [one.partition(" ")[2] for one in hop.carried_out] == ["200", "412"]


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("write", SINGLE.values(), ids=SINGLE)
async def test_an_unguarded_write_is_not_repeated(write: Any, fault: Fault, between: Bad) -> None:
    """On a kept connection, too, where HTTP libraries repeat by themselves."""
    hop, client = between
    groups = client.collection("groups")
    group = await groups.create({"name": "Stored"})
    hop.carried_out.clear()
    hop.faults = [fault]
    with pytest.raises((UnreachableError, UnavailableError)) as caught:
        await write(groups, group, None)
    assert len(hop.carried_out) == 1
    if isinstance(caught.value, UnreachableError):
        assert caught.value.may_be_done


@pytest.mark.parametrize("write", SINGLE.values(), ids=SINGLE)
async def test_an_unguarded_write_is_tried_again_where_nothing_was_done(
    write: Any, between: Bad
) -> None:
    hop, client = between
    groups = client.collection("groups")
    group = await groups.create({"name": "Stored"})
    hop.faults = [Fault.UNAVAILABLE] * 3
    assert (await write(groups, group, None)).id == group.id


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
