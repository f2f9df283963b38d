"""CSV tables of flat documents, whose members are scalars (RFC 4180; contract, CSV)."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from service import csv_lines, schemas
from service.queries.resource import Resource

_EMPTY: Final = "properties"
"""Member that is never a column; in documents that are otherwise flat it is an empty list."""
_SCALARS: Final = frozenset({"integer", "number", "boolean", "string", "null"})


def columns(resource: Resource, fields: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a collection's table, in the order of its documents' members.

    ``fields`` are the selected members, () for all; ``properties`` is left out. Return () if
    another one is no scalar, and if no column is left: then the caller sends JSON.
    """
    members = schemas.definition(resource.name, "document").properties
    names = tuple(name for name in members if name in (fields or members) and name != _EMPTY)
    return names if all(members[name].types <= _SCALARS for name in names) else ()


def header(names: Sequence[str]) -> bytes:
    """Return the first line of a table, with the names of its columns; lines end in CRLF."""
    return _table([names])


def rows(documents: bytes, names: Sequence[str]) -> bytes:
    """Return a line for each of the documents, which commas join, without the header line.

    Null or missing members are empty cells; other values but texts are as in JSON.
    """
    records = orjson.loads(b"[%b]" % documents)
    return _table([_cell(record.get(name)) for name in names] for record in records)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _table(lines: Iterable[Sequence[str]]) -> bytes:
    return "".join(map(csv_lines.line, lines)).encode()
