"""Selected fields: documents with some of their members (contract, Selected fields).

The members are cut out of the JSON text, not parsed and written anew, so numbers keep their digits.
"""

import json
from collections.abc import Collection, Iterator
from typing import Final

from aiohttp import web

from service.http.body_scheduler import BODY_SCHEDULER
from service.http.context import caller_of

SCHEDULED_BYTES: Final = 64 * 1024
"""Bytes of documents that go through the body scheduler: a millisecond of the event loop."""
_scan: Final = json.JSONDecoder().raw_decode
_SEPARATORS: Final = " ,:"


async def selected(request: web.Request, documents: bytes, names: Collection[str]) -> bytes:
    """Return documents, joined by commas, with the named members only; () selects all.

    If a document is a list, its entries are reduced. Long documents go through the body scheduler,
    because they block the event loop as long bodies do.
    """
    if not names:
        return documents
    if len(documents) >= SCHEDULED_BYTES:
        await request.app[BODY_SCHEDULER].enter(caller_of(request).organization_id)
    return ",".join(_reduced(documents.decode(), frozenset(names))).encode()


def _reduced(text: str, names: frozenset[str]) -> Iterator[str]:
    """Yield each document of a text, reduced to its named members."""
    index = 0
    while index < len(text):
        if text[index] == "{":
            members, index = _members(text, index + 1, names)
            yield f"{{{','.join(members)}}}"
        elif text[index] == "[":
            _, end = _scan(text, index)
            yield f"[{','.join(_reduced(text[index + 1 : end - 1], names))}]"
            index = end
        index = _next(text, index)


def _members(text: str, index: int, names: frozenset[str]) -> tuple[list[str], int]:
    """Return the texts of an object's named members, and the index behind the object."""
    members, index = list[str](), _next(text, index)
    while text[index] != "}":
        name, end = _scan(text, index)
        _, value_end = _scan(text, _next(text, end))
        if name in names:
            members.append(text[index:value_end])
        index = _next(text, value_end)
    return members, index + 1


def _next(text: str, index: int) -> int:
    """Return the index of the next character that is no separator."""
    while index < len(text) and text[index] in _SEPARATORS:
        index += 1
    return index
