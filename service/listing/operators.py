"""Filter operators: one object each, used by parameters, cursors and SQL.

Comparisons of whole texts are by code point. ``contains`` and ``startsWith`` ignore case by the
rules of the database's collation. The negative operators ``ne`` and ``notIn`` match null, the
others but ``isNull`` do not (contract, Filters).
"""

from dataclasses import dataclass, replace
from typing import Final

from service.listing.properties import Property

_ANY_KIND: Final = frozenset({"integer", "number", "boolean", "string", "date", "date-time"})
_ORDERED: Final = _ANY_KIND - {"boolean"}
_TEXT: Final = frozenset({"string"})
_IS_NULL: Final = Property("isNull", "boolean", nullable=False, sortable=False)
"""Property that parses the value of ``isNull``: a boolean for fields of every kind."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Filter operator: a comparison of a field with a value."""

    name: str
    """Name in parameters, in any letter case, and in cursors."""
    sql: str
    """SQL condition for one value; the first ``{}`` is the column, the second the parameter."""
    kinds: frozenset[str]
    """Kinds of fields that the operator accepts."""
    sql_of_several: str = ""
    """SQL condition for two values or more, as an array; "" if the operator takes one only."""
    finds_equal: bool = False
    """Whether the operator finds equal values, which an index supports."""
    splits: bool = False
    """Whether ``filter[n].value`` is a comma-separated list. Values have no escape for commas."""
    compares_stored: bool = False
    """Whether the operator compares stored values (ids as numbers), not shown ones (as texts)."""
    matches_part: bool = False
    """Whether the value is a substring of the field's, so that its enumeration does not apply."""
    tests_null: bool = False
    """Whether the operator tests for null."""

    @property
    def takes_forms(self) -> bool:
        """Whether the operator compares own keys in all of their normal forms."""
        return not self.compares_stored and not self.tests_null

    def comparison_with_several(self, column: str, placeholder: str) -> str:
        """Return the SQL condition for an array of values, or of normal forms of one value."""
        if self.matches_part:
            condition = self.sql.format(column, "form.value")
            return f"exists (select 1 from unnest({placeholder}) as form(value) where {condition})"
        several = self.sql_of_several or OPERATORS["notin"].sql_of_several
        return several.format(column, placeholder)

    @property
    def takes_several(self) -> bool:
        """Whether the operator accepts several values: ``in``, ``notIn``, ``eq`` by field name."""
        return bool(self.sql_of_several)

    def fits(self, prop: Property) -> bool:
        """Return whether the operator accepts the field.

        Members of related records and of list entries accept ``eq`` and ``in`` only, for which
        there are indexes.
        """
        return prop.kind in self.kinds and (self.finds_equal or not prop.within)

    def compared(self, prop: Property) -> Property:
        """Return the property that parses the operator's values: ``prop``, or one of another kind.

        ``isNull`` takes a boolean, the order operators a stored value, and the substring operators
        any text, even of an enumeration.
        """
        if self.tests_null:
            return _IS_NULL
        if self.compares_stored:
            return replace(prop, kind=prop.stored_kind)
        return replace(prop, choices=None, zero_filled=0) if self.matches_part else prop


_ALL: Final = (
    Operator("eq", "{} = {}", _ANY_KIND, "{} = any({})", finds_equal=True),
    Operator("ne", "{} is distinct from {}", _ANY_KIND),
    Operator("lt", "{} < {}", _ORDERED, compares_stored=True),
    Operator("le", "{} <= {}", _ORDERED, compares_stored=True),
    Operator("gt", "{} > {}", _ORDERED, compares_stored=True),
    Operator("ge", "{} >= {}", _ORDERED, compares_stored=True),
    Operator("in", "{} = {}", _ANY_KIND, "{} = any({})", finds_equal=True, splits=True),
    Operator(
        "notIn", "{} is distinct from {}", _ANY_KIND, "({} = any({})) is not true", splits=True
    ),
    Operator(
        "contains",
        'strpos(lower({} collate "default"), lower({} collate "default")) > 0',
        _TEXT,
        matches_part=True,
    ),
    Operator(
        "startsWith",
        'starts_with(lower({} collate "default"), lower({} collate "default"))',
        _TEXT,
        matches_part=True,
    ),
    Operator("isNull", "({} is null) = {}", _ANY_KIND, tests_null=True),
)
OPERATORS: Final = {operator.name.lower(): operator for operator in _ALL}
"""Operators by lowercase name: callers may write names in any case."""
NAMES: Final = sorted(operator.name for operator in _ALL)
"""Names of all operators, in alphabetical order."""
EQ: Final = OPERATORS["eq"]
"""Default operator of ``filter[n]``, and that of filters by field name."""


def names_of(prop: Property) -> list[str]:
    """Return the names of the operators that a field accepts, in alphabetical order."""
    return sorted(operator.name for operator in _ALL if operator.fits(prop))
