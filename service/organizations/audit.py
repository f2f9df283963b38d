"""Audit log: changes of keys, webhooks and settings, a chain of hashes for each organization.

The hash of an entry is the SHA-256 of the hash before it and of the canonical form (RFC 8785) of
its other members. The ends of the chain are stored apart from its entries, and its head is logged.
Source: contract, Audit.
"""

import getpass
import hashlib
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any, Final, NamedTuple, TypeAlias

import asyncpg
import orjson

from service.database.connections import Connection
from service.database.statements import load
from service.events import log_event
from service.limits import MAX_VISIBLE_HEX_DIGITS

Entry: TypeAlias = dict[str, Any]
"""Entry as callers read it, with ``previousHash`` and ``hash``."""

BEGINNING: Final = "0" * 64
"""Previous hash of the first entry of an organization."""
_NO_ENDS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("cleared_n", "last_n"), 0),
    **dict.fromkeys(("cleared_hash", "last_hash"), BEGINNING),
}
"""Ends of a chain before its first entry."""
_BATCH: Final = 1000
_SQL: Final = load("audit")


class Actor(NamedTuple):
    """API key or operator that changes something, and the address of its request."""

    name: str
    address: str | None = None
    forwarded_for: str | None = None
    """``X-Forwarded-For`` of the request, as received."""


class AuditEvent(NamedTuple):
    """Change to record: ``key.created`` of ``key:31``, for example."""

    action: str
    target: str
    details: Mapping[str, Any]
    """Texts, booleans, integers below 2**53 and lists and objects of them; ids are texts."""


def settings_event(
    organization_id: int, before: Mapping[str, Any], after: Mapping[str, Any]
) -> AuditEvent:
    """Return the change of an organization, with the values that differ."""
    changes = {name: [before[name], after[name]] for name in before if before[name] != after[name]}
    return AuditEvent(
        "organization.updated", f"organization:{organization_id}", {"changes": changes}
    )


def operator() -> Actor:
    """Return the user of the operating system who runs a command."""
    try:
        return Actor(f"operator:{getpass.getuser()}")
    except (KeyError, OSError):  # a user without a name, as in containers
        return Actor("operator:")


async def record(
    connection: Connection | asyncpg.Connection,
    organization_id: int,
    actor: Actor,
    event: AuditEvent,
) -> Entry:
    """Add an entry in the caller's transaction, until whose end other writers of entries wait.

    The caller calls ``log_head`` after the commit.
    """
    ends = await connection.fetchrow(_SQL["lock"].text, organization_id)
    if ends is None:
        await connection.execute(_SQL["begin"].text, organization_id, BEGINNING)
        ends = await connection.fetchrow(_SQL["lock"].text, organization_id)
    details = {**event.details}
    if actor.forwarded_for is not None:
        details["forwardedFor"] = actor.forwarded_for
    n, at, previous = ends["last_n"] + 1, datetime.now(UTC), ends["last_hash"]
    columns = (actor.name, event.action, event.target, actor.address, details)
    entry = _entry(n, at, *columns)
    hash_ = hash_of(previous, entry)
    stored = (n, at, *columns[:-1], orjson.dumps(details).decode(), previous, hash_)
    await connection.execute(_SQL["add"].text, organization_id, *stored)
    await connection.execute(_SQL["advance"].text, organization_id, n, hash_)
    return entry | {"previousHash": previous, "hash": hash_}


def log_head(organization_id: int, n: int, hash_: str) -> None:
    """Log the newest entry of a chain: without it, a chain that was cut would be complete.

    The hash is cut to what the log does not mask.
    """
    shown = hash_[:MAX_VISIBLE_HEX_DIGITS]
    message = f"Audit entry {n} is the newest of organization {organization_id}."
    log_event("audit_head", message, organization=organization_id, n=n, hash=shown)


