"""CSV column resolver: maps header names such as ``sizes[0].name`` to fields (contract, Files)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, TypeAlias

from service.transfer.fields import Field

Path: TypeAlias = tuple[str | int, ...]
_STEP: Final = re.compile(r"(\w+)|\[([0-9]{1,4})\]|\.", re.ASCII)
_PATH: Final = re.compile(r"\w+(\[[0-9]{1,4}\]|\.\w+)*", re.ASCII)


class ColumnError(Exception):
    """Header name that is no column of the collection, or the second one for the same field."""


@dataclass(frozen=True, slots=True)
class Column:
    """Named column of a file."""

    name: str
    """Spelling in the file's header, without spaces around it."""
    path: Path
    """Steps to the value: names in the schema's spelling, and indexes of list entries from 0."""
    field: Field
    """Field of the value; an empty Field if the service sets it, or a member of it."""


def columns_of(names: Sequence[str], fields: Field) -> list[Column | None]:
    """Return the column of each name, in the same order; None for a blank name.

    Names are matched to ``fields`` without regard to case. Names below a field that the service
    sets are not checked. Raise ColumnError for a name without a field, and for two names of the
    same path. A name of a list beside names of its entries is accepted here.
    """
    columns = [_column(name.strip(), fields) for name in names]
    first = dict[Path, Column]()
    for column in filter(None, columns):
        if first.setdefault(column.path, column) is not column:
            message = f"the column {column.name} is there twice: remove one of the two"
            raise ColumnError(message)
    return columns


def path_text(path: Path) -> str:
    """Return the notation of a path in headers and error fields: ``languages[0].text``."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def path_of(name: str) -> Path | None:
    """Parse a name such as ``languages[0].text``, as of ``path_text``; None if it is no path."""
    if not _PATH.fullmatch(name):
        return None
    steps = _STEP.finditer(name)
    return tuple(int(step[2]) if step[2] else step[1] for step in steps if step[0] != ".")


def _column(name: str, fields: Field) -> Column | None:
    if not name:
        return None
    path = path_of(name)
    if path is None:
        raise ColumnError(f"{name} names no field: use names such as number or contacts[0].email")
    steps = list[str | int]()
    field: Field | None = fields
    for step in path:
        actual, field = _next(step, field, name)
        steps.append(actual)
    return Column(name, tuple(steps), field or Field())


def _next(step: str | int, field: Field | None, name: str) -> tuple[str | int, Field | None]:
    """Return the step in the schema's spelling and its field; None if the service sets it.

    Raise ColumnError if ``field`` has no such member or is no list. ``name`` is for the message.
    """
    if field is None:
        return step, None
    if isinstance(step, int):
        if field.items is None:
            raise ColumnError(f"{name} names no field: there is no list before [{step}]")
        return step, field.items
    if field.items:
        raise ColumnError(f"{name} names no field: an index such as [0] is missing before {step}")
    for actual in _spellings(step, field):
        return actual, field.members.get(actual)
    raise ColumnError(_unknown(step, field, name))


def _spellings(step: str, field: Field) -> Iterator[str]:
    """Yield the member of exactly that name, then those that equal it without regard to case."""
    names = [*field.members, *sorted(field.set_by_service)]
    yield from (name for name in names if name == step)
    yield from (name for name in names if name.lower() == step.lower())


def _unknown(step: str, field: Field, name: str) -> str:
    lower = {member.lower(): member for member in field.members}
    close = get_close_matches(step.lower(), lower, n=1)
    hint = f"did you mean {lower[close[0]]}?" if close else "rename or remove the column."
    return f"{name} names no field: {hint} selvedge import --columns COLLECTION lists all names"
