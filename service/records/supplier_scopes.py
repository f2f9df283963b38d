"""Scopes of suppliers: the records of their styles, by condition and by id (contract, Scopes)."""

from collections.abc import Collection, Iterable
from functools import partial
from typing import Final

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.organizations.caller import Caller
from service.records.path_keys import Visible
from service.records.resource import Resource

_SQL: Final = load("supplier_scopes")


def _slots(resource: Resource) -> dict[str, str]:
    """Return the table of the first id of the resource's paths, and its column of styles."""
    table = "style" if resource.parents else str(resource.table)
    return {"table": table, "style_id": "id" if table == "style" else "style_id"}


def condition(resource: Resource, caller: Caller, access: str) -> str:
    """Return the SQL condition of the records that a caller may know of.

    It is "" for all, and for records below parents, which ``visible`` filters.
    """
    suppliers = caller.scopes.suppliers(resource.scope(access))
    if not suppliers or resource.parents:
        return ""
    return _SQL["condition"].fill(suppliers=", ".join(map(str, suppliers)), **_slots(resource))


def visible(
    connection: Connection, resource: Resource, caller: Caller, access: str
) -> Visible | None:
    """Return the filter of the first id of the resource's paths; None if a caller sees all.

    It is the id of a style for records below parents. Most callers see all: ask their scopes for
    ``restricted`` first.
    """
    suppliers = caller.scopes.suppliers(resource.scope(access))
    if not suppliers:
        return None
    statement = _SQL["visible"].bind(**_slots(resource))
    return partial(_visible, connection, statement, caller, suppliers)


async def _visible(
    connection: Connection,
    statement: Statement,
    caller: Caller,
    suppliers: Iterable[int],
    ids: Collection[int],
) -> set[int]:
    rows = await connection.fetch(statement.text, caller.organization_id, [*ids], [*suppliers])
    return {row["id"] for row in rows}
