"""Data of the attacking organization before an attack: many records, and large ones."""

from typing import Any

import asyncpg

from benchmarks.data import STYLE_CUSTOM_FIELDS

ATTACKER = 1
OTHER = 2

_COLORS = """
insert into color (organization_id, name, user_defined_id, color_reference, color_note)
select $1::bigint, 'Heather ' || n, 'B-' || n, '19-' || n || ' TCX', 'Lab dip requested.'
from generate_series(1, $2::integer) as n
"""
_SUPPLIERS = """
insert into sub_supplier (organization_id, name)
select $1::bigint, 'Dye house ' || n from generate_series(1, $2::integer) as n
returning id
"""
_CONTACTS = """
insert into sub_supplier_contact (organization_id, sub_supplier_id, first_name, last_name, role)
select $1::bigint, supplier, repeat('F', 300), repeat('L', 300), repeat('R', 300)
from unnest($2::bigint[]) as supplier, generate_series(1, $3::integer)
"""
#: Random text cannot be compressed: stored responses take their full size.
_VALUES = """
insert into style_allowed_value (organization_id, custom_field_id, value)
select $1::bigint, field, (
    select string_agg(md5(random()::text), ' ') from generate_series(1, 30) where n > 0
)
from unnest($2::bigint[]) as field, generate_series(1, $3::integer) as n
"""


async def colors(connection: asyncpg.Connection, scale: float) -> dict[str, Any]:
    """Create a million colors."""
    await connection.execute(_COLORS, ATTACKER, round(1_000_000 * scale))
    await connection.execute("analyze color")
    return {}


async def suppliers(connection: asyncpg.Connection, scale: float) -> dict[str, Any]:
    """Create forty sub-suppliers of 6 MB each, which come first in the order of one page."""
    ids = [row["id"] for row in await connection.fetch(_SUPPLIERS, ATTACKER, 40)]
    await connection.execute(_CONTACTS, ATTACKER, ids, round(6000 * scale))
    return {"ids": ids}


async def fields(connection: asyncpg.Connection, scale: float) -> dict[str, Any]:
    """Create two hundred style custom fields of 0.4 MB each."""
    ids = [row["id"] for row in await connection.fetch(STYLE_CUSTOM_FIELDS, ATTACKER, 200)]
    await connection.execute(_VALUES, ATTACKER, ids, max(1, round(400 * scale)))
    return {"ids": ids}


async def field(connection: asyncpg.Connection, _: float) -> dict[str, Any]:
    """Create a style custom field to patch."""
    rows = await connection.fetch(STYLE_CUSTOM_FIELDS, ATTACKER, 1)
    return {"id": rows[0]["id"]}


async def color(
    connection: asyncpg.Connection, _: float, organization_id: int = ATTACKER
) -> dict[str, Any]:
    """Return the id of a color to patch."""
    query = "select min(id) from color where organization_id = $1 and state = 'active'"
    return {"id": await connection.fetchval(query, organization_id)}
