"""Change entries as JSON, for pages of the change feed and for webhooks (contract, Changes)."""

from collections.abc import Mapping
from typing import Final

import orjson

from service.feed.change_feed import ChangeFeed
from service.feed.feed_pages import ChangePage

_MICROSECONDS: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


def entries_json(
    feed: ChangeFeed, page: ChangePage, documents: Mapping[tuple[str, int], bytes] | None
) -> bytes:
    """Return the entries of the page as a JSON array, in their order.

    ``documents`` are rendered JSON by collection and stored id. If they are None, entries have no
    member ``document``; otherwise it is null for records that have none there. ``at`` is the time
    at which the transaction began, in UTC. ``recordId`` is a text in collections with text ids.
    """
    times: dict[int, str] = {}
    entries = []
    for entry in page.entries:
        row, collection, record_id = entry.transaction, entry.collection, entry.record_id
        sequence_number = row["n"]
        began_at = times.get(sequence_number) or times.setdefault(
            sequence_number, row["at"].strftime(_MICROSECONDS)
        )
        members = {
            "n": sequence_number,
            "at": began_at,
            "collection": collection,
            "recordId": str(record_id) if feed.resources[collection].string_ids else record_id,
            "operation": entry.operation,
            "apiKeyId": row["api_key_id"],
            "requestId": row["request_id"],
        }
        if documents is not None:
            document = documents.get((collection, record_id))
            members["document"] = None if document is None else orjson.Fragment(document)
        entries.append(members)
    return orjson.dumps(entries)
