"""Keyword options of bulk writes and syncs: types for type checkers, and a check at run time."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, TypedDict, get_type_hints

WriteMode: TypeAlias = Literal["create", "replace", "merge"]
"""Operation of a bulk write: ``merge`` changes only the fields that are sent (RFC 7396)."""

MAX_MISSING_SHARE: Final = 0.2
"""Default of ``at_most``: 20 % of the records."""
ALWAYS_DELETED: Final = 10
"""Default of ``always``: number of missing records that are no doubt."""


class BulkOptions(TypedDict, total=False):
    """Options of ``Collection.write``; flags are off by default."""

    match: str | None
    """Field of the own key by which stored records are matched; by default ``id`` names them.

    With it a write is an upsert. ``create`` takes none.
    """
    skip: bool
    """Write the other records if some fail. By default one failed record fails the request."""
    dry_run: bool
    """Return the outcomes, and write nothing."""
    preview: bool
    """Dry-run, even without ``dry_run``, and return outcomes with the ``changes`` of fields."""
    key: str | None
    """Idempotency key; by default a new one. A dry run has none."""


class MissingOptions(TypedDict, total=False):
    """Options of the deletes of missing records."""

    dry_run: bool
    """Return the outcomes, and delete nothing."""
    at_most: float
    """Share from 0 to 1 of a collection's records, by default MAX_MISSING_SHARE.

    If more are missing, and more than ``always``, none of them is deleted; the outcome is
    ``refused``.
    """
    always: int
    """Number of missing records of a collection that are deleted, whatever their share is."""


class SyncOptions(MissingOptions, total=False):
    """Options of ``Client.sync``; flags are off by default."""

    merge: bool
    """Merge into stored records, and keep the fields that are not sent. By default replace them."""
    delete_missing: bool
    """At the end, delete the live records with an own key that were not sent, of the key's source.

    The record of a sent one that failed stays. If a failed one has no key, none is deleted.
    """


def require_known(options: Mapping[str, object], kind: type) -> None:
    """Raise TypeError for an option that the type lacks: Python accepts any keyword here."""
    if unknown := options.keys() - get_type_hints(kind).keys():
        allowed = ", ".join(get_type_hints(kind))
        raise TypeError(f"unknown option {', '.join(sorted(unknown))}: use {allowed}")
