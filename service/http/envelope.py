"""Response envelopes and entity tags (contract, Envelope, Preconditions; RFC 9457, RFC 9110).

Documents are joined as bytes, never parsed and never checked: callers pass valid JSON. The
middleware chooses one of three forms for an error: ``failure``, ``problem`` or
``problem_with_details``.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from http import HTTPStatus
from typing import Any, Final, TypeAlias, TypeVar

import orjson
from aiohttp import HttpVersion11, web
from aiohttp.helpers import rfc822_formatted_time
from xxhash import xxh3_128_hexdigest

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http.budgets import reserve
from service.http.headers import JSON, PROBLEM

_STATUS_LINES: Final = {
    int(status): f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus
}
_WITHOUT_LENGTH: Final = frozenset({204, 304})


@dataclass(slots=True)
class ApiResponse:
    """Response of a handler, which negotiation and middleware change, and the sender sends.

    It takes the place of aiohttp's, whose server calls ``prepare`` and ``write_eof``, and reads
    ``keep_alive``.
    """

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    """By exact names, such as ``ETag``. Without ``Content-Type`` the body is JSON."""
    keep_alive: bool = True
    """Whether the connection stays open, if the request allows it."""
    is_sent: bool = False

    @property
    def content_length(self) -> int | None:
        """Return the number of bytes of the body, None if it is generated while it is sent."""
        return len(self.body)

    def head(self, request: web.BaseRequest) -> bytes:
        """Return the status line and all headers, once, right before they are sent.

        Raise ValueError for a header that would break its line.
        """
        self.is_sent = True
        headers, length = self.headers, self.content_length
        if self.body:
            headers.setdefault("Content-Type", JSON)
        if length is not None and self.status not in _WITHOUT_LENGTH:
            headers["Content-Length"] = str(length)
        headers["Date"] = rfc822_formatted_time()
        self._set_connection(request)
        values = "".join(headers.values())
        if "\r" in values or "\n" in values or "\0" in values:
            raise ValueError("a header has a line break or a null byte")
        lines = "\r\n".join(map(": ".join, headers.items()))
        return f"{_STATUS_LINES[self.status]}{lines}\r\n\r\n".encode()

    def _set_connection(self, request: web.BaseRequest) -> None:
        if not self.keep_alive or not request.keep_alive:
            self.keep_alive = False
            self.headers["Connection"] = "close"
        elif request.version is not HttpVersion11:
            self.headers["Connection"] = "keep-alive"

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send the response in one write, unless it is sent; to HEAD send no body."""
        if not self.is_sent:
            data = self.head(request)
            await request.writer.write_eof(data if request.method == "HEAD" else data + self.body)

    async def write_eof(self) -> None:
        """Do nothing, as ``prepare`` has sent everything."""


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


def failure(error: ApiError) -> ApiResponse:
    """Return the error in the envelope, with the error's status and headers."""
    return ApiResponse(error.status, orjson.dumps(error.body()), {**error.headers})


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


Check: TypeAlias = Callable[[AsyncIterator[bytes]], Awaitable[None]]
"""Takes the representations of a stored record; raises ApiError if it may not be written."""

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_ELEMENT = re.compile(rf"[ \t]*(?:{_TAG.pattern})?[ \t]*(?:,|\Z)")
"""Element of a list of entity tags, which may be empty (RFC 9110, 5.6.1.2)."""
_CODING = re.compile(r'-(?:gzip|deflate)"$')


class _EveryTag(frozenset[str]):
    """All entity tags, which ``*`` names."""

    def __contains__(self, tag: object) -> bool:
        return True


_EVERY_TAG: Final = _EveryTag({"*"})


def etag(data: bytes) -> str:
    """Return the strong entity tag of the bytes of a representation.

    A fast hash is enough, for a collision gains an attacker nothing. SHA-256 would add 5 % to the
    time of a list page.
    """
    return f'"{xxh3_128_hexdigest(data)}"'


def with_coding(tag: str, coding: str) -> str:
    """Return the tag of the compressed representation, such as ``"x-gzip"`` (RFC 9110, 8.8.3.3)."""
    return f'{tag[:-1]}-{coding}"'


