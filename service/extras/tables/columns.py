"""CSV column resolver: maps header names such as ``sizes[0].name`` to fields (tools, Files)."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple, TypeAlias

from service.extras.tables.cells import CellError
from service.extras.tables.fields import Field
from service.extras.tables.headings import PRICE, Headings, plain

Path: TypeAlias = tuple[str | int, ...]
_STEP: Final = re.compile(r"(\w+)|\[([0-9]{1,4})\]|\.", re.ASCII)
_PATH: Final = re.compile(r"\w+(\[[0-9]{1,4}\]|\.\w+)*", re.ASCII)


class Column(NamedTuple):
    """Named column of a file."""

    name: str
    """Spelling in the file's header, without spaces around it."""
    path: Path
    """Steps to the value: names in the schema's spelling, and indexes of list entries from 0."""
    field: Field
    """Field of the value; an empty Field if the service sets it, or a member of it."""
    each: str = ""
    """Member of the objects that the values of a cell become (``Target``)."""
    names: str = ""
    """Collection whose records the texts of cells name, or the heading does (``Target``)."""

    @property
    def is_entry(self) -> bool:
        """Whether the heading names the entry that the column is of, as a price list."""
        return bool(self.names) and len(self.path) > 1 and self.path[-1] == PRICE

    @property
    def is_read(self) -> bool:
        """Whether its cells are read; those beside ids and reasons of rejects are not."""
        return bool(self.path)


def columns_of(names: Sequence[str], headings: Headings) -> list[Column | None]:
    """Return the column of each name, in the same order; None for a blank name.

    Names are matched without regard to case, and may be labels. Names below a field that the
    service sets are not checked. Raise CellError for a name without a field, and for two names of
    the same field. A name of a list beside names of its entries is accepted here.
    """
    if not any(name.strip() for name in names):
        raise CellError("there is no header: name the columns in the first line")
    columns = [column_of(name.strip(), headings) if name.strip() else None for name in names]
    columns = with_names(columns, headings)
    first = dict[tuple[Path, str], Column]()
    for column in filter(None, columns):
        if column.is_read and first.setdefault((column.path, column.each), column) is not column:
            raise CellError(f"the column {column.name} is there twice: remove one of the two")
    return columns


def with_names(columns: Sequence[Column | None], headings: Headings) -> list[Column | None]:
    """Return the columns; one with names beside no other column of a reference is that."""
    fields = {column.path[0] for column in columns if column and column.is_read}
    targets = [
        column and not column.is_read and headings.by_name.get(plain(column.name))
        for column in columns
    ]
    return [
        Column(column.name, *target)
        if column and target and target.path[0] not in fields
        else column
        for column, target in zip(columns, targets, strict=True)
    ]


def score(names: Sequence[str], headings: Headings) -> int:
    """Return how many names are those of fields; 0 unless most are.

    Any text may follow the word for a price: without another name, such a row is a title.
    """
    given = [name.strip() for name in names if name.strip()]
    columns = [column for column in (_named(name, headings) for name in given) if column]
    are_headings = len(columns) * 2 > len(given) and not all(each.is_entry for each in columns)
    return len(columns) if are_headings else 0


def _named(name: str, headings: Headings) -> Column | None:
    try:
        return column_of(name, headings)
    except CellError:
        return None


def column_of(name: str, headings: Headings) -> Column:
    """Return the column of a name or label; raise CellError for one without a field."""
    try:
        return _column(name, headings.fields)
    except CellError:
        if target := headings.find(name):
            return Column(name, *target)
        if not headings.is_read(name):
            return Column(name, (), Field())
        raise


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


def _column(name: str, fields: Field) -> Column:
    path, steps, field = path_of(name), list[str | int](), fields
    if path is None:
        raise CellError(f"{name} names no field: use names such as number or contacts[0].email")
    for index, step in enumerate(path):
        is_index = isinstance(step, int)
        if is_index and not field.items:
            raise CellError(f"{name} names no field: there is no list before [{step}]")
        if field.items and not is_index:
            message = f"an index such as [0] is missing before {step}"
            raise CellError(f"{name} names no field: {message}")
        actual = step if is_index else _spelled(str(step), field, name)
        steps.append(actual)
        if actual in field.set_by_service:
            return Column(name, (*steps, *path[index + 1 :]), Field())
        field = (field.items if is_index else field.members.get(str(actual))) or Field()
    return Column(name, tuple(steps), field)


def _spelled(step: str, field: Field, name: str) -> str:
    """Return the member of exactly that name, else one that equals it without regard to case.

    Raise CellError, which has the nearest name, if there is none.
    """
    lower = {member.lower(): member for member in [*field.set_by_service, *field.members]}
    if step in field.members or step in field.set_by_service:
        return step
    if step.lower() in lower:
        return lower[step.lower()]
    close = get_close_matches(step.lower(), lower, n=1)
    hint = f"did you mean {lower[close[0]]}?" if close else "rename or remove the column."
    message = f"{hint} selvedge import --columns COLLECTION lists all names"
    raise CellError(f"{name} names no field: {message}")
