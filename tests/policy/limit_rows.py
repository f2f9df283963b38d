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
    "a transaction over collections": (
        f"{number(limits.MAX_TRANSACTION_ITEMS)} entries, "
        f"{byte_size(limits.MAX_TRANSACTION_BYTES)}, {number(limits.MAX_TRANSACTION_VALUES)} "
        f"values, {limits.MAX_TRANSACTION_SECONDS} seconds"
    ),
    "values of a request body, and of a document that a patch makes": number(limits.MAX_VALUES),
    "one record as it is sent, or as a patch makes it; parts have the limits of a body": (
        f"{byte_size(limits.MAX_RECORD_BYTES)} of JSON"
    ),
    "allowed values": number(field_limit("style-custom-fields", "allowedValues", "maxItems")),
    "color groups or languages of a color; brands, groups or style categories of a custom field": (
        f"{field_limit('colors', 'languageIds', 'maxItems')}"
    ),
    "contacts; translations of texts": f"{field_limit('sub-suppliers', 'contacts', 'maxItems')}",
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
    "`osId` of a facility": f"{field_limit('facilities', 'osId')} characters",
    "`role` of a contact of a style": (
        f"{schema_limit('style-contacts', 'contactFields', 'properties', 'role', 'maxLength')}"
        " characters"
    ),
    "sizes of a size range, lines of a chart, deactivated ones included": (
        number(limits.MAX_CHILDREN)
    ),
    "translations of a color or style; values of a line; sizes of a sample request": (
        f"{schema_limit('color-translations', 'replace', 'maxItems')}"
    ),
    "seasons of a style color; languages or price lists of a channel": (
        f"{field_limit('style-colors', 'seasonIds', 'maxItems')}"
    ),
    "a value": "15 digits before the point and 10 after it",
    "`unit`": f"{schema_limit('sample-requests', 'fields', 'properties', 'unit', 'maxLength')}"
    " characters",
    "`deliveryTerms` and `paymentTerms` of a supplier": (
        f"{field_limit('suppliers', 'deliveryTerms')} characters"
    ),
    "`supplierItemNumber` of an item": f"{field_limit('items', 'supplierItemNumber')} characters",
    "sub-suppliers of a supplier": number(field_limit("suppliers", "subSupplierIds", "maxItems")),
    "`designerComment`": f"{number(field_limit('measurements', 'designerComment'))} characters",
    "a name or reference": f"{number(field_limit('styles', 'name'))} characters",
    "`name` of a season or compliance category; `projectName`, `trackingNumber`": "200 characters",
    "an own key": f"{schema_limit('common/scalars', 'ownKey', 'maxLength')} characters",
    "`name` of a group": f"{field_limit('groups', 'name')} characters",
    "`userDefinedId` of a group or care instruction": (
        f"{field_limit('groups', 'userDefinedId')} characters"
    ),
    "`text` and its translations": f"{field_limit('care-instructions', 'text')} characters",
    "`fileName`, `mimeType` and `altText` of a style file": (
        f"{field_limit('style-files', 'fileName')}, 100 and {field_limit('style-files', 'altText')}"
        " characters"
    ),
    "`colorNote`, `comment`, `description`": "4,000 characters",
    "request body, and a document that a patch makes": byte_size(limits.MAX_BODY_BYTES),
    "request line": f"{byte_size(limits.MAX_TARGET_BYTES)}: {IDS} ids of any form",
    "headers of a request": f"{limits.MAX_HEADERS}",
    "a header": byte_size(limits.MAX_HEADER_BYTES),
    "operations of a patch": number(OPERATIONS),
    "parameters of a query": number(limits.MAX_PARAMETERS),
    "conditions of a query": f"{limits.MAX_CONDITIONS}",
    "cursor": byte_size(limits.MAX_CURSOR_BYTES),
    "entries of a page of changes": (
        f"{number(limits.MAX_LIMIT)}, and {byte_size(limits.MAX_PAGE_BYTES)} of documents; "
        "a longer page ends early, after one entry at least"
    ),
    "webhooks": f"{limits.MAX_WEBHOOKS}",
    "entries of a message": (
        f"{limits.MAX_MESSAGE_ENTRIES}, and {byte_size(limits.MAX_MESSAGE_BYTES)} of documents"
    ),
    "`url` of a webhook": f"{number(field_limit('webhooks', 'url'))} characters",
    "a try of a delivery": (
        f"{limits.RECEIVER_SECONDS} seconds, {byte_size(limits.MAX_RECEIVER_HEAD_BYTES)} of heads, "
        f"{byte_size(limits.MAX_RECEIVER_ANSWER_BYTES)} of the body"
    ),
    "records of a page": f"{byte_size(limits.MAX_PAGE_BYTES)}; a longer page ends early",
    "records in the response of a bulk write": (
        f"{byte_size(limits.MAX_BATCH_BYTES)}; a longer one is refused with `too_many_items`, and "
        "nothing is done"
    ),
}
