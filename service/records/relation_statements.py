"""Relation statements: SQL whose text follows from the graph of relations, made at start."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from service import schemas
from service.database.statements import SHARED, Statement, load
from service.listing.page_sql import column_of
from service.records.reference_targets import own_references
from service.records.relations import (
    RELATIONS,
    SHOWS,
    OnDelete,
    Relation,
    owner_column,
    relations_of,
    relations_to,
    table_of,
)

NAMED: Final = 10
"""Number of referring records that a message names, for each of their collections."""
_SQL: Final = load("relations")
_PART_COLUMNS: Final = {"style-prices": ', link.price_list_id as "style-prices.part"'}
"""SQL of the columns of parts that an owner has several of (before images)."""
_ROWS: Final = ("row_a", "row_b", "row_c", "row_d")
"""Names of the rows of tables that lead from one to the next."""


def shown_fields(target: str) -> frozenset[str]:
    """Return the fields of a collection's records that other documents show, products included."""
    of_products = schemas.load()["products"][SHOWS].get(target, ())
    return frozenset(of_products).union(*(each.shows for each in relations_to(target)))


def is_shown(table: str) -> str:
    """Return the SQL condition of a table's rows that no deleted record hides; "" if none can."""
    hiding = [each for each in RELATIONS if each.hides and each.tables[0] == table]
    if not hiding:
        return ""
    [relation] = hiding
    goes_along = any(
        each.on_delete is OnDelete.WITH for each in relations_of(relation.target).values()
    )
    text = _SQL["is_shown_with_owner" if goes_along else "is_shown"]
    return text.fill(column=relation.column, target=table_of(relation.target))


IS_SHOWN: Final = is_shown("style_price")
"""SQL condition of entries of styles that no deleted style color hides."""


class Use(NamedTuple):
    """Relation whose live referring records prevent the delete of a record."""

    relation: Relation
    along: tuple[Relation, ...] = ()
    """Relations by which the delete takes the relation's target along, from the record on."""

    @property
    def text(self) -> str:
        """Statement that counts the live referring records, and names the first ones."""
        relation = self.relation
        record = schemas.table(relation.owner)
        has_state = "state" in schemas.definition(relation.owner, "document").properties
        key = schemas.key_fields(relation.owner)[0]
        key_text, target = f"record.{column_of(key)}", own_references(relation.owner).get(key)
        if target:
            columns = {"target": target.table, "key": column_of(target.key)}
            key_text = SHARED["key_of_reference"].fill(**columns, reference=key_text)
        link, *_ = relation.tables
        is_live = "record.state <> 'deleted'" if has_state else "true"
        return _SQL["uses"].fill(
            users=relation.noun,
            table=record,
            column="target_id" if self.along else relation.column,
            link=self._along(link) if self.along else link,
            owner=record_id(relation, "link"),
            other_owner=record_id(relation, "other"),
            is_live=f"{is_live}{_and_shown(link)}",
            key=key_text,
            named=str(NAMED),
        )

    def _along(self, link: str) -> str:
        """Return the SQL of the link's rows, with the ids of the records that are deleted."""
        tables = [each.tables[0] for each in self.along]
        columns = [each.column for each in (*self.along[1:], self.relation)]
        joins = [
            _SQL["along"].fill(table=table, column=column, row=_ROWS[n], above=_ROWS[n - 1])
            for n, (table, column) in enumerate(zip([*tables[1:], link], columns, strict=True), 1)
        ]
        first = {"table": tables[0], "column": self.along[0].column}
        return _SQL["rows_along"].fill(**first, joins="\n".join(joins), last=_ROWS[len(joins)])


def uses_of(target: str, along: tuple[Relation, ...] = ()) -> Iterator[Use]:
    """Yield what prevents the delete of a collection's records, and of those it takes along."""
    for relation in relations_to(target):
        if relation.on_delete is OnDelete.REFUSE:
            yield Use(relation, along)
        elif relation.on_delete is OnDelete.WITH:
            yield from uses_of(relation.source, (*along, relation))


def record_id(relation: Relation, row: str) -> str:
    """Return the SQL of the referring record's id in a row of the relation's first table."""
    if len(relation.tables) == 1:
        return f"{row}.id"
    _, *through, record = relation.tables
    first, *others = (*through, record)
    owner = f"{row}.{owner_column(first)}"
    for table, following in zip(through, others, strict=True):
        owner = _SQL["owner_of_entry"].fill(
            table=table, column=owner_column(following), entry=owner, is_shown=_and_shown(table)
        )
    return owner


