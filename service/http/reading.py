"""How requests are read from a connection; the tests' servers read them by the same rules."""

from typing import Any, Final

READING: Final[dict[str, Any]] = {
    # Bytes of a request line: 200 ids of any form (contract, Limits).
    "max_line_size": 32 * 1024,
    # No body is taken compressed; to decompress one that is cut or of another coding than it says
    # fails outside of every handler, or never ends.
    "auto_decompress": False,
}
"""Arguments of ``aiohttp.web.AppRunner``."""
