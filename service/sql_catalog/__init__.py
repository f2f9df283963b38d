"""SQL catalog: the statements of the service as they are sent to PostgreSQL (`selvedge sql`).

The texts come from the functions and files from which the service sends them. Lists have no end of
filters and sorts: the catalog has examples. It leaves out what belongs to no request: transaction
control, the settings of a session, migrations, and the statements by which commands load, dump and
distribute databases. The statements of an SQL file of no resource need a source in
``shared_entries``.
"""

from collections.abc import Iterator
from itertools import chain

from service.queries.resource import Resource
from service.resources.registry import (
    MASTER_RECORDS,
    ME,
    PART_COLLECTIONS,
    PARTS,
    REFERENCE_LISTS,
    WEBHOOKS,
)
from service.sql_catalog import shared_entries, unique_key_entries
from service.sql_catalog.entry import CatalogEntry
from service.sql_catalog.formatting import render
from service.sql_catalog.resource_entries import entries_of


def catalog() -> dict[str, list[CatalogEntry]]:
    """Return the entries by resource, then by source for what resources share: ``writes``.

    Names of entries are unique within a resource or source. No database is needed.
    """
    resources: Iterator[Resource] = chain(
        MASTER_RECORDS, REFERENCE_LISTS, PARTS, PART_COLLECTIONS, (ME, WEBHOOKS)
    )
    entries = {
        resource.name: [*entries_of(resource), *unique_key_entries.entries_of(resource)]
        for resource in resources
    }
    return entries | {name: [*source()] for name, source in shared_entries.SOURCES.items()}


def render_all(name: str, entries: list[CatalogEntry]) -> str:
    """Return the formatted SQL of the entries, with header comments; ``name`` is their key."""
    title = f"-- {name}: SQL statements as they are sent; only line breaks and indents differ."
    return "\n\n".join([title, *(render(name, entry) for entry in entries)]) + "\n"
