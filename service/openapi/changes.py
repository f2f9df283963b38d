"""The parameters of changes."""

from collections.abc import Iterator
from typing import Any

from service.listing.changes import DEFAULT_LIMIT, MAX_LIMIT, MAX_WAIT
from service.listing.cursor import MAX_LENGTH
from service.queries.change_feed import ChangeFeed


def of_changes(feed: ChangeFeed) -> Iterator[dict[str, Any]]:
    """What can be asked; beside a cursor only ``wait``."""
    names = {"type": "string", "enum": list(feed.resources)}
    yield _query(
        "collection",
        "Changes of this collection; repeat it for any of several.",
        {"type": "array", "items": names},
    )
    yield _query("recordId", "Changes of this record of the one collection.", {"type": "string"})
    yield _query(
        "limit",
        f"Entries on a page, {DEFAULT_LIMIT} unless sent; a page may be shorter.",
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    )
    yield _query(
        "from",
        "`oldest`, unless sent, or `now`: an empty page with the cursor of now.",
        {"type": "string", "enum": ["oldest", "now"]},
    )
    yield _query(
        "documents",
        "`true` adds each record as it is now.",
        {"type": "string", "enum": ["false", "true"]},
    )
    yield _query(
        "wait",
        "Seconds to wait for a change where the page would be empty, 0 unless sent.",
        {"type": "integer", "minimum": 0, "maximum": MAX_WAIT},
    )
    yield _query(
        "cursor",
        "The value of `pagination.cursor` in the answer before, which carries the whole query: "
        "only `wait` may stand beside it.",
        {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
    )


def _query(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "schema": schema}
