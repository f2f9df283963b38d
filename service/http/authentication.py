"""Bearer token authentication of requests, by API key (contract, Callers)."""

from typing import Final

from aiohttp import hdrs, web

from service.error_types import ErrorType
from service.errors import api_error
from service.http.context import CALLER, CALLERS
from service.organizations.caller import Caller

_CHALLENGE: Final = "Bearer"
"""Challenge to a request without a key (RFC 6750, 3)."""
_INVALID: Final = 'Bearer error="invalid_token"'
"""Challenge to a request whose key is not valid."""
NO_SCOPE: Final = 'Bearer error="insufficient_scope", scope="write"'
"""Challenge to a write with a key that may only read; the middleware sends it."""


async def authenticate(request: web.Request, *, again: bool = False) -> Caller:
    """Return the caller and set it on the request as CALLER.

    Raise ApiError ``unauthorized`` without exactly one ``Authorization`` header with a valid key.
    Its ``WWW-Authenticate`` has the challenge. Raise ApiError of 429 or 503 if
    the key must be looked up and no result comes, as while the database is unreachable.

    ``again`` is for requests that have waited since their first authentication. It bypasses the
    cache of callers, because the key may have been revoked or changed meanwhile.
    """
    credentials = request.headers.getall(hdrs.AUTHORIZATION, ())
    scheme, _, key = credentials[0].partition(" ") if credentials else ("", "", "")
    caller = None
    # A proxy and the service could each take another one of two Authorization headers.
    if scheme.lower() == "bearer" and len(credentials) == 1:
        caller = await request.app[CALLERS].find(key.strip(), fresh=again)
    if caller is None:
        message = None
        if key.lower().startswith("bearer"):
            message = "The word Bearer stands before the key twice; send it once."
        challenge = _INVALID if scheme.lower() == "bearer" and key.strip() else _CHALLENGE
        headers = {"WWW-Authenticate": challenge}
        raise api_error(ErrorType.UNAUTHORIZED, message=message, headers=headers)
    request[CALLER] = caller
    return caller
