"""Key handlers: API keys are created, rotated and deleted (contract, Keys).

No key gets, or changes, another one with scopes that it has not itself, or that lasts longer.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from service.database.connections import Connection
from service.database.errors import OrganizationMissingError
from service.error_types import ErrorType
from service.errors import ErrorDetail, api_error
from service.handlers import audit
from service.http.budgets import reserve_unconditionally
from service.http.context import caller_of
from service.http.envelope import ApiResponse, success
from service.listing.properties import parse_timestamp
from service.organizations import keys
from service.organizations.scopes import NAMES, Scopes, require_all
from service.records.resource import Resource
from service.resources.scope_names import scope_problem
from service.schemas.validation import Validator


def _create_errors(body: audit.Body) -> Iterator[ErrorDetail]:
    """Yield the errors of scopes, and of an expiry that is no time in the future."""
    scopes = body.get("scopes")
    for index, text in enumerate(scopes if isinstance(scopes, list) else ()):
        if isinstance(text, str) and text and (problem := scope_problem(text)):
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("scopes", index), problem)
    expires_at = body.get("expiresAt")
    if isinstance(expires_at, str):
        try:
            if parse_timestamp(expires_at) <= datetime.now(UTC):
                raise ValueError("Use a time in the future.")
        except ValueError as error:
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("expiresAt",), str(error))


_TOO_LATE: Final = "Use a time that is not after that of the key that creates it."
_OUTLASTS: Final = "This key lasts longer than the one that rotates it."
_CREATE: Final = Validator("keys", "create", _create_errors)
_ROTATE: Final = Validator("keys", "rotate")


async def add(resource: Resource, request: web.Request, raw: bytes) -> ApiResponse:
    """Create a key; the response, 201, and its replays by the Idempotency-Key have it."""

    async def work(connection: Connection, _: list[int], body: audit.Body) -> audit.Audited:
        caller, text = caller_of(request), body.get("expiresAt")
        own = await keys.expiries(connection, caller.organization_id, caller.key_id)
        latest = own.get(caller.key_id)
        expires_at = parse_timestamp(text) if text else latest
        if latest and expires_at and expires_at > latest:
            raise api_error(ErrorType.INVALID_VALUE, "expiresAt", message=_TOO_LATE)
        created = await keys.create(
            connection,
            caller.organization_id,
            audit.actor_of(request),
            name=body["name"],
            scopes=body["scopes"],
            source=body.get("source"),
            expires_at=expires_at,
        )
        if created is None:
            raise OrganizationMissingError
        key, key_id, event = created
        document = await audit.document_of(resource, request, connection, key_id)
        headers = {"Location": f"{request.path}/{key_id}"}
        return success(_with_key(document, key), created=True, headers=headers), event

    return await _write(resource, request, work, raw, _CREATE)


async def rotate(resource: Resource, request: web.Request, raw: bytes) -> ApiResponse:
    """Give a key a new secret; this response and its replays have the key."""

    async def work(connection: Connection, path: list[int], body: audit.Body) -> audit.Audited:
        document = await _locked(resource, request, connection, path[0])
        seconds, caller = body.get("overlapSeconds"), caller_of(request)
        ids = (path[0], caller.key_id)
        expiries = await keys.expiries(connection, caller.organization_id, *ids)
        rotated, latest = map(expiries.get, ids)
        if latest and (rotated is None or rotated > latest):
            raise api_error(ErrorType.INVALID_VALUE, "expiresAt", message=_OUTLASTS)
        key, event = await keys.rotate(connection, caller.organization_id, path[0], seconds)
        return success(_with_key(document, key)), event

    return await _write(resource, request, work, raw, _ROTATE)


async def remove(resource: Resource, request: web.Request) -> ApiResponse:
    """Delete a key for good; return it as it was."""

    async def work(connection: Connection, path: list[int], _: audit.Body) -> audit.Audited:
        document = await _locked(resource, request, connection, path[0])
        event = await keys.delete(connection, caller_of(request).organization_id, path[0])
        return success(document), event

    return await _write(resource, request, work)


async def _write(
    resource: Resource,
    request: web.Request,
    work: Callable[[Connection, list[int], audit.Body], Awaitable[audit.Audited]],
    raw: bytes = b"",
    validator: Validator | None = None,
) -> ApiResponse:
    """Check a request, with its body if there is a validator, and run its work in a transaction."""
    path, idempotency, body = audit.read_administration(resource, request, raw, validator)
    _require_scopes(request, body.get("scopes", ()))
    response = await audit.run_audited(
        request, idempotency, lambda connection: work(connection, path, body)
    )
    reserve_unconditionally(request, len(response.body))
    return response


async def _locked(
    resource: Resource, request: web.Request, connection: Connection, key_id: int
) -> bytes:
    """Lock and return a key; raise ApiError ``not_found``, or ``forbidden.scope``."""
    scopes = await keys.lock(connection, caller_of(request).organization_id, key_id)
    if scopes is None:
        raise api_error(ErrorType.NOT_FOUND, "id")
    _require_scopes(request, scopes)
    return await audit.document_of(resource, request, connection, key_id)


def _require_scopes(request: web.Request, scopes: Sequence[str]) -> None:
    """Raise ApiError ``forbidden.scope`` with the scopes that the caller has not itself."""
    needed = ((NAMES.get(text, text), ("scopes", n)) for n, text in enumerate(scopes))
    require_all(caller_of(request).scopes, needed, Scopes.includes)


def _with_key(document: bytes, key: str) -> bytes:
    return b'%b, "key":"%b"}' % (document[:-1], key.encode())
