"""Schema check of parts on the client's side, by the schema that the service publishes."""

from dataclasses import replace
from typing import Any

import orjson

from service.client import Detail
from service.errors import ApiError
from service.schemas.validation import Validator


def check_schema(form: Validator, body: Any) -> list[Detail]:
    """Return the details of the schema errors that the service would answer for a body."""
    try:
        details = form.errors(body, orjson.dumps(body))
    except ApiError as error:
        details = [*error.details]
    rows = [detail.row() for detail in details]
    return [Detail(str(row["type"]), row["field"], row["value"]) for row in rows]


def prefixed(prefix: str, detail: Detail) -> Detail:
    """Return the detail with a member name or list index prepended to its field path."""
    path = detail.field or ""
    return replace(detail, field=prefix + ("." if path and path[0] != "[" else "") + path)
