"""Media types of request and response bodies (contract, Bad input)."""

import re
from typing import Final

JSON: Final = "application/json"
JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
ACCEPT_PATCH: Final = f"{JSON_PATCH}, {MERGE_PATCH}"
"""Value of ``Accept-Patch`` (RFC 5789) where a single record is patched."""
CSV: Final = "text/csv"
NDJSON: Final = "application/x-ndjson"
PROBLEM: Final = "application/problem+json"
"""Problem details (RFC 9457)."""

_MAX_LENGTH: Final = 500
"""Maximum characters of a ``Content-Type`` that is parsed. Longer ones match no media type."""
_TOKEN: Final = r"[-!#$%&'*+.^_`|~0-9A-Za-z]{1,100}+"
_QUOTED: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*"'
_PARAMETER: Final = rf";[ \t]*+(?:({_TOKEN})=({_TOKEN}|{_QUOTED}))?"
_CONTENT_TYPE: Final = re.compile(rf"({_TOKEN}/{_TOKEN})((?:[ \t]*+{_PARAMETER})*)[ \t]*+")
_PARAMETERS: Final = re.compile(_PARAMETER)
_CHARSETS: Final = frozenset({"utf-8", "utf8", "us-ascii"})


def is_sent_as(content_type: str, media_type: str) -> bool:
    """Return whether a ``Content-Type`` names the media type, in UTF-8 or without a charset.

    ``media_type`` is lowercase; the header is compared in any letter case. Parameters other than
    the charset do not count, and US-ASCII counts as UTF-8. A malformed header matches nothing.
    Rejected: aiohttp's parser of e-mail headers, which takes quadratic time and raises exceptions.
    """
    if content_type == media_type:
        return True
    match = _CONTENT_TYPE.fullmatch(content_type) if len(content_type) <= _MAX_LENGTH else None
    if match is None or match[1].lower() != media_type:
        return False
    parameters = _PARAMETERS.findall(match[2])
    charsets = [value for name, value in parameters if name.lower() == "charset"]
    return all(charset.strip('"').lower() in _CHARSETS for charset in charsets)
