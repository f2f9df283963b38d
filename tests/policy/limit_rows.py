"""Rows of the contract's table of limits, made of the numbers in ``schemas/`` and ``limits``."""

from functools import reduce
from typing import Any

from service import limits, schemas
from service.limits import byte_size
from tests.support import generated_parts


def schema_limit(file: str, *path: str) -> int:
    """Return a limit of a schema file, by its path below ``$defs``."""
    limit: Any = reduce(lambda part, name: part[name], path, schemas.load()[file]["$defs"])
    assert isinstance(limit, int)
    return limit


def field_limit(file: str, field: str, keyword: str = "maxLength") -> int:
    """Return a limit of a field that callers write."""
    return int(schemas.definition(file, "fields").properties[field].schema[keyword])


#: Numbers as documents write them.
number = "{:,}".format
URL = schema_limit("common/scalars", "httpsUrlOrNull", "maxLength")
IDS = schema_limit("common/scalars", "ids", "maxItems")
OPERATIONS = schemas.load()["common/json-patch"]["maxItems"]


def _care(entry: str, member: str) -> int:
    return schema_limit("style-care-instructions", entry, "properties", member, "maxItems")


#: Rows of the table under Limits in the contract.
ROWS = {
    "ids of a bulk delete": f"{IDS}",
    "items of other bulk writes": generated_parts.bulk_items(),
    "steps of a style": f"{schema_limit('style-supplier-facilities', 'replace', 'maxItems')}",
    "lines of the items of a style": (number(schema_limit("style-items", "replace", "maxItems"))),
    "colors or sizes of a line of the items of a style": (
        f"{schema_limit('style-items', 'lineFields', 'properties', 'colors', 'maxItems')}"
    ),
    "icons or care instructions of a care set": (f"{_care('setFields', 'careInstructionIconIds')}"),
    "layers of a care set; materials of a layer": f"{_care('layerFields', 'materials')}",
    "`placement` of a line of the items of a style": (
        f"{schema_limit('style-items', 'placement', 'maxLength')} characters"
    ),
    "custom field values of a style": (
        number(schema_limit("custom-field-values", "replace", "maxItems"))
    ),
    "prices of a style in a price list": number(field_limit("style-prices", "prices", "maxItems")),
    "price lists of an item of prices": (
        f"{schema_limit('style-prices-by-owner', 'item', 'properties', 'priceLists', 'maxItems')}"
    ),
    "`text` of a custom field value": (
        number(
            schema_limit("custom-field-values", "valueFields", "properties", "text", "maxLength")
        )
        + " characters"
    ),
    "`role` of a contact of a style": (
        f"{schema_limit('style-contacts', 'contactFields', 'properties', 'role', 'maxLength')}"
        " characters"
    ),
    "translations of a color or style; values of a line; sizes of a sample request": (
        f"{schema_limit('color-translations', 'replace', 'maxItems')}"
    ),
    "`unit`": f"{schema_limit('sample-requests', 'fields', 'properties', 'unit', 'maxLength')}"
    " characters",
    "`designerComment`": f"{number(field_limit('measurements', 'designerComment'))} characters",
    "request line": f"{byte_size(limits.MAX_TARGET_BYTES)}: {IDS} ids of any form",
    "headers of a request": f"{limits.MAX_HEADERS}",
    "a header": byte_size(limits.MAX_HEADER_BYTES),
    "parameters of a query": number(limits.MAX_PARAMETERS),
    "entries of a page of changes": (
        f"{number(limits.MAX_LIMIT)}, and {byte_size(limits.MAX_PAGE_BYTES)} of documents; "
        "a longer page ends early, after one entry at least"
    ),
    "a try of a delivery": (
        f"{limits.RECEIVER_SECONDS} seconds, {byte_size(limits.MAX_RECEIVER_HEAD_BYTES)} of heads, "
        f"{byte_size(limits.MAX_RECEIVER_ANSWER_BYTES)} of the body"
    ),
    "records in the response of a bulk write": (
        f"{byte_size(limits.MAX_BATCH_BYTES)}; a longer one is refused with `too_many_items`, and "
        "nothing is done"
    ),
}
