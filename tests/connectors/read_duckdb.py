"""Script of dlt's environment: prints the rows of the tables that dlt has written to DuckDB."""

import json
import sys
from datetime import UTC, datetime
from typing import Any

import duckdb


def shown(value: Any, kind: str) -> Any:
    """Return a value as the service writes it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return json.loads(value) if kind == "JSON" else value


schema = sys.argv[2]
connection = duckdb.connect(sys.argv[1], read_only=True)
tables = connection.execute(
    "select table_name from information_schema.tables where table_schema = ?"
    " and not starts_with(table_name, '_dlt')",
    [schema],
).fetchall()
for (table,) in tables:
    rows = connection.execute(f'select * from {schema}."{table}"')
    columns = [(column[0], str(column[1])) for column in rows.description]
    for row in rows.fetchall():
        values = {
            name: shown(value, kind)
            for (name, kind), value in zip(columns, row, strict=True)
            if value is not None and not name.startswith("_dlt")
        }
        print(json.dumps([table, values]))
