"""The operators of filters: each is one object, which parameters, cursors and SQL go by.

Texts compare by code point; parts of texts ignore case by the database's own rules (contract,
Lists).
"""

from dataclasses import dataclass, replace
from typing import Final

from service.listing.properties import Property

_ANY_KIND: Final = frozenset({"integer", "number", "boolean", "string", "date-time"})
_ORDERED: Final = _ANY_KIND - {"boolean"}
_TEXT: Final = frozenset({"string"})
_IS_NULL: Final = Property("isNull", "boolean", nullable=False, sortable=False)
"""What ``isNull`` is compared with: a boolean, whatever the field's own kind."""


@dataclass(frozen=True, slots=True)
class Operator:
    """How a filter compares a field with its value."""

    name: str
    """As parameters and cursors have it."""
    sql: str
    """The condition, with slots for the column and for the parameter."""
    kinds: frozenset[str]
    """The kinds of fields that it makes sense for."""
    takes_any: bool = False
    """Whether it may hold for any of several values."""
    splits: bool = False
    """Whether its value is a comma-separated list."""
    of_stored: bool = False
    """Whether it compares what is stored, not what is shown: ids sort as the numbers they are."""
    of_parts: bool = False
    """Whether its values are parts of the field's, which no list of choices binds."""
    of_null: bool = False
    """Whether it only asks if there is a value."""

    def fits(self, prop: Property) -> bool:
        """Whether it makes sense for the field."""
        return prop.kind in self.kinds

    def compared(self, prop: Property) -> Property:
        """The field as its values are read for this operator."""
        if self.of_null:
            return _IS_NULL
        if self.of_stored:
            return replace(prop, kind=prop.stored)
        return replace(prop, choices=None) if self.of_parts else prop


_ALL: Final = (
    Operator("eq", "{} = {}", _ANY_KIND, takes_any=True),
    Operator("ne", "{} is distinct from {}", _ANY_KIND),
    Operator("lt", "{} < {}", _ORDERED, of_stored=True),
    Operator("le", "{} <= {}", _ORDERED, of_stored=True),
    Operator("gt", "{} > {}", _ORDERED, of_stored=True),
    Operator("ge", "{} >= {}", _ORDERED, of_stored=True),
    Operator("in", "{} = {}", _ANY_KIND, takes_any=True, splits=True),
    Operator(
        "contains",
        'strpos(lower({} collate "default"), lower({} collate "default")) > 0',
        _TEXT,
        of_parts=True,
    ),
    Operator(
        "startsWith",
        'starts_with(lower({} collate "default"), lower({} collate "default"))',
        _TEXT,
        of_parts=True,
    ),
    Operator("isNull", "({} is null) = {}", _ANY_KIND, of_null=True),
)
OPERATORS: Final = {operator.name.lower(): operator for operator in _ALL}
"""The operators by their lowercase names, for callers may write them in any case."""
NAMES: Final = sorted(operator.name for operator in _ALL)
EQ: Final = OPERATORS["eq"]


def names_of(prop: Property) -> list[str]:
    """The names of the operators that make sense for a field, in alphabetical order."""
    return sorted(operator.name for operator in _ALL if operator.fits(prop))