def _and_shown(table: str) -> str:
    condition = is_shown(table)
    return f"\n    and {condition}" if condition else ""


def statements_of(target: str, *, removes_rows: bool = False) -> dict[str, Statement]:
    """Return the statements that follow from the relations to a collection or list, by name.

    ``shown_in_<source>`` finds the records that show others, ``clear_``, ``delete_`` and
    ``restore_<source>`` change what a delete or restore changes, and ``tell`` returns what counts
    or shows deleted and restored records. ``hidden_in_<source>`` finds what they hide, for before
    images. With ``removes_rows``, deletes remove rows: ``release_<source>`` clears the references
    of deleted records.
    """
    statements = dict[str, Statement]()
    for relation in relations_to(target):
        for kind in _kinds(relation, removes_rows=removes_rows):
            name = f"{kind}_{relation.source.replace('-', '_')}"
            statements[name] = _SQL[kind].bind(
                record=record_id(relation, "link"),
                owner=owner_column(relation.tables[-1]),
                table=relation.tables[0],
                column=relation.column,
                source=relation.source,
                part=_PART_COLUMNS.get(relation.source, ""),
                others_live=_others_live(relation),
            )
    if branches := [*_told(target)]:
        statements["tell"] = Statement.read(
            f"relations.tell {target}", "\nunion all\n".join(branches)
        )
    return statements


def finding_hidden(statements: Iterable[str]) -> list[str]:
    """Return the names of the statements that find what deletes hide and restores show again."""
    return [name for name in statements if name.startswith("hidden_in_")]


def _kinds(relation: Relation, *, removes_rows: bool) -> Iterator[str]:
    """Yield the names of the statements that a relation needs."""
    if relation.shows:
        yield "shown_in"
    removes_entries = removes_rows and relation.on_delete is OnDelete.REFUSE
    if relation.hides or (removes_entries and len(relation.tables) > 1):
        yield "hidden_in"
    if relation.on_delete is OnDelete.CLEAR:
        yield "clear"
    if relation.on_delete is OnDelete.WITH:
        yield from ("delete", "restore")
    if removes_entries and len(relation.tables) == 1:
        yield "release"


def _others_live(relation: Relation) -> str:
    """Return the SQL condition that all else with which records are deleted is live."""
    others = [
        each
        for each in relations_of(relation.source).values()
        if each.on_delete is OnDelete.WITH and each != relation
    ]
    return "".join(
        _SQL["other_is_live"].fill(
            other=table_of(other.target), table=relation.tables[0], column=other.column
        )
        for other in others
        if relation.on_delete is OnDelete.WITH
    )


def _told(name: str) -> Iterator[str]:
    """Yield statements that return the records that count or show those of a collection."""
    counted = [each for each in RELATIONS if each.owner == name and _is_counted_entry(each)]
    hiding = [each for each in relations_to(name) if each.hides and each.source == each.owner]
    names = sorted({each.target for each in counted} | {each.source for each in hiding})
    for relation in counted:
        _, *through = relation.tables
        joins = [
            _SQL["entry_of"].fill(
                table=table, column=owner_column(table), row=_ROWS[n], above=_ROWS[n - 1]
            )
            for n, table in enumerate(through[:-1], start=1)
        ]
        yield _SQL["told"].fill(
            columns=_only(names, relation.target, f"row_a.{relation.column}"),
            table=relation.tables[0],
            joins="".join(joins),
            owner=f"{_ROWS[len(joins)]}.{owner_column(through[-1])}",
            is_shown=_and_shown(relation.tables[0]),
        )
    for relation in hiding:
        yield _SQL["told"].fill(
            columns=_only(names, relation.source, f"row_a.{owner_column(relation.tables[1])}"),
            table=relation.tables[0],
            joins="",
            owner=f"row_a.{relation.column}",
            is_shown="",
        )


def _is_counted_entry(relation: Relation) -> bool:
    return relation.is_counted and len(relation.tables) > 1


def _only(names: Sequence[str], name: str, column: str) -> str:
    """Return the SQL of columns with these names, which are null but for one."""
    return ", ".join(f'{column if each == name else "null::bigint"} as "{each}"' for each in names)
