"""Checks of a part before it is sent: by the schema that the service publishes."""

from dataclasses import replace
from typing import Any

import orjson

from service.client import Detail
from service.errors import ApiError
from service.schemas.validation import Validator


def by_schema(form: Validator, body: Any) -> list[Detail]:
    """Return what the service would find wrong with a body before it looks at the data."""
    try:
        failures = form.errors(body, orjson.dumps(body))
    except ApiError as error:
        failures = [*error.details]
    rows = [failure.row() for failure in failures]
    return [Detail(str(row["type"]), row["field"], row["value"]) for row in rows]


def below(prefix: str, detail: Detail) -> Detail:
    """Return the detail with its field below a member or list entry."""
    path = detail.field or ""
    return replace(detail, field=prefix + ("." if path and path[0] != "[" else "") + path)
