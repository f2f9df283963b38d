"""Names that scopes may have: collections, and the fields that they may be restricted to."""

from typing import Final

from service import schemas
from service.errors import with_nearest
from service.organizations import scopes
from service.resources import registry

_COMPUTED: Final = (
    registry.COMPLETENESS,
    registry.PRODUCTS,
    registry.MIGRATION_VERIFICATION,
    *registry.PASSPORTS,
)
"""Resources that are only read, and have scopes of their own."""
_STORED: Final = (
    *registry.MASTER_RECORDS,
    *registry.PART_COLLECTIONS,
    registry.ORGANIZATIONS,
    registry.WEBHOOKS,
)
_ACCESSES: Final = {
    scopes.ALL: scopes.ACCESSES,
    **{resource.collection: scopes.ACCESSES for resource in _STORED},
    **{resource.name: (scopes.READ,) for resource in _COMPUTED},
}
"""Accesses by the collection of the scope."""

_RESTRICTED: Final = {
    **dict.fromkeys((scopes.STYLES, *scopes.OF_STYLES, registry.STYLE_PRICES.name), (scopes.READ,)),
    registry.MEASUREMENTS.name: (scopes.READ, scopes.WRITE),
}
"""Accesses that can be restricted to suppliers, by collection."""


def scoped_fields(collection: str) -> frozenset[str]:
    """Return the fields to which a scope of the collection may restrict writes."""
    return frozenset(schemas.load().get(collection, {}).get("x-scoped-fields", ()))


def scope_problem(text: str) -> str | None:
    """Return why a text is no scope that a key can have; None if it is one."""
    scope = scopes.parse(scopes.NAMES.get(text, text))
    if scope is None:
        form = "COLLECTION:read, COLLECTION:write or COLLECTION:delete"
        names = ", ".join((*scopes.NAMES, *scopes.APART))
        return None if text in scopes.APART else f"Use {form}, or one of {names}."
    accesses = _ACCESSES.get(scope.collection)
    if accesses is None:
        return with_nearest("There is no such collection.", scope.collection, _ACCESSES)
    if scope.access not in accesses:
        return f"Use {scope.collection}:read: it is only read."
    if scope.supplier_id is not None and scope.access not in _RESTRICTED.get(scope.collection, ()):
        return (
            "Leave supplierId out: it restricts measurements:write, and reads of styles and parts."
        )
    if unknown := scope.fields - scoped_fields(scope.collection):
        fields = ", ".join(sorted(scoped_fields(scope.collection))) or "none of this collection"
        return f"Scopes cannot have {min(unknown)}, but {fields}."
    return None
