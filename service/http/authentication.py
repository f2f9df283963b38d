"""Authentication by API key: at the start of a request, and again after a long wait."""

from aiohttp import hdrs, web

from service.error_types import ErrorType
from service.errors import api_error
from service.http.context import CALLER, CALLERS
from service.http.unauthorized import UNAUTHORIZED
from service.organizations.caller import Caller


async def authenticate(request: web.Request, *, again: bool = False) -> Caller:
    """Find the caller and set it on the request; raise ``unauthorized`` without a valid key.

    `again` is for requests that have waited: the key may have been revoked or expired since. The
    caller then has the scope and the features of now.
    """
    presented = request.headers.getall(hdrs.AUTHORIZATION, ())
    kind, _, key = presented[0].partition(" ") if presented else ("", "", "")
    caller = None
    # Of two keys either could be meant, by us or by what stands before us.
    if kind.lower() == "bearer" and len(presented) == 1:
        caller = await request.app[CALLERS].find(key.strip(), fresh=again)
    if caller is None:
        if not again:
            await request.app[UNAUTHORIZED].delay()
        message = "Present a valid API key as a bearer token."
        if key.lower().startswith("bearer"):
            message = "The word Bearer stands before the key twice; send it once."
        raise api_error(
            ErrorType.UNAUTHORIZED, message=message, headers={"WWW-Authenticate": "Bearer"}
        )
    request[CALLER] = caller
    return caller
