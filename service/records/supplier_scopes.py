"""Scopes of suppliers: the records of their styles, by condition and by id (contract, Scopes)."""

from collections.abc import Collection, Iterable
from functools import partial
from typing import Final

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.organizations.caller import Caller
from service.organizations.scopes import STYLES
from service.records.path_keys import Visible
from service.records.resource import Resource

_SQL: Final = load("supplier_scopes")
_TABLES: Final = {
    "style-colors": "style_color",
    "style-skus": "style_sku",
    "style-files": "style_file",
    "sample-requests": "sample_request",
    "measurements": "sample_request",
}
"""Tables with a style, by collection; styles and their parts have the ids of styles."""


def _slots(collection: str) -> dict[str, str]:
    is_style = collection not in _TABLES
    return {
        "table": "style" if is_style else _TABLES[collection],
        "style_id": "id" if is_style else "style_id",
    }


def condition(resource: Resource, caller: Caller, access: str) -> str:
    """Return the SQL condition of the records that a caller may know of; "" for all."""
    scope = resource.scope(access)
    suppliers = caller.scopes.suppliers(scope)
    if not suppliers:
        return ""
    slots = _slots(scope.partition(":")[0])
    return _SQL["condition"].fill(suppliers=", ".join(map(str, suppliers)), **slots)


def visible(
    connection: Connection, resource: Resource, caller: Caller, access: str
) -> Visible | None:
    """Return the filter of the first id of the resource's paths; None if a caller sees all.

    It is the id of a style for records below parents.
    """
    scope = resource.scope(access)
    suppliers = caller.scopes.suppliers(scope)
    if not suppliers:
        return None
    slots = _slots(STYLES if resource.parents else scope.partition(":")[0])
    return partial(_visible, connection, _SQL["visible"].bind(**slots), caller, suppliers)


async def _visible(
    connection: Connection,
    statement: Statement,
    caller: Caller,
    suppliers: Iterable[int],
    ids: Collection[int],
) -> set[int]:
    rows = await connection.fetch(statement.text, caller.organization_id, [*ids], [*suppliers])
    return {row["id"] for row in rows}
