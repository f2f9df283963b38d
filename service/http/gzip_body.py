"""Compressed request bodies: gzip (RFC 1952), unpacked to at most MAX_BODY_BYTES."""

import zlib
from typing import Final

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.limits import MAX_BODY_BYTES

CODINGS: Final = frozenset({"gzip", "x-gzip"})
"""Values of ``Content-Encoding`` that mean gzip."""
HEADER: Final = "Content-Encoding"
"""Name of the header that names the coding of a body."""
_WINDOW_BITS: Final = 31
"""Argument by which zlib reads the format of gzip, and nothing else."""
_CHUNK_BYTES: Final = 2**16
_MAX_MEMBERS: Final = 1000
"""Maximum number of members of a body. Each takes time, however short it is."""


def unpacked(body: bytes) -> bytes:
    """Return the content of a gzip body, which may have several members.

    Raise ApiError ``payload_too_large`` as soon as the content exceeds MAX_BODY_BYTES. Raise
    ``malformed_request`` for a body that is empty or ends within a member, for content that differs
    from its checksum, for other data after a member (zero bytes, too), and for more than 1,000
    members. It blocks the event loop, so callers enter the body scheduler first.
    """
    output, members, decoder = bytearray(), 1, zlib.decompressobj(_WINDOW_BITS)
    try:
        for start in range(0, len(body), _CHUNK_BYTES):
            chunk = body[start : start + _CHUNK_BYTES]
            while chunk:
                if decoder.eof:
                    members, decoder = members + 1, zlib.decompressobj(_WINDOW_BITS)
                output += decoder.decompress(chunk, MAX_BODY_BYTES + 1 - len(output))
                if len(output) > MAX_BODY_BYTES:
                    raise api_error(ErrorType.PAYLOAD_TOO_LARGE)
                if members > _MAX_MEMBERS:
                    raise _malformed(f"It has more than {_MAX_MEMBERS:,} members.")
                chunk = decoder.unused_data
    except zlib.error:
        raise _malformed("It is damaged, or followed by other data.") from None
    if not decoder.eof:
        raise _malformed("It is incomplete.")
    return bytes(output)


def _malformed(message: str) -> ApiError:
    return api_error(
        ErrorType.MALFORMED_REQUEST, HEADER, message=f"Send the body as gzip. {message}"
    )
