"""Scopes of API keys: what a key may do in which collections (contract, Scopes).

A scope is ``<collection>:<access>``, such as ``styles:write``. The collection ``*`` stands for all.
A restriction follows the collection, ``styles[supplierId=12]:read``, and the fields that may change
follow the access, ``measurements:write[supplierMeasurement]``.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from service import schemas
from service.error_types import ErrorType
from service.errors import ApiError, ErrorDetail, Path

READ, WRITE, DELETE = "read", "write", "delete"
ACCESSES: Final = (READ, WRITE, DELETE)
"""Each includes the ones before it."""
ALL: Final = "*"
"""Collection of scopes of all collections."""
ANY: Final = "any"
"""Collection of the scope that a key has if it has the access in some collection."""
KEYS_MANAGE, AUDIT_READ = "keys:manage", "audit:read"
APART: Final = (KEYS_MANAGE, AUDIT_READ)
"""Scopes that ``*`` does not include."""
NAMES: Final[Mapping[str, str]] = {READ: f"{ALL}:{READ}", WRITE: f"{ALL}:{DELETE}"}
"""Scopes by their short names, those of the keys that read, and that write, everything."""
STYLES: Final = "styles"
OF_STYLES: Final = tuple(
    name for name, file in schemas.load().items() if file.get("x-opened-by") == STYLES
)
"""Collections that a scope to read the styles of a supplier opens, too."""
MAX_LENGTH: Final = 200
_SCOPE: Final = re.compile(
    r"(\*|[a-z]+(?:-[a-z]+)*)(?:\[supplierId=([1-9][0-9]{0,17})\])?"
    r":(read|write|delete)(?:\[([A-Za-z]+(?:,[A-Za-z]+)*)\])?",
    re.ASCII,
)


class Scope(NamedTuple):
    """Parsed scope; it includes another one if that allows nothing more."""

    collection: str
    access: str
    supplier_id: int | None = None
    """Supplier of the styles whose records it opens; None for all records."""
    fields: frozenset[str] = frozenset()
    """Fields that writes may change; empty for all."""

    def includes(self, other: "Scope") -> bool:
        """Return whether all that the other scope allows is allowed by this one."""
        return (
            self.collection in (ALL, other.collection)
            and ACCESSES.index(self.access) >= ACCESSES.index(other.access)
            and self.supplier_id in (None, other.supplier_id)
            and (
                not self.fields
                or other.access == READ
                or frozenset() != other.fields <= self.fields
            )
        )

    @property
    def names(self) -> set[str]:
        """Scopes by name that it includes, without restriction and fields."""
        included = ACCESSES[: ACCESSES.index(self.access) + 1]
        return {f"{name}:{access}" for name in (self.collection, ANY) for access in included}

    @property
    def opened(self) -> list["Scope"]:
        """Scopes of single collections: those of what belongs to a supplier's styles included."""
        is_wide = self.supplier_id is not None and self.collection == STYLES
        names = OF_STYLES if is_wide else ()
        return [self, *(self._replace(collection=name) for name in names)]


def parse(text: str) -> Scope | None:
    """Return the scope of a text; None for a text of another form, and for those of ``APART``.

    Fields stand only beside the access ``write``.
    """
    match = _SCOPE.fullmatch(text) if len(text) <= MAX_LENGTH and text not in APART else None
    if match is None or (match[4] and match[3] != WRITE):
        return None
    fields = frozenset(match[4].split(",")) if match[4] else frozenset[str]()
    return Scope(match[1], match[3], int(match[2]) if match[2] else None, fields)


