"""Product changes: SQL that leads from what a product shows to its style, by the relations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from service import schemas
from service.database.statements import Statement, load
from service.records.relation_statements import record_id
from service.records.relations import SHOWS, Relation, owner_of, relations_of, relations_to
from service.resources.styles import Styles

_SQL: Final = load("products")
_SHOWN: Final[Mapping[str, Sequence[str]]] = schemas.load()["products"][SHOWS]
"""Collections and parts that products show, with the fields if not every change shows."""


def changed() -> Statement:
    """Return the condition of styles whose products have changed."""
    ways = [way for name in _SHOWN for way in _ways(name)]
    return _SQL["changed"].bind(
        collections=", ".join(name for name, fields in _SHOWN.items() if not fields),
        causes=", ".join(name for name, fields in _SHOWN.items() if fields),
        own=", ".join(f"'{name}'" for name in _SHOWN if owner_of(name) == Styles.name),
        ways="\nunion all\n".join(ways),
    )


def _ways(name: str) -> Iterator[str]:
    """Yield the statements that find the styles of a changed record of a collection or part."""
    owner = owner_of(name)
    if owner == Styles.name:
        return
    name_of_change = f"shown {name}" if _SHOWN[name] else name
    if above := _above(name):
        yield _SQL["way_up"].fill(**_up(above), name=name_of_change)
        return
    for relation in relations_to(owner):
        if relation.owner == Styles.name and relation.source in {*_SHOWN}:
            style = record_id(relation, "showing")
        elif relation.source in _SHOWN and relation.shows and (above := _above(relation.source)):
            style = f"showing.{above[0].column}"
        else:
            continue
        slots = {"table": relation.tables[0], "column": relation.column, "style": style}
        yield _SQL["way"].fill(**slots, name=name_of_change)


def _above(name: str) -> list[Relation]:
    """Return the relations that lead from a collection's records to their style; [] for none."""
    relations = relations_of(name).values()
    for relation in relations:
        if relation.target == Styles.name:
            return [relation]
    for relation in relations:
        is_other = relation.target in _SHOWN and relation.target != name
        if is_other and (above := _above(relation.target)):
            return [relation, *above]
    return []


def _up(above: Sequence[Relation]) -> dict[str, str]:
    """Return the tables and the SQL of the style's id, from a record's row up."""
    first, *others = above
    style = f"showing.{first.column}"
    for relation in others:
        style = _SQL["column_of"].fill(table=relation.tables[0], column=relation.column, id=style)
    return {"table": first.tables[0], "style": style}
