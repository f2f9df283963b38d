"""Exact lists: pages of live records whose fractional numbers are strings with all digits.

Exports read part collections, which have no writable form, and measured values by them. Numbers
that the service writes without a decimal point are integers.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from service.client import Client
from service.limits import MAX_PAGE_SIZE


async def exact_pages(
    client: Client, collection: str, **filters: Sequence[int]
) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield the pages of a list, each read when it is requested; the last one may be empty.

    A filter is a field with alternative values; without values it matches no record. The request's
    target has to fit into 32 KiB, and the query into a cursor if there are more pages.
    """
    if not all(filters.values()):
        return
    query = [(name, str(value)) for name, values in filters.items() for value in values]
    query.append(("pageSize", str(MAX_PAGE_SIZE)))
    while query:
        response = await client.get(f"/api/{collection}", query, exact=True)
        yield response.body["data"]
        cursor = response.body["pagination"].get("cursor")
        query = [("cursor", cursor)] if cursor else []


async def exact_records(
    client: Client, collection: str, **filters: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the records of all pages of ``exact_pages``."""
    pages = exact_pages(client, collection, **filters)
    return [document async for page in pages for document in page]
