"""Answers: the envelope around document bytes, which are never parsed (specification, Envelope)."""

import orjson
from aiohttp import web

from service.errors import ApiError

JSON = "application/json"
PROBLEM = "application/problem+json"
#: Below this many bytes compressing costs more than it saves.
COMPRESS_FROM = 1024


def success(
    data: bytes,
    *,
    created: bool = False,
    pagination: bytes = b"",
    headers: dict[str, str] | None = None,
) -> web.Response:
    """200 ``ok`` or 201 ``created`` around ``data``, which is JSON already."""
    code = b"created" if created else b"ok"
    body = b'{"status":"success","code":"%b","data":%b%b}' % (code, data, pagination)
    return web.Response(
        body=body, status=201 if created else 200, headers=headers, content_type=JSON
    )


def pagination(cursor: str | None) -> bytes:
    """The member that follows ``data`` in a list: the next page's cursor, if there is one."""
    if cursor is None:
        return b',"pagination":{"hasMore":false}'
    return b',"pagination":{"hasMore":true,"cursor":"%b"}' % cursor.encode()


def failure(error: ApiError) -> web.Response:
    """The error envelope, with the status that its rows call for."""
    return web.Response(
        body=orjson.dumps(error.body()),
        status=error.status,
        headers=error.headers,
        content_type=JSON,
    )


def problem(error: ApiError) -> web.Response:
    """The same failure as problem details (RFC 9457)."""
    first = error.rows[0]
    body = {
        "type": "about:blank",
        "title": web.Response(status=error.status).reason,
        "status": error.status,
        "detail": first.value or error.code,
    }
    return web.Response(
        body=orjson.dumps(body), status=error.status, headers=error.headers, content_type=PROBLEM
    )
