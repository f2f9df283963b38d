"""Webhook handlers: subscriptions to the change feed (contract, Webhooks).

Writes take no query parameters and no preconditions: a subscription shows its deliveries, so its
entity tag changes without a write. Lists and single reads are those of ``reads``.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

import orjson
from aiohttp import web

from service.database.connections import Connection
from service.errors import CollectedErrors, Path
from service.events import log_event
from service.handlers.audit import Audited, Body, document_of, read_administration, run_audited
from service.handlers.parameters import no_parameters, record_path_ids, refuse_preconditions
from service.http.budgets import reserve_unconditionally
from service.http.context import REQUEST_ID, caller_of, database
from service.http.envelope import ApiResponse, respond, success
from service.organizations import keys
from service.organizations.audit import AuditEvent
from service.organizations.scopes import ALL, READ, require_all
from service.resources.registry import CHANGES
from service.resources.webhooks import Webhooks
from service.schemas.validation import Validator
from service.webhooks import signing, subscriptions
from service.webhooks.outgoing import OUTGOING
from service.webhooks.webhook_sender import SENDER

_REPLAYED: Final = "Idempotent-Replayed"
_AUDITED: Final = ("url", "collections", "documents", "state")

_Change: TypeAlias = Callable[[Connection, int, int, Body], Awaitable[bytes | None]]
"""Changes a locked subscription; returns its new secret, or None if that stays.

Takes the connection, the organization, the subscription's id and the body.
"""
_CHANGES: Final[Mapping[str, _Change]] = {
    "merge": subscriptions.update,
    "rewind": subscriptions.rewind,
    "rotate": subscriptions.rotate,
}
"""Changes by the form of the body."""
_VALIDATORS: Final = {form: Validator("webhooks", form) for form in ("create", *_CHANGES)}
_EVENTS: Final = {"create": "created", "merge": "updated", "rewind": "rewound", "rotate": "rotated"}
"""Past participles of writes with a body, for the log: ``created`` is ``webhook_created``."""


async def add(resource: Webhooks, request: web.Request, raw: bytes) -> web.Response:
    """Create a subscription at the end of the feed; the response, 201, has its secret.

    No later read has it; only a replay by the Idempotency-Key does. Raise ApiError
    ``too_many_items`` if there are MAX_WEBHOOKS already.
    """

    async def work(connection: Connection, _: list[int], body: Body) -> ApiResponse:
        organization_id = caller_of(request).organization_id
        webhook_id, secret = await subscriptions.add(connection, organization_id, body)
        document = await document_of(resource, request, connection, webhook_id)
        headers = {"Location": f"{request.path}/{webhook_id}"}
        return success(_with_secret(document, secret), created=True, headers=headers)

    return await _write(request, raw, "create", resource, work)


async def change(
    resource: Webhooks, request: web.Request, raw: bytes, *, form: str
) -> web.Response:
    """Change a subscription by a body of one of _CHANGES; return it, with a new secret.

    Even an empty merge patch makes a retry due. A new secret is in this response and its replays
    alone; the former one signs as well for ``overlapSeconds``, by default a day. Raise ApiError
    ``not_found`` without a subscription, and ``gone.changes_expired`` if changes after a new
    position have expired.
    """

    async def work(connection: Connection, path: list[int], body: Body) -> ApiResponse:
        organization_id, [webhook_id] = caller_of(request).organization_id, path
        # The URL gets the changes, and the secret proves their sender.
        stored = await subscriptions.lock(connection, organization_id, webhook_id)
        require_all(caller_of(request).scopes, _needed_scopes(stored))
        secret = await _CHANGES[form](connection, organization_id, webhook_id, body)
        document = await document_of(resource, request, connection, webhook_id)
        return success(document if secret is None else _with_secret(document, secret))

    return await _write(request, raw, form, resource, work)


async def remove(resource: Webhooks, request: web.Request) -> web.Response:
    """Delete a subscription; return it as it was. Raise ApiError ``not_found`` without one."""

    async def work(connection: Connection, path: list[int], _: Body) -> ApiResponse:
        organization_id, [webhook_id] = caller_of(request).organization_id, path
        await subscriptions.lock(connection, organization_id, webhook_id)
        document = await document_of(resource, request, connection, webhook_id)
        await subscriptions.remove(connection, organization_id, webhook_id)
        return success(document)

    return await _write(request, b"", "", resource, work)


async def test(resource: Webhooks, request: web.Request) -> web.Response:
    """Send a test message, also for a paused subscription, and return its result with 200.

    A failed delivery is a result, not an error. The Idempotency-Key is ignored: nothing is stored.
    Raise ApiError ``not_found`` without a subscription, and for errors of path, query and headers.
    """
    with CollectedErrors() as errors:
        path = errors.of(record_path_ids, request, resource)
        errors.of(no_parameters, request)
        errors.of(refuse_preconditions, request)
    attempt = await request.app[OUTGOING].send_test(
        database(request), caller_of(request).organization_id, *path
    )
    is_delivered = attempt.error is None
    result = {"delivered": is_delivered, "status": attempt.status, "error": attempt.error}
    return respond(success(orjson.dumps(result)))


async def _write(
    request: web.Request,
    raw: bytes,
    form: str,
    resource: Webhooks,
    work: Callable[[Connection, list[int], Body], Awaitable[ApiResponse]],
) -> web.Response:
    """Check a request, run its work in a transaction, log the event and wake this worker's sender.

    ``form`` is that of the body, "" without one, which is a delete. ``work`` takes the connection,
    the ids of the path, [] for a create, and the body, {} without one. It may run again after a
    serialization failure. A replayed response is not logged again. The key that creates or changes
    a webhook owns it.
    """
    caller, event = caller_of(request), _EVENTS.get(form, "deleted")

    async def audited(connection: Connection) -> Audited:
        response = await work(connection, path, body)
        document = orjson.loads(response.body)["data"]
        if event in ("created", "updated"):
            await keys.own_webhook(connection, caller, document["id"])
        details = {name: document[name] for name in _AUDITED}
        return response, AuditEvent(f"webhook.{event}", f"webhook:{document['id']}", details)

    url_errors = partial(subscriptions.url_errors, policy=request.app[OUTGOING].policy)
    validator = _VALIDATORS.get(form)
    path, idempotency, body = read_administration(resource, request, raw, validator, url_errors)
    if "collections" in body or not path:
        require_all(caller.scopes, _needed_scopes(body))
    response = await run_audited(request, idempotency, audited)
    if _REPLAYED not in response.headers:
        _log(request, event, path[0] if path else response.headers["Location"])
    request.app[SENDER].wake(caller.organization_id)
    reserve_unconditionally(request, len(response.body))
    return respond(response)


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