def precondition(if_match: str | None, if_none_match: str | None) -> Check | None:
    """Return the check of a write's precondition; None if there is none.

    The check takes the representations of the stored record, the document first. It raises ApiError
    ``precondition_failed``, with the document's tag, unless ``If-Match`` names one of them (or is
    absent) and ``If-None-Match`` names none; ``*`` names all. Tags match in any content coding.
    Weak tags never match an ``If-Match`` (RFC 9110, 13.1). Without a stored record only
    ``If-Match`` fails, and the error has no tag. An ``If-None-Match`` without a valid tag counts as
    absent; a malformed ``If-Match`` names none.
    """
    excluded = frozenset[str]()
    if if_none_match is not None:
        listed = _TAG.findall(if_none_match)
        excluded = _EVERY_TAG if _is_any(if_none_match) else _tags(listed)
    if if_match is None and not excluded:
        return None
    return partial(_check, if_match, excluded)


def item_precondition(if_match: str) -> Check:
    """Return the check of the precondition of an item, whose ``ifMatch`` is one tag or ``*``."""
    return partial(_check, if_match, frozenset())


async def _check(
    if_match: str | None, excluded: frozenset[str], representations: AsyncIterator[bytes]
) -> None:
    """Check both headers; ``excluded`` has the tags of ``If-None-Match``."""
    required = frozenset() if if_match is None else _required(if_match)
    document_tag, is_met = "", if_match is None
    async for representation in representations:
        tag = etag(representation)
        document_tag = document_tag or tag
        if tag in excluded:
            raise _precondition_failed(document_tag)
        is_met = is_met or tag in required
        if is_met and not excluded:
            return
    if not is_met:
        raise _precondition_failed(document_tag, _advice(document_tag, if_match))


def _required(if_match: str) -> frozenset[str]:
    """Return the tags that ``If-Match`` names; weak ones match nothing."""
    if _is_any(if_match):
        return _EVERY_TAG
    return _tags(tag for tag in _listed(if_match) if not tag[0])


def names_tag(header: str | None, tag: str) -> bool:
    """Return whether ``If-None-Match`` names the tag or is ``*``: the client's copy is current.

    The header's tags may be weak. ``tag`` is strong, and its coding counts. Return False for None.
    """
    if header is None:
        return False
    return _is_any(header) or any(listed == tag for _, listed in _TAG.findall(header))


def _is_any(header: str) -> bool:
    return header.strip() == "*"


def _listed(header: str) -> list[tuple[str, str]]:
    """Return the tags of a list, with ``W/`` or "" before each; [] if the list is malformed."""
    tags, position = list[tuple[str, str]](), 0
    while position < len(header):
        element = _ELEMENT.match(header, position)
        if element is None:
            return []
        if element[2]:
            tags.append((element[1] or "", element[2]))
        position = element.end()
    return tags


def _tags(listed: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the tags of a list, weak ones, too, without their codings."""
    return frozenset(_CODING.sub('"', tag) for _, tag in listed)


def _precondition_failed(tag: str, message: str | None = None) -> ApiError:
    """Return the error for a record with a tag, or ""."""
    headers = {"ETag": tag} if tag else {}
    return api_error(ErrorType.PRECONDITION_FAILED, message=message, headers=headers)


def _advice(tag: str, if_match: str | None) -> str | None:
    """Return how to send an ``If-Match`` that can name no record; None if it names some."""
    if if_match is None or _is_any(if_match):
        return None
    listed = _listed(if_match)
    if not listed:
        own = f": {tag}." if tag else "."
        return f"Send the entity tag as it was received, with its quotation marks{own}"
    if all(is_weak for is_weak, _ in listed):
        return "Send the entity tag without W/: a weak one matches no record."
    return None


_R = TypeVar("_R")
_Read: TypeAlias = Callable[[_R, web.Request], Awaitable[ApiResponse]]


def tagged(read: _Read[_R]) -> _Read[_R]:
    """Return a handler that returns the response of ``read`` with an entity tag.

    The tag is that of the whole body, the envelope included, unless ``read`` has set one. The
    handler raises ApiError ``too_many_requests`` if the response exceeds the byte budget. Content
    negotiation, which compares the tag with ``If-None-Match``, follows in the middleware.
    """

    @wraps(read)
    async def handler(resource: _R, request: web.Request) -> ApiResponse:
        response = await read(resource, request)
        reserve(request, len(response.body))
        if "ETag" not in response.headers:
            response.headers["ETag"] = etag(response.body)
        return response

    return handler
