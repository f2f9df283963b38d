"""Tagged reads: handlers whose responses have an entity tag and count in the byte budget."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TypeAlias, TypeVar

from aiohttp import web

from service.http.api_response import ApiResponse
from service.http.byte_budget import reserve
from service.http.envelope import respond
from service.http.etag import etag

_R = TypeVar("_R")
_Read: TypeAlias = Callable[[_R, web.Request], Awaitable[ApiResponse]]
_Handler: TypeAlias = Callable[[_R, web.Request], Awaitable[web.Response]]


def tagged(read: _Read[_R]) -> _Handler[_R]:
    """Return a handler that returns the response of ``read`` with an entity tag.

    The tag is that of the whole body, the envelope included, unless ``read`` has set one. The
    handler raises ApiError ``too_many_requests`` if the response exceeds the byte budget. Content
    negotiation, which compares the tag with ``If-None-Match``, follows in the middleware.
    """

    @wraps(read)
    async def handler(resource: _R, request: web.Request) -> web.Response:
        response = await read(resource, request)
        reserve(request, len(response.body))
        if "ETag" not in response.headers:
            response.headers["ETag"] = etag(response.body)
        return respond(response)

    return handler
