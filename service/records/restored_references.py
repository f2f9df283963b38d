"""Restored references: SQL that finds what restored records show again that is deleted."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from string import ascii_lowercase
from typing import Final, TypeVar

from service import schemas
from service.database.statements import Statement, load
from service.records.relation_statements import is_shown
from service.records.relations import (
    RELATIONS,
    OnDelete,
    Relation,
    owner_column,
    relations_to,
)

T = TypeVar("T")
_SQL: Final = load("restored_references")


def restored_references(owner: str, restored: Statement) -> Statement:
    """Return a check: references to deleted records that a restore would show again.

    They are those of the parts of the owner's records, and of records that are restored with them.
    ``restored`` selects the number of the item, ``owner_id``, and in ``part_id`` null, or the id of
    a record that is restored by itself and of which only the entries count.
    """
    names = {each: f"reference_{letter}" for each, letter in _lettered(_judged(owner))}
    targets = sorted({relation.target for relation in names})
    parts = [_SQL["restored"].fill(restored=restored.text)]
    parts += [_references(owner, relation, name) for relation, name in names.items()]
    parts += [_targets(target, names) for target in targets]
    messages = [_message(relation, name) for relation, name in names.items()]
    return _SQL["errors"].bind(parts=",\n".join(parts), messages="\nunion all\n".join(messages))


def _lettered(values: Iterable[T]) -> Iterator[tuple[T, str]]:
    return zip(values, ascii_lowercase, strict=False)


def _judged(owner: str) -> Iterator[Relation]:
    """Yield the relations that protect their targets, but for those to entries of lists."""
    with_owner = {e.source for e in relations_to(owner) if e.on_delete is OnDelete.WITH}
    for relation in RELATIONS:
        is_part = relation.owner == owner != relation.source
        is_kept = relation.keeps_deleted or relation.on_delete is not OnDelete.REFUSE
        is_restored = is_part or relation.source in with_owner
        if is_restored and not is_kept and relation.target in schemas.load():
            yield relation


def _references(owner: str, relation: Relation, name: str) -> str:
    """Return the SQL of the ids to which the restored records refer."""
    goes_along = relation.source == relation.owner
    tables = relation.tables if goes_along else relation.tables[:-1]
    rows = [f"row_{letter}" for _, letter in _lettered(tables)]
    first = f"{rows[-1]}.{owner_column(schemas.table(owner))} = restored.owner_id"
    joins = [_SQL["join"].fill(table=tables[-1], row=rows[-1], matches=first)]
    for (table, above), (row, row_above) in zip(pairwise(tables), pairwise(rows), strict=True):
        matches = f"{row}.{owner_column(above)} = {row_above}.id"
        joins.insert(1, _SQL["join"].fill(table=table, row=row, matches=matches))
    shown = [condition for table in tables if (condition := is_shown(table))]
    condition = "restored.part_id is null"
    if goes_along:
        condition += f" and {rows[-1]}.state_before is not null"
    elif shown:
        condition = _SQL["is_restored"].fill(is_shown=shown[0])
    column = f"{rows[0]}.{relation.column}"
    joined = "\n".join(joins)
    return _SQL["references"].fill(name=name, column=column, joins=joined, condition=condition)


def _targets(target: str, names: Mapping[Relation, str]) -> str:
    """Return the SQL that locks the records of a target."""
    ids = [_SQL["ids"].fill(name=name) for each, name in names.items() if each.target == target]
    return _SQL["targets"].fill(table=schemas.table(target), ids=" union ".join(ids))


def _message(relation: Relation, name: str) -> str:
    return _SQL["message"].fill(
        name=name,
        table=schemas.table(relation.target),
        users=relation.noun.removeprefix("style "),
        noun=schemas.load()[relation.target]["title"].lower(),
    )
