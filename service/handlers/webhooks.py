"""Webhook handlers: subscriptions to the change feed (contract, Webhooks).

Writes take no query parameters and no preconditions: a subscription shows its deliveries, so its
entity tag changes without a write. Lists and single reads are those of ``reads``.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import orjson
from aiohttp import web

from service.database.connections import Connection
from service.errors import Path, collect_errors
from service.events import log_event
from service.handlers.audit import read_administration, run_audited
from service.handlers.parameters import no_parameters, record_path_ids, refuse_preconditions
from service.http.budgets import reserve_unconditionally
from service.http.context import REQUEST_ID, caller_of, database
from service.http.envelope import ApiResponse, success
from service.organizations import keys
from service.organizations.audit import AuditEvent
from service.organizations.scopes import ALL, READ, require_all
from service.records import reads
from service.resources.registry import CHANGES
from service.resources.webhooks import Webhooks
from service.schemas.validation import Validator
from service.webhooks import signing, subscriptions
from service.webhooks.outgoing import OUTGOING
from service.webhooks.webhook_sender import SENDER

_REPLAYED: Final = "Idempotent-Replayed"
_AUDITED: Final = ("url", "collections", "documents", "state")

_Body: TypeAlias = dict[str, Any]
_Change: TypeAlias = Callable[[Connection, int, int, _Body], Awaitable[bytes | None]]
"""Locks and changes a subscription; returns its new secret, or None if that stays.