@dataclass(frozen=True, slots=True)
class Scopes:
    """Scopes of a key. Stored ones that this release does not know allow nothing."""

    texts: tuple[str, ...]
    """As they were given: short names stay short."""
    parsed: tuple[Scope, ...]
    field_scopes: Mapping[str, frozenset[str]]
    """Fields that writes may change, by collection; those without an entry have all of them.

    Of scopes of different suppliers only the fields that each of them names count.
    """
    restricted: Mapping[str, tuple[int, ...]]
    """Suppliers by scope, included ones as well, of scopes that are restricted to these."""
    allowed: frozenset[str] = field(repr=False)
    """Other scopes that the key has by name, included ones as well."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Scopes":
        """Return the scopes of texts, which may be short names."""
        given = dict[str, str]()
        for text in texts:
            given.setdefault(NAMES.get(text, text), text)
        texts = tuple(given.values())
        scopes = [scope for scope in map(parse, given) if scope is not None]
        parsed = tuple(opened for scope in scopes for opened in scope.opened)
        restricted = dict[str, tuple[int, ...]]()
        allowed = {"", *APART} & {"", *texts}
        for scope in parsed:
            if scope.supplier_id is None:
                allowed |= scope.names
            else:
                restricted |= {
                    name: (*restricted.get(name, ()), scope.supplier_id) for name in scope.names
                }
        return cls(texts, parsed, _common_fields(parsed), restricted, frozenset(allowed))

    def allows(self, scope: str) -> bool:
        """Return whether a scope without restriction and fields is among these, or is included.

        "" always is.
        """
        if scope in self.allowed:
            return True
        return scope not in APART and f"{ALL}:{scope.rpartition(':')[2]}" in self.allowed

    def suppliers(self, scope: str) -> tuple[int, ...]:
        """Return the suppliers to which the key's scope is restricted; () for none."""
        return () if self.allows(scope) else self.restricted.get(scope, ())

    def opens(self, scope: str) -> bool:
        """Return whether the key has a scope, also if it is restricted."""
        return scope in self.restricted or self.allows(scope)

    def includes(self, text: str) -> bool:
        """Return whether a scope allows nothing more than these, as for a key that these make."""
        scope = parse(NAMES.get(text, text))
        if scope is None:
            return text in APART and text in self.texts
        single = [scope._replace(fields=frozenset([name])) for name in scope.fields] or [scope]
        parts = [opened for part in single for opened in part.opened]
        return all(any(own.includes(part) for own in self.parsed) for part in parts)

    @property
    def name(self) -> str | None:
        """Short name of the scopes, ``read`` or ``write``; None if they are others."""
        of_collections = {NAMES.get(text, text) for text in self.texts if text not in APART}
        return next((name for name, text in NAMES.items() if of_collections == {text}), None)


def _common_fields(parsed: Iterable[Scope]) -> dict[str, frozenset[str]]:
    """Return the fields that all suppliers' scopes to write name, by collection.

    Scopes of one supplier add up: one without fields opens all of them.
    """
    by_supplier = defaultdict[str, dict[int | None, frozenset[str]]](dict)
    parsed = [*parsed]
    for collection, _, supplier_id, fields in parsed:
        own = Scope(collection, WRITE, supplier_id)
        if fields and not any(scope.includes(own) for scope in parsed):
            of_supplier = by_supplier[collection]
            of_supplier[supplier_id] = of_supplier.get(supplier_id, frozenset()) | fields
    return {name: frozenset.intersection(*own.values()) for name, own in by_supplier.items()}


def require(scopes: Scopes, scope: str, *path: str | int) -> None:
    """Raise ApiError ``forbidden.scope`` unless the key has the scope without restriction."""
    if not scopes.allows(scope):
        require_all(NONE, [(scope, path)])


def require_all(
    scopes: Scopes,
    needed: Iterable[tuple[str, Path]],
    has: Callable[[Scopes, str], bool] = Scopes.allows,
) -> None:
    """Raise ApiError with all scopes that the key lacks, at their paths.

    ``has`` is ``Scopes.opens`` where the records of other suppliers are hidden, so that restricted
    scopes suffice, and ``Scopes.includes`` for scopes that another key gets.
    The challenge names them, too (RFC 6750, 3.1).
    """
    needed = [*needed]
    missing = {scope for scope in {scope for scope, _ in needed} if not has(scopes, scope)}
    if missing:
        lacking = [(scope, path) for scope, path in needed if scope in missing]
        names = " ".join(sorted({scope.replace(f"{ANY}:", f"{ALL}:") for scope in missing}))
        raise ApiError(
            [
                ErrorDetail(ErrorType.FORBIDDEN_SCOPE, path, f"This key lacks {_named(scope)}.")
                for scope, path in lacking
            ],
            {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{names}"'},
        )


def _named(scope: str) -> str:
    """Return a scope in words; one of any collection is not the one of all."""
    collection, _, access = scope.partition(":")
    return f"a scope to {access}" if collection == ANY else f"the scope {scope}"


NONE: Final = Scopes.of(())
READS_ALL: Final = Scopes.of([READ])
