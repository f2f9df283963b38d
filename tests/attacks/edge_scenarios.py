"""Attacks on what comes before a handler: request lines, heads, headers, queries and paths."""

import asyncio
from itertools import repeat
from typing import Final

from benchmarks.load import Request
from tests.attacks.attacker import Attacker

_ANSWERS: Final = 6
_HEADS: Final = 24
_OPENAPI: Final = "/openapi.json"


async def quotes(attacker: Attacker) -> None:
    """Send lines whose parser message was searched from each of their quotation marks."""
    line = b"-" + b"b'" * attacker.some(24_000) + b" /x\r\n\r\n"
    await attacker.send(8, repeat(line))


async def behind(attacker: Attacker) -> None:
    """Send heads behind responses that nobody reads, longer than allowed and shorter."""
    answers = Request("GET", _OPENAPI).encoded() * _ANSWERS
    too_long, allowed = (answers + _head(number) * attacker.some(_HEADS) for number in (100, 7))
    await asyncio.gather(
        attacker.hold(attacker.some(30), too_long, takes=False),
        attacker.hold(attacker.some(30), allowed, takes=False),
    )


def _head(headers: int) -> bytes:
    lines = [f"X-{number}: {'x' * 8000}" for number in range(headers)]
    return Request("GET", _OPENAPI, headers=lines).encoded()


async def types(attacker: Attacker) -> None:
    """Send media types whose parameters were parsed as those of an e-mail."""
    content_type = "application/json" + ";" * attacker.some(8000)
    message = attacker.message("POST", "/api/colors", b"{}", content_type=content_type)
    await attacker.send(16, repeat(message))


async def parameters(attacker: Attacker) -> None:
    """Send parameters each of whose errors was located by a search of all parameters."""
    query = "&".join(f"p{number:x}" for number in range(attacker.some(5500)))
    await attacker.send(16, repeat(attacker.message("GET", f"/api/changes?{query}")))


async def slashes(attacker: Attacker) -> None:
    """Send paths of which the router looked up every prefix."""
    message = Request("GET", "/" * attacker.some(32_000)).encoded()
    await attacker.send(32, repeat(message))


EDGE: Final = (
    ("quotes", "8 request lines of 48 KB of quotation marks", quotes),
    ("behind", "60 callers that send long heads behind unread answers", behind),
    ("types", "16 callers with 8,000 semicolons in `Content-Type`", types),
    ("parameters", "16 callers with 5,500 unknown parameters", parameters),
    ("slashes", "32 callers with paths of 32,000 slashes", slashes),
)
"""Name, title and strike of each."""
