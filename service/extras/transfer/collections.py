"""Collections that an export or import names, in the order of their references."""

from collections.abc import Collection, Iterable, Iterator

from service.extras.tables.collections import TransferCollection, transfer_collections
from service.extras.tables.fields import Field
from service.extras.transfer.errors import TransferError

__all__ = ["TransferCollection", "require_collection", "select_collections", "transfer_collections"]


def select_collections(names: Collection[str]) -> list[TransferCollection]:
    """Return the named collections with their parts, or all without names, sorted by references.

    Raise TransferError for unknown names.
    """
    collections = transfer_collections()
    for name in names:
        require_collection(name, collections)
    parts = {part.name for name in names for part in collections[name].parts}
    selected = parts.union(names) or collections.keys()
    return [collection for name, collection in collections.items() if name in selected]


def require_collection(name: str, allowed: Iterable[str]) -> None:
    """Raise TransferError, which lists the allowed names, if the name is not among them."""
    if name not in allowed:
        raise TransferError(f"{name} is no collection; use {', '.join(sorted(allowed))}")


def with_targets(names: Iterable[str]) -> list[TransferCollection]:
    """Return the named collections and those to which they refer, directly or not, with parts."""
    collections, pending, needed = transfer_collections(), [*names], set[str]()
    while pending:
        if (name := pending.pop()) in collections and name not in needed:
            needed.add(name)
            collection = collections[name]
            pending += [target.partition("/")[0] for target in _targets(collection.fields)]
            pending += [part.name for part in collection.parts]
            pending += [collection.owner] if collection.owner else []
    return [collection for name, collection in collections.items() if name in needed]


def _targets(fields: Field) -> Iterator[str]:
    """Yield what a field and its members and items refer to."""
    if fields.refers_to:
        yield fields.refers_to
    for each in (*fields.members.values(), *([fields.items] if fields.items else ())):
        yield from _targets(each)
