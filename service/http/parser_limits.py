"""Limits and options of aiohttp's HTTP parser."""

from typing import Any, Final

LONGEST_LINE: Final = 32 * 1024
"""Bytes of a request's target, enough for 200 ids of any form (contract, Limits)."""
LONGEST_FIELD: Final = 8190
"""Bytes of a header. It must differ from LONGEST_LINE: the parser's errors name the limit only."""

PARSER_LIMITS: Final[dict[str, Any]] = {
    "max_line_size": LONGEST_LINE,
    "max_field_size": LONGEST_FIELD,
    # Compressed bodies are rejected. aiohttp's decompression of a truncated or mislabeled body
    # fails outside of every handler, or never ends.
    "auto_decompress": False,
}
"""Arguments of ``aiohttp.web.AppRunner``."""
