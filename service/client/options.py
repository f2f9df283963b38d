"""Keyword options of bulk writes and syncs: types for type checkers, and a check at run time."""

from collections.abc import Mapping
from typing import Final, TypedDict

MAX_MISSING_SHARE: Final = 0.02
"""Default of ``at_most``: share of the live records that a sync may delete."""


class BulkOptions(TypedDict, total=False):
    """Options of ``Collection.write``."""

    match: str | None
    """Field of the own key by which stored records are matched; by default it is ``id``."""
    skip: bool
    """Leave out failed records. By default one failed record fails the request."""
    dry_run: bool
    """Return the outcomes, and write nothing."""
    preview: bool
    """Dry-run, and return outcomes with the ``changes`` of fields that the write would make."""
    key: str | None
    """Idempotency key; by default a new one."""


class SyncOptions(TypedDict, total=False):
    """Options of ``Collection.sync`` and ``Client.sync``."""

    merge: bool
    """Merge into stored records, and keep the fields that are not sent. By default replace them."""
    dry_run: bool
    """Return the outcomes, and write nothing."""
    delete_missing: bool
    """At the end, delete the live records with an own key that were not sent."""
    at_most: float
    """Share of the live records from 0 to 1; if more are missing, none is deleted."""


def require_known(options: Mapping[str, object], kind: type) -> None:
    """Raise TypeError for an option that the type lacks: Python accepts any keyword here."""
    if unknown := options.keys() - kind.__annotations__.keys():
        allowed = ", ".join(kind.__annotations__)
        raise TypeError(f"unknown option {', '.join(sorted(unknown))}: use {allowed}")