def hash_of(previous_hash: str, entry: Mapping[str, Any]) -> str:
    """Return the hash of an entry, whose own ``previousHash`` and ``hash`` do not count.

    Sorted by orjson, JSON is canonical as long as names are ASCII and numbers small integers.
    """
    rest = {name: entry[name] for name in entry if name not in ("previousHash", "hash")}
    canonical = orjson.dumps(rest, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(previous_hash.encode() + canonical).hexdigest()


def _entry(n: int, at: datetime, *members: Any) -> Entry:
    names = ("actor", "action", "target", "address", "details")
    time = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {"n": n, "at": time, **dict(zip(names, members, strict=True))}


async def ends(
    connection: Connection | asyncpg.Connection, organization_id: int
) -> asyncpg.Record | None:
    """Return numbers and hashes of the ends of the chain; None before its first entry."""
    return await connection.fetchrow(_SQL["ends"].text, organization_id)


async def page(
    connection: Connection | asyncpg.Connection, organization_id: int, after: int, limit: int
) -> list[Entry]:
    """Return up to ``limit`` entries after a number."""
    rows = await connection.fetch(_SQL["page"].text, organization_id, after, limit)
    return [
        _entry(n, at, *members, orjson.loads(details))
        | {"previousHash": previous_hash, "hash": hash_}
        for n, at, *members, details, previous_hash, hash_ in rows
    ]


async def delete_expired(connection: Connection, organization_id: int, before: datetime) -> bool:
    """Delete up to 1,000 of the oldest entries from before a time.

    The chain keeps number and hash of the last one. Return whether there may be more.
    """
    stored = await connection.fetchrow(_SQL["lock"].text, organization_id)
    if stored is None:
        return False
    rows = await connection.fetch(_SQL["page"].text, organization_id, stored["cleared_n"], _BATCH)
    expired = [*takewhile(lambda row: row["at"] < before, rows)]
    if expired:
        last = expired[-1]
        await connection.execute(_SQL["clear"].text, organization_id, last["n"])
        await connection.execute(_SQL["clear_up_to"].text, organization_id, last["n"], last["hash"])
    return len(expired) == _BATCH


async def heads(connection: Connection, organization_ids: list[int]) -> dict[int, int]:
    """Return the number of the newest entry of each chain, by organization id."""
    return dict(await connection.fetch(_SQL["heads"].text, organization_ids))


async def problems(
    connection: asyncpg.Connection, organization_id: int, logged: Mapping[int, str]
) -> AsyncIterator[str]:
    """Yield what is wrong with a chain: altered, missing and inserted entries.

    ``logged`` has the beginnings of the hashes in the log, by number.
    """
    stored = await ends(connection, organization_id) or _NO_ENDS
    n, hash_ = stored["cleared_n"], stored["cleared_hash"]
    last = stored["last_n"], stored["last_hash"]
    first = n
    while entries := await page(connection, organization_id, n, _BATCH):
        for entry in entries:
            for problem in _problems_of(entry, n, hash_, logged):
                yield problem
            n, hash_ = entry["n"], entry["hash"]
    end = max([last[0], *(number for number in logged if number > first)])
    if n < end:
        yield f"entries {n + 1} to {end} are missing at the end"
    elif (n, hash_) != last:
        yield f"entry {n} is not the last one that was added"


def _problems_of(
    entry: Entry, before: int, hash_before: str, logged: Mapping[int, str]
) -> Iterator[str]:
    """Yield what is wrong with an entry after the one with this number and hash."""
    n = entry["n"]
    if n != before + 1:
        yield f"entries {before + 1} to {n - 1} are missing"
    elif entry["previousHash"] != hash_before:
        yield f"entry {n} does not follow the one before it"
    if hash_of(entry["previousHash"], entry) != entry["hash"]:
        yield f"entry {n} was altered"
    elif not entry["hash"].startswith(logged.get(n, "")):
        yield f"entry {n} is not that of the log"
