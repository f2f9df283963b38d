"""Catalog entries of lists: pages, examples of filters and sorts, and counts."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from service.listing.list_request import ChangedRecords, Condition, ListRequest, SortKey
from service.listing.operators import EQ, OPERATORS
from service.listing.page_sql import column_of
from service.queries.changed_since import condition_text
from service.queries.parts import RecordPart
from service.queries.reads import all_text
from service.queries.resource import Resource
from service.resources.registry import CHANGES
from service.sql_catalog.entry import CatalogEntry

ORGANIZATION: Final = "organization_id"
"""Name of the parameter ``$1`` of nearly all statements."""


def path_parameters(resource: Resource) -> Iterator[str]:
    """Return the names of the parameters with the ids of the parents that the path names."""
    return map(column_of, resource.parents)


def list_entries(resource: Resource) -> Iterator[CatalogEntry]:
    """Yield lists: all records, an example of filter, sort and cursor, by related members, changed.

    Then yield counts.
    A part has none; measured values have the read of all sizes instead.
    """
    if isinstance(resource, RecordPart):
        if resource.parents:
            purpose = "Read the documents of all records."
            parameters = (ORGANIZATION, *path_parameters(resource))
            yield CatalogEntry("read_all", purpose, parameters, all_text(resource))
        return
    by_id = SortKey(resource.properties[resource.properties.key], descending=False)
    default, parameters = ListRequest(sort=(by_id,)), (ORGANIZATION, *path_parameters(resource))
    numbered = ListRequest(sort=(by_id,), page_number=2)
    yield CatalogEntry(
        "list",
        "First page of all records, in the default order.",
        parameters,
        resource.compile_list(default).text,
        {
            "Page by number": resource.compile_list(numbered).text,
            "Again, cut, if the page exceeds its bytes": resource.compile_list(
                default, is_cut=True
            ).text,
        },
    )
    purpose, example, next_page = _example(resource, by_id, len(parameters) + 1)
    yield CatalogEntry(
        "list_example",
        purpose,
        (*parameters, "filter_value"),
        resource.compile_list(example).text,
        {"Next page, by cursor": resource.compile_list(next_page).text},
    )
    yield from _filter_entries(resource, parameters)
    if changed_sql := condition_text(CHANGES, resource.collection):
        changed = ListRequest(sort=(by_id,), changed=ChangedRecords(1, 0, changed_sql))
        yield CatalogEntry(
            "list_changed",
            "First page of the records that transactions after a number have changed.",
            (*parameters, "after_n"),
            resource.compile_list(changed).text,
        )
    yield CatalogEntry(
        "count",
        "Count the records of all pages.",
        parameters,
        resource.compile_count(default).text,
        {"Count of the example": resource.compile_count(example).text},
    )


def _filter_entries(resource: Resource, parameters: tuple[str, ...]) -> Iterator[CatalogEntry]:
    """Yield one entry with the lists filtered by each related member, if there are any."""
    by_id = SortKey(resource.properties[resource.properties.key], descending=False)
    texts = {
        f"{prop.name} is ${len(parameters) + 1}": resource.compile_list(
            ListRequest((Condition(prop, EQ, ("1",)),), (by_id,))
        ).text
        for prop in resource.properties.values()
        if prop.within
    }
    if texts:
        (title, text), *others = texts.items()
        purpose = f"First page of the records whose {title}."
        names = (*parameters, "filter_value")
        yield CatalogEntry("list_by_reference", purpose, names, text, dict(others))


def _example(
    resource: Resource, by_id: SortKey, number: int
) -> tuple[str, ListRequest, ListRequest]:
    """Return the purpose of an example, and its list requests: for the first page and the next one.

    It filters and sorts by the first sortable text, else filters by id. ``number`` is that of the
    filter's parameter.
    """
    texts = (
        prop
        for prop in resource.properties.values()
        if prop.sortable and prop.stored_kind == "string" and prop.choices is None
    )
    prop = next(texts, None)
    if prop is None:
        by_number = Condition(by_id.property, OPERATORS["gt"], (1,))
        purpose = f"Example: {by_id.property.name} is greater than ${number}."
        list_request = ListRequest((by_number,), (by_id,))
        return purpose, list_request, replace(list_request, after=(2,))
    condition = Condition(prop, OPERATORS["contains"], ("a",))
    list_request = ListRequest((condition,), (SortKey(prop, descending=True), by_id))
    purpose = f"Example: {prop.name} contains ${number}, sorted by it, descending."
    return purpose, list_request, replace(list_request, after=("b", 1))
