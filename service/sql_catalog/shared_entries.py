"""Catalog entries by source: statements that resources share, such as those of the change feed.

Some sources have an entry for each of several resources, such as exports.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from service.database.statements import load
from service.idempotency.requests import SET_CLAIM_TIMEOUT, SET_DEFAULT_TIMEOUT
from service.listing.page_sql import column_of
from service.queries.change_feed import PAGE
from service.queries.change_recorder import SETTINGS
from service.queries.export import export_text
from service.queries.reference_targets import FOR_KEY_SHARE, TARGETS
from service.queries.resource import SHARED
from service.resources.registry import CHANGES, EXPORTED
from service.sql_catalog.entry import CatalogEntry, statement_entry
from service.sql_catalog.resource_entries import fan_out_entries


def _of_file(file: str) -> Iterator[CatalogEntry]:
    """Yield the statements of ``sql/<file>.sql`` that have no slots; leave out fragments."""
    for statement in load(file).values():
        if statement.parameters is not None and not statement.slots:
            yield statement_entry(statement)


def _write_entries() -> Iterator[CatalogEntry]:
    """Yield the locks of organizations and collections, and the ids for new records."""
    for name in ("lock_organization", "next_ids", "next_ids_of_coordinator"):
        yield statement_entry(SHARED[name])
    for name, statement in load("writer_locks").items():
        entry = statement_entry(statement)
        yield CatalogEntry(f"{name}_writer_lock", entry.purpose, entry.parameters, entry.text)


def _reference_entries() -> Iterator[CatalogEntry]:
    """Yield the look-ups of the records that references name by own key."""
    for target in TARGETS.values():
        within = (f"{column_of(target.within)}s",) if target.within else ()
        yield CatalogEntry(
            f"{target.table}_by_key",
            f"Read each {target.noun} that references name by its own key.",
            ("organization_id", "keys", *within),
            target.texts[""],
            {"If only the lock is left to check": target.texts[FOR_KEY_SHARE]}
            if FOR_KEY_SHARE in target.texts and not target.within
            else {},
        )


def _change_entries() -> Iterator[CatalogEntry]:
    """Yield the statements of the change feed.

    Those of fan-out are with the resource that changed, and in the source ``settings``.
    """
    statements = load("changes")
    yield CatalogEntry(
        "page",
        "Read a page of transactions.",
        PAGE.parameters or (),
        PAGE.fill(condition=""),
        {
            "Changes of some collections": PAGE.fill(condition=statements["touching"].text),
            "Changes of one record": PAGE.fill(condition=statements["touching_record"].text),
        },
    )
    yield from _of_file("changes")


def _idempotency_entries() -> Iterator[CatalogEntry]:
    """Yield the statements of idempotency keys and stored responses."""
    purpose = "Set the time that a claim waits for another request with the key."
    yield CatalogEntry("claim_timeout", purpose, (), SET_CLAIM_TIMEOUT)
    yield CatalogEntry(
        "default_timeout", "Set the time limit of statements again.", (), SET_DEFAULT_TIMEOUT
    )
    yield from _of_file("idempotency")
    yield from _of_file("stored_answers")


def _export_entries() -> Iterator[CatalogEntry]:
    """Yield the statement of each exported collection, and its variant for tables (CSV)."""
    for name, resource in EXPORTED.items():
        yield CatalogEntry(
            f"export_{name.replace('-', '_')}",
            "Read the next records of an export.",
            ("organization_id", "after_id"),
            export_text(resource),
            {"For a table": export_text(resource, is_bare=True)},
        )


SOURCES: Final[Mapping[str, Callable[[], Iterator[CatalogEntry]]]] = {
    "writes": _write_entries,
    "references": _reference_entries,
    "changes": _change_entries,
    "exports": _export_entries,
    "settings": lambda: fan_out_entries(CHANGES.fan_out_by_cause[SETTINGS]),
    "idempotency": _idempotency_entries,
    "callers": lambda: _of_file("callers"),
    "administration": lambda: _of_file("administration"),
}
"""Functions that yield the entries, by the name under which the catalog has them."""
