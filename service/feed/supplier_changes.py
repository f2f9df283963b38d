"""Changes of restricted callers: those of records of their suppliers alone (contract, Scopes).

Positions of pages follow from what is left, so that they tell nothing about other records.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import orjson

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.feed.feed_parameters import ChangeFilter
from service.limits import MAX_LIMIT
from service.organizations.caller import Caller
from service.organizations.scopes import READ
from service.records import supplier_scopes
from service.records.resource import Resource

_SHOWN: Final = load("changes")["shown_within"]
_Row: TypeAlias = Mapping[str, Any]
_Changed: TypeAlias = dict[str, dict[str, list[int]]]
"""Ids of changed records, by collection and operation."""


def scanned(caller: Caller, change_filter: ChangeFilter) -> int:
    """Return the number of entries to scan for a page, hidden ones included."""
    return MAX_LIMIT if caller.scopes.restricted else change_filter.limit


async def visible_transactions(
    connection: Connection, caller: Caller, resources: Mapping[str, Resource], rows: Sequence[_Row]
) -> list[_Row]:
    """Return the rows of transactions, each with the ``records`` that a caller may know of."""
    if not caller.scopes.restricted:
        return [*rows]
    changed: list[_Changed] = [orjson.loads(row["records"]) for row in rows]
    for name, ids in _ids(changed).items():
        if visible := supplier_scopes.visible(connection, resources[name], caller, READ):
            _limit(changed, name, await visible(ids))
    return [
        {**row, "records": orjson.dumps(records)}
        for row, records in zip(rows, changed, strict=True)
    ]


def _ids(changed: Iterable[_Changed]) -> dict[str, set[int]]:
    """Return the ids of all changed records, by collection."""
    ids = defaultdict[str, set[int]](set)
    for records in changed:
        for name, by_operation in records.items():
            ids[name].update(*by_operation.values())
    return ids


def _limit(changed: Iterable[_Changed], name: str, visible: set[int]) -> None:
    """Leave the visible records of a collection alone."""
    for records in changed:
        if name in records:
            records[name] = {key: [*visible & {*ids}] for key, ids in records[name].items()}


def shown_to(caller: Caller, resource: Resource, statement: Statement) -> str:
    """Return the text of a statement that finds the records that show changed ones."""
    if caller.scopes.restricted and (within := supplier_scopes.condition(resource, caller, READ)):
        return _SHOWN.fill(shown=statement.text, within=within)
    return statement.text
