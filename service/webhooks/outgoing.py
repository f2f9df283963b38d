"""Outgoing requests of a worker: address policy and name look-ups that all receivers share."""

import secrets
import time
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from service.database.connections import Connection, Database
from service.error_types import ErrorType
from service.errors import api_error
from service.resources.registry import WEBHOOKS
from service.webhooks.addresses import AddressPolicy
from service.webhooks.delivery_messages import Message, Span, test_message
from service.webhooks.name_lookups import NameLookups
from service.webhooks.receiver import Attempt, Receiver
from service.webhooks.signing import signed_headers

_SQL: Final = WEBHOOKS.statements
_NONCE_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Factory of receivers."""

    policy: AddressPolicy
    lookups: NameLookups = field(default_factory=NameLookups)

    def receiver(self, organization_id: int, url: str) -> Receiver:
        """Return the client of a receiver."""
        return Receiver(url, organization_id, self.policy, self.lookups)

    async def send_test(self, database: Database, organization_id: int, webhook_id: int) -> Attempt:
        """Send a test message and return the outcome; raise ``not_found`` without subscription."""

        async def read(connection: Connection) -> Signer:
            return await read_signer(connection, organization_id, webhook_id)

        signer = await database.read(read, organization_id)
        span = Span(webhook_id, signer.epoch, signer.position, signer.position)
        message = test_message(span, secrets.token_hex(_NONCE_BYTES))
        async with self.receiver(organization_id, signer.url) as receiver:
            return await receiver.post(message.body, signer.headers(message))


@dataclass(frozen=True, slots=True)
class Signer:
    """Receiver and secrets of a subscription."""

    url: str
    epoch: int
    position: int
    secrets: tuple[bytes, ...]

    def headers(self, message: Message) -> dict[str, str]:
        """Return the headers of a message that is sent now."""
        return signed_headers(message.id, int(time.time()), message.body, self.secrets)


async def read_signer(connection: Connection, organization_id: int, webhook_id: int) -> Signer:
    """Return the signer of a subscription; raise ``not_found`` if it does not exist."""
    row = await connection.fetchrow(_SQL["secrets"].text, organization_id, webhook_id)
    if row is None:
        raise api_error(ErrorType.NOT_FOUND, "id")
    signing_secrets = tuple(filter(None, (row["secret"], row["former_secret"])))
    return Signer(row["url"], row["epoch"], row["position"], signing_secrets)


OUTGOING: Final[web.AppKey[Outgoing]] = web.AppKey("outgoing", Outgoing)
