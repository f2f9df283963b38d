"""SQL catalog: every statement of the service as it is sent to PostgreSQL.

The texts come from the functions that send them, so that the catalog cannot differ from the
service. It leaves out what belongs to no request: transaction control, the settings of a session,
migrations, and the statements by which commands load, dump and distribute databases.
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
    """Return the entries by resource, and by source for what all resources share: ``writes``."""
    resources: Iterator[Resource] = chain(
        MASTER_RECORDS, REFERENCE_LISTS, PARTS, PART_COLLECTIONS, (ME, WEBHOOKS)
    )
    entries = {
        resource.name: [*entries_of(resource), *unique_key_entries.entries_of(resource)]
        for resource in resources
    }
    return entries | {name: [*source()] for name, source in shared_entries.SOURCES.items()}


def render_all(name: str, entries: list[CatalogEntry]) -> str:
    """Return the formatted SQL of the entries under ``name``, with header comments."""
    title = f"-- {name}: SQL statements as they are sent; only line breaks and indents differ."
    return "\n\n".join([title, *(render(name, entry) for entry in entries)]) + "\n"
