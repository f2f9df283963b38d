"""Keyword options of bulk writes and syncs: types for type checkers, and a check at run time."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, TypedDict

WriteMode: TypeAlias = Literal["create", "replace", "merge"]
"""Operation of a bulk write: ``merge`` changes only the fields that are sent (RFC 7396)."""

MAX_MISSING_SHARE: Final = 0.02
"""Default of ``at_most``: 2 % of the live records with an own key."""


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


class SyncOptions(TypedDict, total=False):
    """Options of ``Collection.sync`` and ``Client.sync``; flags are off by default."""

    merge: bool
    """Merge into stored records, and keep the fields that are not sent. By default replace them."""
    dry_run: bool
    """Yield the outcomes, and write nothing."""
    delete_missing: bool
    """At the end, delete the live records with an own key that were not sent.

    The record of a sent one that failed stays. If a failed one has no key, none is deleted.
    """
    at_most: float
    """Share of the live records with an own key, from 0 to 1, by default MAX_MISSING_SHARE.

    Only ``delete_missing`` uses it. If more are missing, none of them is deleted and
    TooManyMissingError is raised.
    """


def require_known(options: Mapping[str, object], kind: type) -> None:
    """Raise TypeError for an option that the type lacks: Python accepts any keyword here."""
    if unknown := options.keys() - kind.__annotations__.keys():
        allowed = ", ".join(kind.__annotations__)
        raise TypeError(f"unknown option {', '.join(sorted(unknown))}: use {allowed}")
