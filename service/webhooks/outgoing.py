"""Outgoing requests of a worker: address policy and name look-ups that all receivers share.

Also test messages, which are sent within the request of a caller.
"""

import secrets
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import asyncpg
from aiohttp import web

from service.database.connections import Connection, Database
from service.error_types import ErrorType
from service.errors import api_error
from service.resources.registry import WEBHOOKS
from service.webhooks.addresses import AddressPolicy
from service.webhooks.delivery_messages import Span, test_message
from service.webhooks.name_lookups import NameLookups
from service.webhooks.receiver import Attempt, Receiver
from service.webhooks.signing import active_secrets, signed_headers

_SQL: Final = WEBHOOKS.statements
_NONCE_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Factory of receivers' clients; one in each worker, under the key OUTGOING."""

    policy: AddressPolicy
    lookups: NameLookups = field(default_factory=NameLookups)

    def receiver(self, organization_id: int, url: str) -> Receiver:
        """Return the client of the receiver at a URL; it is an asynchronous context manager."""
        return Receiver(url, organization_id, self.policy, self.lookups)

    async def send_test(self, database: Database, organization_id: int, webhook_id: int) -> Attempt:
        """Send a test message and return the outcome; a failed delivery does not raise.

        It needs no lease and goes to a paused webhook, too. Nothing is stored, and there is no
        retry. Raise ApiError ``not_found`` if there is no webhook.
        """
        read = partial(_read_target, organization_id=organization_id, webhook_id=webhook_id)
        target = await database.read(read, organization_id)
        span = Span(webhook_id, target["epoch"], target["position"], target["position"])
        message = test_message(span, secrets.token_hex(_NONCE_BYTES))
        headers = signed_headers(message.id, int(time.time()), message.body, active_secrets(target))
        async with self.receiver(organization_id, target["url"]) as receiver:
            return await receiver.post(message.body, headers)


async def _read_target(
    connection: Connection, organization_id: int, webhook_id: int
) -> asyncpg.Record:
    """Return URL, position and secrets of a subscription; raise ApiError ``not_found`` for none."""
    row = await connection.fetchrow(_SQL["secrets"].text, organization_id, webhook_id)
    if row is None:
        raise api_error(ErrorType.NOT_FOUND, "id")
    return row


OUTGOING: Final[web.AppKey[Outgoing]] = web.AppKey("outgoing", Outgoing)
