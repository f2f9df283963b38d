"""Lists in full, with decimal numbers as strings: part collections have no writable form."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from service.client import Client
from service.limits import MAX_PAGE_SIZE


async def exact_pages(
    client: Client, collection: str, **filters: Sequence[int]
) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield the pages of a list: of all records, or of those that the filters match."""
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
    """Return the records that the filters match."""
    pages = exact_pages(client, collection, **filters)
    return [document async for page in pages for document in page]
