"""Delivery messages: bodies and ids of messages to receivers (contract, Webhooks)."""

from dataclasses import dataclass
from typing import Any

import orjson

from service.listing.changes import FeedPosition


@dataclass(frozen=True, slots=True)
class Message:
    """Message with its id, which is the same when the message is repeated."""

    id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Span:
    """Transactions that a message covers, from ``from_n`` to ``to_n`` inclusive."""

    webhook_id: int
    epoch: int
    from_n: int
    to_n: int

    def id(self, *suffix: object) -> str:
        """Return a message id of the span; it has the epoch, in which numbers begin again."""
        parts = ("msg", self.webhook_id, f"{self.epoch:x}", self.from_n, self.to_n, *suffix)
        return "_".join(map(str, parts))

    def body(self, kind: str, **members: Any) -> bytes:
        """Return the JSON body of a message with further members."""
        return orjson.dumps(
            {
                "type": kind,
                "webhookId": self.webhook_id,
                "fromN": self.from_n,
                "toN": self.to_n,
                "epoch": self.epoch,
                **members,
            }
        )


def changes_message(span: Span, end: FeedPosition, entries: bytes) -> Message:
    """Return the message with a JSON array of entries; ``end`` is the position after it.

    Several messages can end within one transaction, so its end is part of the id then.
    """
    within = () if end.collection is None else (end.collection, end.record_id)
    return Message(span.id(*within), span.body("changes", entries=orjson.Fragment(entries)))


def expired_message(span: Span) -> Message:
    """Return the message about changes that were deleted before they were delivered."""
    return Message(span.id("expired"), span.body("expired", resumeFrom=span.to_n))


def test_message(span: Span, nonce: str) -> Message:
    """Return a test message; each has an id of its own."""
    return Message(span.id("test", nonce), span.body("test"))
