"""Entity tags, and the preconditions ``If-Match`` and ``If-None-Match`` (RFC 9110, 8.8.3, 13)."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TypeAlias

from xxhash import xxh3_128_hexdigest

from service.error_types import ErrorType
from service.errors import ApiError, api_error

Check: TypeAlias = Callable[[AsyncIterator[bytes]], Awaitable[None]]
"""Takes the representations of a stored record; raises ApiError if it may not be written."""

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')
_CODING = re.compile(r'-(?:gzip|deflate)"$')


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
    absent; an ``If-Match`` without one names none.
    """
    excluded: frozenset[str] | None = frozenset()
    if if_none_match is not None:
        excluded = None if _is_any(if_none_match) else _tags(if_none_match, weak=True)
    if if_match is None and excluded == frozenset():
        return None
    return partial(_check, if_match, excluded)


def item_precondition(if_match: str) -> Check:
    """Return the check of the precondition of an item, whose ``ifMatch`` is one tag or ``*``."""
    return partial(_check, if_match, frozenset())


async def _check(
    if_match: str | None, excluded: frozenset[str] | None, representations: AsyncIterator[bytes]
) -> None:
    """Check both headers; ``excluded`` has the tags of ``If-None-Match``, None for all tags."""
    required = None if if_match is None or _is_any(if_match) else _tags(if_match, weak=False)
    document_tag, is_met = "", required is None
    async for representation in representations:
        tag = etag(representation)
        document_tag = document_tag or tag
        if excluded is None or tag in excluded:
            raise _precondition_failed(document_tag)
        is_met = is_met or (required is not None and tag in required)
        if is_met and not excluded:
            return
    if not is_met or (if_match is not None and not document_tag):
        raise _precondition_failed(document_tag)


def names_tag(header: str | None, tag: str) -> bool:
    """Return whether ``If-None-Match`` names the tag or is ``*``: the client's copy is current.

    The header's tags may be weak. ``tag`` is strong, and its coding counts. Return False for None.
    """
    if header is None:
        return False
    return _is_any(header) or any(listed == tag for _, listed in _TAG.findall(header))


def _is_any(header: str) -> bool:
    return header.strip() == "*"


def _tags(header: str, *, weak: bool) -> frozenset[str]:
    """Return the tags that a header names, without their codings; weak tags only with ``weak``."""
    tags = _TAG.findall(header)
    return frozenset(_CODING.sub('"', tag) for is_weak, tag in tags if weak or not is_weak)


def _precondition_failed(tag: str) -> ApiError:
    headers = {"ETag": tag} if tag else {}
    return api_error(ErrorType.PRECONDITION_FAILED, headers=headers)
