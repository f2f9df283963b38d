"""Hooks of Schemathesis, which imports this module by name."""

import re
from typing import Any, Final

import schemathesis

from service.limits import MAX_HEADER_BYTES

_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@schemathesis.hook
def filter_case(_context: Any, case: Any) -> bool:
    """Leave out requests whose responses the document does not describe.

    Writes that skip failed items: a wrong body is no failure there. Reads with selected fields: the
    other fields, which the document requires, are absent (tools, OpenAPI document). Headers that
    are too long, which the parser refuses before there is a route (431).
    """
    query = case.query or {}
    if any(len(str(value)) > MAX_HEADER_BYTES for value in (case.headers or {}).values()):
        return False
    return "skip" not in str(query.get("onError")) and "fields" not in query


@schemathesis.hook
def filter_headers(_context: Any, headers: Any) -> bool:
    """Leave out values with control characters, which are no HTTP (RFC 9110, section 5.5).

    The parser refuses such a request before there is a route that could be documented.
    """
    return not any(_CONTROL.search(str(value)) for value in (headers or {}).values())