Takes the connection, the organization, the subscription's id and the body. Raises ApiError
``not_found`` if the organization has no such subscription.
"""


class _SubscriptionWrite(NamedTuple):
    """Write request for a subscription."""

    resource: Webhooks
    request: web.Request
    raw: bytes
    validator: Validator | None
    """Validator of the body; None without a body."""
    event: str
    """Past participle of the write, for the log: ``created`` is the event ``webhook_created``."""


async def add(resource: Webhooks, request: web.Request, raw: bytes) -> ApiResponse:
    """Create a subscription at the end of the feed; the response, 201, has its secret.

    No later read has it; only a replay by the Idempotency-Key does. Raise ApiError
    ``too_many_items`` if there are MAX_WEBHOOKS already.
    """

    async def work(connection: Connection, _: list[int], body: _Body) -> ApiResponse:
        organization_id = caller_of(request).organization_id
        webhook_id, secret = await subscriptions.add(connection, organization_id, body)
        document = await _document(resource, request, connection, webhook_id)
        headers = {"Location": f"{request.path}/{webhook_id}"}
        return success(_with_secret(document, secret), created=True, headers=headers)

    form = resource.create_form
    return await _write(_SubscriptionWrite(resource, request, raw, form, "created"), work)


async def update(resource: Webhooks, request: web.Request, raw: bytes) -> ApiResponse:
    """Apply a merge patch to a subscription (RFC 7396); even an empty one makes a retry due."""
    write = _SubscriptionWrite(resource, request, raw, resource.merge_form, "updated")
    return await _change(write, subscriptions.update)


async def rewind(resource: Webhooks, request: web.Request, raw: bytes) -> ApiResponse:
    """Set the position of a subscription, by number or cursor, after which it goes on.

    Raise ApiError ``gone.changes_expired`` if changes after the position have expired.
    """
    write = _SubscriptionWrite(resource, request, raw, resource.rewind_form, "rewound")
    return await _change(write, subscriptions.rewind)


async def rotate(resource: Webhooks, request: web.Request, raw: bytes) -> ApiResponse:
    """Replace the secret of a subscription; this response and its replays have the new one.

    The former secret signs as well for ``overlapSeconds``, by default a day.
    """
    write = _SubscriptionWrite(resource, request, raw, resource.rotate_form, "rotated")
    return await _change(write, subscriptions.rotate)


async def remove(resource: Webhooks, request: web.Request) -> ApiResponse:
    """Delete a subscription; return it as it was. Raise ApiError ``not_found`` without one."""

    async def work(connection: Connection, path: list[int], _: _Body) -> ApiResponse:
        organization_id, [webhook_id] = caller_of(request).organization_id, path
        await subscriptions.lock(connection, organization_id, webhook_id)
        document = await _document(resource, request, connection, webhook_id)
        await subscriptions.remove(connection, organization_id, webhook_id)
        return success(document)

    return await _write(_SubscriptionWrite(resource, request, b"", None, "deleted"), work)


async def test(resource: Webhooks, request: web.Request) -> ApiResponse:
    """Send a test message, also for a paused subscription, and return its result with 200.

    A failed delivery is a result, not an error. The Idempotency-Key is ignored: nothing is stored.
    Raise ApiError ``not_found`` without a subscription, and for errors of path, query and headers.
    """
    [webhook_id], _ = collect_errors(
        lambda: record_path_ids(request, resource),
        lambda: collect_errors(
            lambda: no_parameters(request), lambda: refuse_preconditions(request)
        ),
    )
    attempt = await request.app[OUTGOING].send_test(
        database(request), caller_of(request).organization_id, webhook_id
    )
    is_delivered = attempt.error is None
    result = {"delivered": is_delivered, "status": attempt.status, "error": attempt.error}
    return success(orjson.dumps(result))


async def _change(write: _SubscriptionWrite, change: _Change) -> ApiResponse:
    """Change one subscription in a transaction; return it, with its secret if that is new."""

    async def work(connection: Connection, path: list[int], body: _Body) -> ApiResponse:
        organization_id, [webhook_id] = caller_of(write.request).organization_id, path
        # The URL gets the changes, and the secret proves their sender.
        stored = await subscriptions.lock(connection, organization_id, webhook_id)
        require_all(caller_of(write.request).scopes, _needed_scopes(stored))
        secret = await change(connection, organization_id, webhook_id, body)
        document = await _document(write.resource, write.request, connection, webhook_id)
        return success(document if secret is None else _with_secret(document, secret))

    return await _write(write, work)


async def _write(
    write: _SubscriptionWrite,
    work: Callable[[Connection, list[int], _Body], Awaitable[ApiResponse]],
) -> ApiResponse:
    """Check a request, run its work in a transaction, log the event and wake this worker's sender.

    ``work`` takes the connection, the ids of the path, [] for a create, and the body, {} without
    one. It may run again after a serialization failure. A replayed response is not logged again.
    The key that creates or changes a webhook owns it.
    """
    resource, request, raw, validator, event = write
    caller = caller_of(request)

    async def audited(connection: Connection) -> tuple[ApiResponse, AuditEvent]:
        response = await work(connection, path, body)
        document = orjson.loads(response.body)["data"]
        if event in ("created", "updated"):
            await keys.own_webhook(connection, caller, document["id"])
        details = {name: document[name] for name in _AUDITED}
        return response, AuditEvent(f"webhook.{event}", f"webhook:{document['id']}", details)

    url_errors = partial(subscriptions.url_errors, policy=request.app[OUTGOING].policy)
    path, idempotency, body = read_administration(resource, request, raw, validator, url_errors)
    if "collections" in body or not path:
        require_all(caller.scopes, _needed_scopes(body))
    response = await run_audited(request, idempotency, audited)
    if _REPLAYED not in response.headers:
        _log(request, event, path[0] if path else response.headers["Location"])
    request.app[SENDER].wake(caller.organization_id)
    reserve_unconditionally(request, len(response.body))
    return response


async def _document(
    resource: Webhooks, request: web.Request, connection: Connection, webhook_id: int
) -> bytes:
    return await reads.read_document(
        connection, resource, caller_of(request), [webhook_id], "documents"
    )


def _needed_scopes(webhook: Mapping[str, Any]) -> Iterator[tuple[str, Path]]:
    """Yield the scopes that a subscription needs, with the paths of their errors."""
    names = webhook.get("collections") or ()
    for index, name in enumerate(names):
        yield CHANGES.resources[name].scope(READ), ("collections", index)
    if not names:
        yield f"{ALL}:{READ}", ("collections",)


def _with_secret(document: bytes, secret: bytes) -> bytes:
    """Return a document with the member ``secret``, as ``whsec_`` and Base64, at its end."""
    return b'%b,"secret":"%b"}' % (document[:-1], signing.encoded(secret).encode())


def _log(request: web.Request, event: str, webhook: object) -> None:
    """Log an event of a webhook, given its id or the Location of a new one."""
    caller = caller_of(request)
    log_event(
        f"webhook_{event}",
        f"A webhook was {event}.",
        webhook=str(webhook).rpartition("/")[2],
        organization=caller.organization_id,
        key=caller.key_id,
        request=request[REQUEST_ID],
    )
