"""Options of aiohttp's HTTP parser: limits of the target and of headers, no decompression."""

from typing import Any, Final

from service.limits import MAX_HEADER_BYTES, MAX_HEADERS, MAX_TARGET_BYTES

PARSER_LIMITS: Final[dict[str, Any]] = {
    "max_line_size": MAX_TARGET_BYTES,
    "max_field_size": MAX_HEADER_BYTES,
    "max_headers": MAX_HEADERS,
    # ``service.http.gzip_body`` unpacks bodies. aiohttp's decompression of a truncated or
    # mislabeled body fails outside of every handler, or never ends.
    "auto_decompress": False,
}
"""Arguments of ``aiohttp.web.AppRunner``."""
