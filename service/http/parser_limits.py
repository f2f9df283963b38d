"""How requests are read from a connection; the tests' servers read them by the same rules."""

from typing import Any, Final

LONGEST_LINE: Final = 32 * 1024
"""Bytes of a request's target: 200 ids of any form (contract, Limits)."""
LONGEST_FIELD: Final = 8190
"""Bytes of a header; another number, by which the parser's failures are told apart."""

PARSER_LIMITS: Final[dict[str, Any]] = {
    "max_line_size": LONGEST_LINE,
    "max_field_size": LONGEST_FIELD,
    # No body is taken compressed; to decompress one that is cut or of another coding than it says
    # fails outside of every handler, or never ends.
    "auto_decompress": False,
}
"""Arguments of ``aiohttp.web.AppRunner``."""
