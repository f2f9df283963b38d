"""Malformed requests as bytes: valid ones that were changed, and bytes that are no request.

No change makes a request that could write anything.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from multidict import CIMultiDict

from service.routes import Route
from tests.support.api import Answer, Api
from tests.support.openapi_validation import is_failure
from tests.support.time_limits import limit, scaled

_PATIENCE: Final = 10
"""Maximum time of all responses, in seconds."""
_BRIEFLY: Final = 0.25
"""Maximum time if there may be no response, as to requests that are cut off."""
_SECRETS: Final = (b"aiohttp", b"python", b"traceback", b"gunicorn")
_CONTROLS: Final = bytes([*range(9), *range(10, 32), 127])
ANY: Final = frozenset({200, 400, 401, 404, 405, 408, 411, 413, 414, 415, 417, 431, 501})

Change: TypeAlias = Callable[[list[bytes], Random], tuple[list[bytes], bytes]]
"""Function of a request's lines that returns changed lines, and the bytes after them."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes that an organization sends, and the statuses that responses may have."""

    route: Route
    organization: int
    kind: str
    sent: bytes
    expected: frozenset[int]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kind of fault, as other cases do."""
        return (self.kind,)


def _byte_changed(lines: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
    text = bytearray(b"\r\n".join(lines))
    for _ in range(random.choice([1, 1, 2, 5])):
        text[random.randrange(len(text))] = random.randrange(256)
    return [bytes(text)], b""


def _cut(lines: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
    text = b"\r\n".join(lines)
    return [text[: random.randrange(1, len(text))]], b""


def _nonsense(_: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
    return [random.randbytes(random.randrange(1, 200)) + b" "], b""


def _method(lines: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
    name = random.choice([b"BREW", b"FOO", b"get", b"Post", b"X-1", b"GETT"])
    return [name + b" " + lines[0].partition(b" ")[2], *lines[1:]], b""


def _version(lines: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
    name = random.choice([b"HTTP/2.0", b"HTTP/3.0", b"HTTP/1.9", b"http/1.1", b"HTTP", b"FTP/1.1"])
    return [lines[0].rpartition(b" ")[0] + b" " + name, *lines[1:]], b""


def _field(*wrong: bytes) -> Change:
    """Return a change that adds one of these headers."""

    def change(lines: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
        index = random.randint(1, len(lines))
        return [*lines[:index], random.choice(wrong), *lines[index:]], b""

    return change


def _control(lines: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
    name = random.choice([c for c in _CONTROLS if c not in b"\r\n"])
    return _field(b"X-A: a%cb" % name, b"X%c: a" % name)(lines, random)


def _repeated(name: bytes) -> Change:
    """Return a change that repeats a header."""

    def change(lines: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
        line = next(line for line in lines if line.startswith(name))
        other = random.choice([line, name + b": x"])
        return _field(other)(lines, random)

    return change


def _missing_host(lines: list[bytes], _: Random) -> tuple[list[bytes], bytes]:
    return [line for line in lines if not line.startswith(b"Host")], b""


def _chunked(*chunks: bytes, coding: bytes = b"chunked") -> Change:
    """Return a change that sends one of these bodies, in chunks that may be malformed."""

    def change(lines: list[bytes], random: Random) -> tuple[list[bytes], bytes]:
        request_line = b"POST /api/groups HTTP/1.1"
        others = [line for line in lines[1:] if not line.startswith(b"Content-Length")]
        return [request_line, *others, b"Transfer-Encoding: " + coding], random.choice(chunks)

    return change


KINDS: Final[dict[str, tuple[Change, frozenset[int]]]] = {
    "a byte changed": (_byte_changed, ANY),
    "cut off": (_cut, ANY),
    "no HTTP": (_nonsense, frozenset({400, 501})),
    "unknown method": (_method, frozenset({501})),
    "unknown version": (_version, frozenset({400})),
    "control character": (_control, frozenset({400})),
    "header that is none": (
        _field(b"no header", b": nameless", b"X-A : spaced", b"X\xe9A: x", b"X-A: a\0b"),
        frozenset({400}),
    ),
    "key twice": (_repeated(b"Authorization"), frozenset({401})),
    "host twice": (_repeated(b"Host"), frozenset({400})),
    "no host": (_missing_host, frozenset({400})),
    "length twice": (
        _field(b"Content-Length: 0\r\nContent-Length: 2", b"Content-Length: 1, 2"),
        frozenset({400}),
    ),
    "length that is none": (
        _field(b"Content-Length: -1", b"Content-Length: x", b"Content-Length: 9" + b"9" * 30),
        frozenset({400}),
    ),
    "unknown transfer coding": (
        _chunked(b"2\r\n{}\r\n0\r\n\r\n", coding=b"gzip, chunked"),
        frozenset({501}),
    ),
    "body without an end": (_chunked(b"{}", coding=b"gzip"), frozenset({400})),
    "chunks that break": (
        _chunked(
            b"x\r\n{}\r\n", b"2\r\n{}}\r\n", b"-1\r\n", b"2;\0\r\n{}", b"fffffffffffffffff\r\n"
        ),
        frozenset({400}),
    ),
    "unknown expectation": (_field(b"Expect: a-miracle"), frozenset({417})),
}


def made(route: Route, api: Api, organization: int, random: Random) -> Raw:
    """Return a request with one fault, that reads or would be refused because of its body."""
    target = route.path.partition("/{")[0]
    lines = [
        f"GET {target} HTTP/1.1".encode(),
        b"Host: here",
        f"Authorization: Bearer {api.key}".encode(),
        b"Connection: close",
        b"Accept: application/json",
    ]
    kind = random.choice([*KINDS])
    change, expected = KINDS[kind]
    if kind in ("length twice", "length that is none"):
        lines[0] = lines[0].replace(b"GET", b"POST")
    changed, rest = change(lines, random)
    end = b"" if kind == "cut off" else b"\r\n\r\n"
    return Raw(route, organization, kind, b"\r\n".join(changed) + end + rest, expected)


async def send(api: Api, case: Raw) -> None:
    """Send a request; raise AssertionError if a response is wrong."""
    server = api.client.server
    reader, writer = await asyncio.open_connection(server.host, server.port)
    received = bytearray()
    try:
        writer.write(case.sent)
        async with asyncio.timeout(scaled(_BRIEFLY) if case.expected is ANY else limit(_PATIENCE)):
            while part := await reader.read(2**16):
                received += part
    except (TimeoutError, ConnectionError):
        pass  # nothing more came
    finally:
        writer.close()
    for answer in _answers(bytes(received)):
        _judge(answer, api.key, case, bytes(received))
    if case.expected is not ANY:
        assert received, _shown(case, b"")


def _answers(received: bytes) -> Iterator[Answer]:
    """Yield the responses in the bytes that were received."""
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        line, *fields = head.decode().split("\r\n")
        parted = [field.partition(":") for field in fields]
        headers = CIMultiDict([(name, text.strip()) for name, _, text in parted])
        size = int(headers.get("Content-Length", "0"))
        yield Answer(int(line.split()[1]), headers, rest[:size])
        received = rest[size:]


def _judge(answer: Answer, key: str, case: Raw, received: bytes) -> None:
    assert answer.status in case.expected, _shown(case, received)
    if answer.status == 200:
        return
    is_failure(answer, answer.status, answer.json["code"])
    texts: Sequence[Any] = (*answer.headers.values(), answer.raw.decode())
    low = " ".join(texts).lower().encode()
    assert not [word for word in (*_SECRETS, key.encode()) if word in low], _shown(case, received)


def _shown(case: Raw, received: bytes) -> str:
    lines = (
        f"{case.kind}:",
        f"{case.sent[:1500]!r}",
        f"expected {[*case.expected]}",
        f"received {received[:800]!r}",
    )
    return "\n".join(lines)
