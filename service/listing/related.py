"""Filters by reference: lists filtered by members of related records or of list entries.

Such a filter, as ``groups.userDefinedId``, compares a member of the related records or entries. A
record matches if any of these does (contract, Filters by reference).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from service.database.statements import SHARED, Statement
from service.listing.properties import Property


@dataclass(frozen=True, slots=True)
class Related:
    """Records that a document refers to, or entries of one of its lists.

    Table and column names become SQL, so they must come from the code.
    """

    name: str
    """Name of the field, before the dot of a filter."""
    rows: str
    """Table with a row for each reference or entry; may be the records' own table."""
    owner: str
    """Column of ``rows`` with the id of the listed record."""
    ids: Mapping[str, str]
    """Columns of ``rows`` with ids, by member. With a target, the first one has the target's id."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Columns with texts, by member: of the target, without a target of ``rows``."""
    target: str = ""
    """Table of the related records, if ``texts`` are its columns; "" otherwise."""
    statement: str = "related_by_target"
    """Statement of ``sql/shared.sql`` that finds the records by a column of the target."""
    has_text_ids: bool = False
    """Whether ids are strings in JSON. The database has integers."""
    shown_condition: str = "true"
    """SQL condition of the entries that documents show; that of links names no row.

    Otherwise the entry's row is ``entry``.
    """

    def properties(self) -> Iterator[Property]:
        """Yield the properties to filter by, named ``name.member``: ids, then texts. None sorts."""
        for member, column in self.ids.items():
            kind = "string" if self.has_text_ids else "integer"
            yield self._property(member, kind, f"entry.{column}", self._by_row)
        for member, column in self.texts.items():
            alias, within = ("target", self._by_target) if self.target else ("entry", self._by_row)
            yield self._property(member, "string", f"{alias}.{column}", within)

    def _property(self, member: str, kind: str, column: str, within: Statement) -> Property:
        return Property(
            f"{self.name}.{member}",
            kind,
            nullable=True,
            sortable=False,
            stored_as_integer=member in self.ids,
            is_key=member in self.texts,
            column=column,
            within=within,
        )

    @property
    def _by_row(self) -> Statement:
        return SHARED["related_by_row"].bind(
            rows=self.rows, owner=self.owner, is_shown=self.shown_condition
        )

    @property
    def _by_target(self) -> Statement:
        return SHARED[self.statement].bind(
            rows=self.rows,
            owner=self.owner,
            target=self.target,
            column=next(iter(self.ids.values())),
            is_shown=self.shown_condition,
        )
