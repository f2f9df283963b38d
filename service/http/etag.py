"""Entity tags over the bytes of ``data``, and the preconditions that name them (RFC 9110, 13)."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable

from xxhash import xxh3_128_hexdigest

from service.error_types import ErrorType
from service.errors import ApiError, api_error

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_CODING = re.compile(r'-(?:gzip|deflate)"$')


def etag(data: bytes) -> str:
    """The strong entity tag of a document, or of a page of them.

    Nobody gains by two with one tag, so a quick digest does: SHA-256 takes a twentieth of the time
    that a page of a list takes as a whole.
    """
    return f'"{xxh3_128_hexdigest(data)}"'


def of_coding(tag: str, coding: str) -> str:
    """The tag of what is compressed so (RFC 9110, 8.8.3.3)."""
    return f'{tag[:-1]}-{coding}"'


def precondition(
    if_match: str | None, if_none_match: str | None
) -> Callable[[AsyncIterator[bytes]], Awaitable[None]] | None:
    """What looks whether a record that is there may be written; None where any may.

    It takes the record's forms, the document first, and raises ApiError ``precondition_failed``,
    with the document's tag, unless one of them is named by ``If-Match`` and none by
    ``If-None-Match``; ``*`` names all. In which coding the caller has read it does not matter. Weak
    tags never match an ``If-Match`` (RFC 9110, 13.1).
    """
    wanted = None if if_match is None or _is_any(if_match) else _tags(if_match, weak=False)
    if if_none_match is not None and _is_any(if_none_match):
        return _never
    unwanted = frozenset() if if_none_match is None else _tags(if_none_match, weak=True)
    if wanted is None and not unwanted:
        return None

    async def check(forms: AsyncIterator[bytes]) -> None:
        first, found = "", wanted is None
        async for form in forms:
            tag = etag(form)
            first = first or tag
            if tag in unwanted:
                raise _changed(first)
            found = found or (wanted is not None and tag in wanted)
            if found and not unwanted:
                return
        if not found:
            raise _changed(first)

    return check


def is_known(header: str | None, tag: str) -> bool:
    """Whether ``If-None-Match`` says that the caller has this representation already."""
    if header is None:
        return False
    return _is_any(header) or any(known == tag for _, known in _TAG.findall(header))


def _is_any(header: str) -> bool:
    return header.strip() == "*"


def _tags(header: str, *, weak: bool) -> frozenset[str]:
    """The tags that a header names, as they are without a coding; weak ones only if asked for."""
    found = _TAG.findall(header)
    return frozenset(_CODING.sub('"', tag) for is_weak, tag in found if weak or not is_weak)


async def _never(forms: AsyncIterator[bytes]) -> None:
    async for form in forms:
        raise _changed(etag(form))


def _changed(tag: str) -> ApiError:
    message = "The record has changed since it was read."
    return api_error(ErrorType.PRECONDITION_FAILED, message=message, headers={"ETag": tag})
