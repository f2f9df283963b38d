"""Query parameters of the change feed in the OpenAPI document."""

from collections.abc import Iterator
from typing import Any

from service.limits import DEFAULT_LIMIT, MAX_CURSOR_BYTES, MAX_LIMIT, MAX_WAIT
from service.queries.change_feed import ChangeFeed


def of_changes(feed: ChangeFeed) -> Iterator[dict[str, Any]]:
    """Yield the query parameters of the change feed, which names the collections."""
    yield from _of_filter(feed)
    yield from _of_start()
    yield from _of_page()


def _of_filter(feed: ChangeFeed) -> Iterator[dict[str, Any]]:
    """Yield the parameters that choose the changes, and the number of entries."""
    names = {"type": "string", "enum": list(feed.resources)}
    yield _query(
        "collection",
        "Only changes of this collection. Repeat the parameter for several collections.",
        {"type": "array", "items": names},
    )
    yield _query(
        "recordId",
        "Only changes of this record. Needs exactly one `collection`.",
        {"type": "string"},
    )
    yield _query(
        "limit",
        f"Maximum number of entries on a page; {DEFAULT_LIMIT} by default.",
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    )


def _of_start() -> Iterator[dict[str, Any]]:
    """Yield the parameters that name the position to start from."""
    yield _query(
        "from",
        "Start: `oldest`, the default, or `now`, which returns an empty page with the current "
        "cursor.",
        {"type": "string", "enum": ["oldest", "now"]},
    )
    yield _query(
        "after",
        "Start after the transaction with this `n`, in place of `from`; 0 is the oldest. Pages "
        "have whole transactions, and one with more than `limit` entries is alone on its page. "
        "Continue with the `n` of the last entry.",
        {"type": "integer", "format": "int64", "minimum": 0},
    )
    yield _query(
        "epoch",
        "The `X-Changes-Epoch` of the response that `after` comes from. The response is 410 if the "
        "feed has another one now, because its numbers mean other transactions.",
        {"type": "integer", "format": "int64", "minimum": 0},
    )


def _of_page() -> Iterator[dict[str, Any]]:
    """Yield the parameters ``documents``, ``wait`` and ``cursor``."""
    yield _query(
        "documents",
        "`true` adds the current document of each record.",
        {"type": "boolean"},
    )
    yield _query(
        "wait",
        "Long poll: timeout in seconds to wait for a change if the page is empty; 0 by default.",
        {"type": "integer", "minimum": 0, "maximum": MAX_WAIT},
    )
    yield _query(
        "cursor",
        "The value of `pagination.cursor` of the previous response, which carries the whole query. "
        "Beside it `wait` may have any value; `collection`, `recordId`, `limit`, `documents` and "
        "`epoch` must have its own values, and `from` and `after` are not allowed.",
        {"type": "string", "minLength": 1, "maxLength": MAX_CURSOR_BYTES},
    )


def _query(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "schema": schema}
