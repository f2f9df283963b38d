"""Catalog entries of a resource whose own keys can be made unique."""

from collections.abc import Iterator

from service.queries import unique_keys
from service.queries.resource import Resource
from service.sql_catalog.entry import CatalogEntry


def entries_of(resource: Resource) -> Iterator[CatalogEntry]:
    """Yield the statements that look for own keys which several live records would have."""
    if unique_keys.have_text_keys(resource):
        within = ("parent_ids",) if resource.own_key_within else ()
        yield CatalogEntry(
            "key_holders",
            "Find the live records with own keys, for organizations whose own keys are unique.",
            ("organization_id", "keys", *within),
            unique_keys.holders_text(resource),
        )
        yield CatalogEntry(
            "twins",
            "Find own keys of several live records, before they are made unique.",
            ("organization_id", "count"),
            unique_keys.twins_text(resource),
        )
