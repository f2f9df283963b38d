"""Loader of the demo data: one transaction, one COPY per table.

Its rows stand in files, which ``make demo-files`` writes. Collections and parts that are lists have
copies of their examples instead, if no file fills them. It writes no API keys, and nothing to the
change feed.
"""

import csv
import io
from typing import Any, Final

import asyncpg
from tqdm import tqdm

from service import schemas
from service.console import OperatorError
from service.files import DEMO
from service.listing.page_sql import column_of
from service.records.writable_resource import WritableResource
from service.resources.registry import MASTER_RECORDS, PARTS
from service.schemas.key_forms import REFERS_TO

ROWS: Final = DEMO.parent / "rows"
"""Folder of the rows: a CSV file for each table, in an order that foreign keys allow."""
NULL: Final = r"\N"
_EMPTY: Final = "select not exists (select 1 from organization)"
_LAST: Final = "select setval(pg_get_serial_sequence('{0}', 'id'), max(id)) from {0}"
"""Statement that sets the sequence of a table's ids, if it has one, to the last id."""


class DemoDataError(OperatorError):
    """Error of demo data that cannot be loaded; its message is one line for operators."""


async def load(dsn: str, *, progress: bool) -> None:
    """Load the demo data into a migrated database without organizations, in one transaction.

    After its commit analyze the loaded tables. `progress` shows a bar if standard error is a
    terminal. Raise DemoDataError if the database has an organization already, and an error of
    asyncpg or OSError if it cannot be reached or is not migrated.
    """
    tables = _rows_of_tables()
    connection = await asyncpg.connect(dsn)
    try:
        async with connection.transaction():
            # Locked so that two loaders at once cannot both see an empty table.
            await connection.execute("lock table organization in share row exclusive mode")
            if not await connection.fetchval(_EMPTY):
                raise DemoDataError("the database is not empty: load demo data into an empty one")
            # tqdm takes None for "only on a terminal".
            for table in tqdm(tables, desc="demo data", disable=None if progress else True):
                await _copy(connection, table, tables[table])
        # Without statistics the first requests would be slow.
        await connection.execute(f"analyze {', '.join(tables)}")
    finally:
        await connection.close()


def organizations() -> dict[int, str]:
    """Return the names of the demo organizations by id."""
    lines = next(ROWS.glob("*.organization.csv")).read_text(encoding="utf-8").splitlines()
    return {int(row["id"]): row["name"] for row in csv.DictReader(lines)}


async def _copy(connection: asyncpg.Connection, table: str, content: bytes) -> None:
    """Fill the table, and set its sequence to the last id."""
    columns = content.decode().splitlines()[0].split(",")
    await connection.copy_to_table(
        table, source=io.BytesIO(content), columns=columns, format="csv", header=True, null=NULL
    )
    if "id" in columns:
        await connection.execute(_LAST.format(table))


def _rows_of_tables() -> dict[str, bytes]:
    """Return the rows of all tables as CSV: those of the files, and examples for other tables."""
    tables = {path.name.split(".")[1]: path.read_bytes() for path in sorted(ROWS.glob("*.csv"))}
    ids: list[tuple[Any, Any]] = [(n // 40 + 1, n + 1) for n in range(40 * len(organizations()))]
    for resource in MASTER_RECORDS:
        if resource.table not in tables:
            tables[resource.table] = _examples(resource, "create", "id", ids)
    for part in PARTS:
        children = part.children if part.list_name else None
        if children and children.table not in tables:
            owners = _owners(tables[part.table])
            tables[children.table] = _examples(part, "replace", children.owner, owners)
    return tables


def _owners(rows: bytes) -> list[tuple[Any, Any]]:
    """Return the organization and id of every third row of a table, which gets a list."""
    read = csv.DictReader(io.StringIO(rows.decode()))
    return [(row["organization_id"], row["id"]) for row in [*read][::3]]


def _examples(resource: WritableResource, form: str, key: str, ids: list[tuple[Any, Any]]) -> bytes:
    """Return numbered copies of a form's example: one for each organization's id, the ``key``.

    They have neither references nor lists. The example of a part is a list of one entry.
    """
    schema = schemas.definition(resource.name, form)
    [example] = schema.schema["examples"]
    if isinstance(example, list):
        schema, [example] = schema.items, example
    plain = _plain(schema, example)
    has_state = key == "id" and resource.stored_state == "state"
    names = [*plain, "state"] if has_state else [*plain]
    lines = csv.writer(made := io.StringIO(), lineterminator="\n")
    lines.writerow(["organization_id", key, *names])
    for organization_id, id_ in ids:
        number = (int(id_) - 1) % 40 + 1
        values = {name: _numbered(value, number) for name, value in plain.items()}
        values["state"] = _state(resource, number)
        lines.writerow([organization_id, id_, *(values[name] for name in names)])
    return made.getvalue().encode()


def _plain(schema: schemas.ResolvedSchema, example: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an example by column, without references, lists and the state."""
    return {
        column_of(name): value
        for name, value in example.items()
        if name != "state"
        and isinstance(value, str | int | float)
        and REFERS_TO not in schema.properties[name].schema
    }


def _numbered(value: Any, number: int) -> Any:
    return f"{value} {number}" if isinstance(value, str) else value


def _state(resource: WritableResource, number: int) -> str:
    """Return the state of a numbered example: a few are inactive or deleted."""
    if number % 20 == 15 and "delete" in resource.statements:
        return "deleted"
    return "active" if number % 13 else "inactive"
