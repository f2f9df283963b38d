"""Catalog entries of the checks of unique own keys, for resources whose own keys are texts."""

from collections.abc import Iterator

from service.queries import unique_keys
from service.queries.resource import Resource
from service.sql_catalog.entry import CatalogEntry


def entries_of(resource: Resource) -> Iterator[CatalogEntry]:
    """Yield the statements that look for own keys which several live records share.

    Yield none for a resource whose own keys are not texts, or that has none.
    """
    if unique_keys.have_text_keys(resource):
        within = ("parent_ids",) if resource.own_key_within else ()
        yield CatalogEntry(
            "key_holders",
            "Find the live records with own keys, for organizations whose own keys are unique.",
            ("organization_id", "keys", *within),
            unique_keys.holders_text(resource),
        )
        yield CatalogEntry(
            "shared_keys",
            "Find own keys that several live records share, before they are made unique.",
            ("organization_id", "count"),
            unique_keys.shared_keys_text(resource),
        )
