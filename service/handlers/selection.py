"""Selected fields: documents with some of their members (contract, Selected fields).

The members are copied from the JSON text instead of being serialized again, so they keep their
bytes and their order.
"""

import json
from collections.abc import Collection, Iterator
from typing import Final

from aiohttp import web

from service.http.body_scheduler import BODY_SCHEDULER
from service.http.context import caller_of

SCHEDULED_BYTES: Final = 64 * 1024
"""Minimum size of documents that wait for the body scheduler: they take 1 ms of the event loop."""
_scan: Final = json.JSONDecoder().raw_decode
_SEPARATORS: Final = " \t\n\r,:"


async def selected(request: web.Request, documents: bytes, names: Collection[str]) -> bytes:
    """Return documents, joined by commas, with the named members only; () returns them unchanged.

    The members are those of a document's first level; if a document is a list, of its entries. A
    name that a document lacks is ignored. Documents of SCHEDULED_BYTES or more together wait for
    the body scheduler first, because they block the event loop as large bodies do.
    """
    if not names:
        return documents
    if len(documents) >= SCHEDULED_BYTES:
        await request.app[BODY_SCHEDULER].enter(caller_of(request).organization_id)
    return ",".join(_reduced(documents.decode(), frozenset(names))).encode()


def _reduced(text: str, names: frozenset[str]) -> Iterator[str]:
    """Yield each object or list of a text, reduced to the named members.

    Raise ValueError for another value.
    """
    index = _next(text, 0)
    while index < len(text):
        if text[index] == "{":
            members, index = _members(text, index + 1, names)
            yield f"{{{','.join(members)}}}"
        elif text[index] == "[":
            _, end = _scan(text, index)
            yield f"[{','.join(_reduced(text[index + 1 : end - 1], names))}]"
            index = end
        else:
            raise ValueError("neither object nor list")
        index = _next(text, index)


def _members(text: str, index: int, names: frozenset[str]) -> tuple[list[str], int]:
    """Return the texts of an object's named members, and the index behind the object.

    ``index`` is behind the opening brace.
    """
    members, index = list[str](), _next(text, index)
    while text[index] != "}":
        name, end = _scan(text, index)
        _, value_end = _scan(text, _next(text, end))
        if name in names:
            members.append(text[index:value_end])
        index = _next(text, value_end)
    return members, index + 1


def _next(text: str, index: int) -> int:
    """Return ``index``, or the index of the next character after it that is no separator."""
    while index < len(text) and text[index] in _SEPARATORS:
        index += 1
    return index
