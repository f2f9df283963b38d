"""Response envelopes: JSON bytes as a success, and errors (contract, Envelope; RFC 9457).

Documents are joined as bytes, never parsed and never checked: callers pass valid JSON. The
middleware chooses one of three forms for an error: ``failure``, ``problem`` or
``problem_with_details``.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from aiohttp import hdrs, web

from service.errors import ApiError
from service.http.api_response import ApiResponse
from service.http.media_types import JSON, PROBLEM

NOT_SHARED = "private, no-cache"
"""``Cache-Control`` of responses, except those of routes without an API key (RFC 9111, 5.2.2)."""
_BEFORE_CODE = b'{"status":"success","code":"'
_BEFORE_DATA = b'","data":'


def success(
    *data: bytes,
    created: bool = False,
    pagination: bytes = b"",
    headers: dict[str, str] | None = None,
    partial: bool = False,
) -> ApiResponse:
    """Return the success envelope; the parts of ``data`` are joined to one JSON value.

    The status is 201 with ``created``, else 200. The code is ``partial`` if some items failed, else
    ``created`` or ``ok``. ``pagination`` is a result of the function of this name, or empty. All
    bytes are joined in one step, for each copy of a long response takes time.
    """
    code = b"partial" if partial else b"created" if created else b"ok"
    body = b"".join((_BEFORE_CODE, code, _BEFORE_DATA, *data, pagination, b"}"))
    return ApiResponse(201 if created else 200, body, headers or {})


def success_list(
    documents: bytes,
    *,
    created: bool = False,
    pagination: bytes = b"",
    headers: dict[str, str] | None = None,
) -> ApiResponse:
    """Return the success envelope around a list of documents, which commas join; b"" for none."""
    return success(b"[", documents, b"]", created=created, pagination=pagination, headers=headers)


def pagination(cursor: str | None, *, has_more: bool = True) -> bytes:
    """Return a comma and the member ``pagination``, for ``success``.

    Without a cursor there are no more pages, whatever ``has_more`` is. The change feed has a cursor
    even if there are no more pages. The cursor is not escaped: it is base64url.
    """
    if cursor is None:
        return b',"pagination":{"hasMore":false}'
    more = b"true" if has_more else b"false"
    return b',"pagination":{"hasMore":%b,"cursor":"%b"}' % (more, cursor.encode())


def respond(response: ApiResponse) -> web.Response:
    """Return the response as one of aiohttp, as JSON unless its ``Content-Type`` says otherwise."""
    headers = {hdrs.CONTENT_TYPE: JSON, **response.headers}
    return web.Response(body=response.body, status=response.status, headers=headers)


def failure(error: ApiError) -> ApiResponse:
    """Return the error in the envelope, with the error's status and headers."""
    return ApiResponse(error.status, orjson.dumps(error.body()), error.headers)


def problem(error: ApiError) -> ApiResponse:
    """Return the error as problem details, with the standard members only (RFC 9457)."""
    return _problem(error, {})


def problem_with_details(error: ApiError) -> ApiResponse:
    """Return the error as problem details, with the members of the error envelope as well.

    The envelope's ``error.details`` are the member ``errors``.
    """
    body = error.body()
    members = dict(body["error"])
    return _problem(error, {"code": body["code"], "errors": members.pop("details"), **members})


def _problem(error: ApiError, members: Mapping[str, Any]) -> ApiResponse:
    """Return problem details whose ``detail`` is the first error's message, and further members."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(error.status).phrase,
        "status": error.status,
        "detail": error.details[0].value,
        **members,
    }
    headers = {"Content-Type": PROBLEM, **error.headers}
    return ApiResponse(error.status, orjson.dumps(body), headers)
