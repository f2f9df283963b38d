"""Delivery messages: bodies and ids of messages to receivers (contract, Webhooks)."""

from dataclasses import dataclass
from typing import Any

import orjson

from service.feed.feed_parameters import FeedPosition


@dataclass(frozen=True, slots=True)
class Message:
    """Message with its id, by which receivers recognize repeats."""

    id: str
    """Header ``webhook-id``: ``msg_``, webhook, epoch in hexadecimal, span, and a suffix if any."""
    body: bytes
    """JSON as it is signed and sent."""


@dataclass(frozen=True, slots=True)
class Span:
    """Transactions that a message is about, from ``from_n`` to ``to_n`` inclusive.

    The first and the last may be covered in part only.
    """

    webhook_id: int
    epoch: int
    from_n: int
    to_n: int

    def id(self, *suffix: object) -> str:
        """Return a message id of the span, with the epoch: another one has the same numbers."""
        parts = ("msg", self.webhook_id, f"{self.epoch:x}", self.from_n, self.to_n, *suffix)
        return "_".join(map(str, parts))

    def body(self, kind: str, **members: Any) -> bytes:
        """Return the JSON body of a message of the type ``kind``, with further members."""
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
    """Return the message ``changes`` with entries, a JSON array; ``end`` is the position after it.

    Several messages can end within one transaction: the id has the last entry's collection and
    record then.
    """
    within = () if end.collection is None else (end.collection, end.record_id)
    return Message(span.id(*within), span.body("changes", entries=orjson.Fragment(entries)))


def expired_message(span: Span) -> Message:
    """Return the message ``expired``: deliveries go on after ``to_n``, its ``resumeFrom``."""
    return Message(span.id("expired"), span.body("expired", resumeFrom=span.to_n))


def test_message(span: Span, nonce: str) -> Message:
    """Return the message ``test``; ``nonce`` makes its id unique."""
    return Message(span.id("test", nonce), span.body("test"))
