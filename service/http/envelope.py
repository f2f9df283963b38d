"""Answers: the envelope around document bytes, which are never parsed (contract, Envelope)."""

import zlib
from functools import lru_cache
from http import HTTPStatus

import orjson
from aiohttp import hdrs, web

from service.errors import ApiError
from service.http.api_response import ApiResponse
from service.http.media_types import JSON, PROBLEM

#: Below this many bytes compressing costs more than it saves.
COMPRESS_FROM = 1024
NOT_SHARED = "private, no-cache"
"""The ``Cache-Control`` of what is for one organization, and as it is now (RFC 9111, 5.2.2)."""
#: How the library of both codings is told which one is meant.
_WINDOW_BITS = {web.ContentCoding.gzip: 31, web.ContentCoding.deflate: 15}
_BEFORE_CODE = b'{"status":"success","code":"'
_BEFORE_DATA = b'","data":'


def success(
    *data: bytes,
    created: bool = False,
    pagination: bytes = b"",
    headers: dict[str, str] | None = None,
    partial: bool = False,
) -> ApiResponse:
    """200 ``ok`` or 201 ``created`` around the parts of ``data``, which are JSON together.

    200 ``partial`` where only part of what was asked for was done. They are joined once: of long
    answers every further copy counts.
    """
    code = b"partial" if partial else b"created" if created else b"ok"
    body = b"".join((_BEFORE_CODE, code, _BEFORE_DATA, *data, pagination, b"}"))
    return ApiResponse(201 if created else 200, body, headers or {})


def many(documents: bytes, *, created: bool = False, pagination: bytes = b"") -> ApiResponse:
    """The same around documents that commas join."""
    return success(b"[", documents, b"]", created=created, pagination=pagination)


def pagination(cursor: str | None, *, has_more: bool = True) -> bytes:
    """The member that follows ``data`` in a list: the next page's cursor, if there is one.

    A cursor without more to come now is that of changes.
    """
    if cursor is None:
        return b',"pagination":{"hasMore":false}'
    more = b"true" if has_more else b"false"
    return b',"pagination":{"hasMore":%b,"cursor":"%b"}' % (more, cursor.encode())


def respond(answer: ApiResponse) -> web.Response:
    """The answer as HTTP."""
    headers = {hdrs.CONTENT_TYPE: JSON, **answer.headers}
    return web.Response(body=answer.body, status=answer.status, headers=headers)


def put_compressed(response: web.Response, body: bytes, coding: web.ContentCoding) -> None:
    """Make that body, compressed, the response's; what is given again is not compressed again."""
    response.body = _compressed(body, coding)
    response.headers["Content-Encoding"] = coding.value


@lru_cache(maxsize=64)
def _compressed(body: bytes, coding: web.ContentCoding) -> bytes:
    return zlib.compress(body, wbits=_WINDOW_BITS[coding])


def failure(error: ApiError) -> ApiResponse:
    """The error envelope, with the status that its rows call for."""
    return ApiResponse(error.status, orjson.dumps(error.body()), error.headers)


def problem(error: ApiError) -> ApiResponse:
    """The same failure as problem details (RFC 9457)."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(error.status).phrase,
        "status": error.status,
        "detail": error.details[0].message,
    }
    headers = {"Content-Type": PROBLEM, **error.headers}
    return ApiResponse(error.status, orjson.dumps(body), headers)
