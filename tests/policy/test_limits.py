"""Service limits: documents, schemas and the proxy file have the numbers of service/limits.py."""

import ast
import inspect
import re
from functools import reduce
from pathlib import Path
from typing import Any

from service import limits, schemas
from service.client import Collection, changes
from service.limits import byte_size
from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS
from tests.policy import documents
from tests.policy.sources import ROOT
from tests.support.offenders import in_each

CONTRACT = ROOT / "docs" / "contract.md"


def schema_limit(file: str, *path: str) -> int:
    """Return a limit of a schema file, by its path below ``$defs``."""
    limit: Any = reduce(lambda part, name: part[name], path, schemas.load()[file]["$defs"])
    assert isinstance(limit, int)
    return limit


def field_limit(file: str, field: str, keyword: str = "maxLength") -> int:
    """Return a limit of a field that callers write."""
    return schema_limit(file, "fields", "properties", field, keyword)


def number(count: int) -> str:
    """Return a number as documents write it."""
    return f"{count:,}"


ITEMS, ITEMS_OF_COLORS = (schema_limit(f, "bulkReplace", "maxItems") for f in ("groups", "colors"))
#: Collections that take as many items in a request as colors.
_LARGE = {"colors", *(resource.name for resource in (*MASTER_RECORDS[9:], *PART_COLLECTIONS))}
IDS = schema_limit("common/scalars", "ids", "maxItems")
OPERATIONS = schemas.load()["common/json-patch"]["maxItems"]

#: Rows of the table under Limits in the contract.
ROWS = {
    "items of a bulk write": (
        f"{ITEMS}; creates, replaces and patches of colors, of the records from facilities to "
        f"sample requests, and of parts {number(ITEMS_OF_COLORS)}"
    ),
    "ids of a bulk delete": f"{IDS}",
    "values of a request body, and of a document that a patch makes": number(limits.MAX_VALUES),
    "one record as it is sent, or as a patch makes it": (
        f"{byte_size(limits.MAX_RECORD_BYTES)} of JSON"
    ),
    "allowed values": number(field_limit("style-custom-fields", "allowedValues", "maxItems")),
    "color groups or languages of a color; brands, groups or style categories of a custom field": (
        f"{field_limit('colors', 'languageIds', 'maxItems')}"
    ),
    "contacts; translations of texts": f"{field_limit('sub-suppliers', 'contacts', 'maxItems')}",
    "sizes of a size range, lines of a chart, deactivated ones included": (
        number(limits.MAX_CHILDREN)
    ),
    "translations of a color; values of a line; sizes of a sample request": (
        f"{schema_limit('color-translations', 'replace', 'maxItems')}"
    ),
    "a value": "15 digits before the point and 10 after it",
    "`unit`": f"{schema_limit('sample-requests', 'fields', 'properties', 'unit', 'maxLength')}"
    " characters",
    "`designerComment`": f"{number(field_limit('measurements', 'designerComment'))} characters",
    "a name or reference": (
        f"{number(schema_limit('common/scalars', 'name', 'maxLength'))} characters"
    ),
    "an own key": f"{schema_limit('common/scalars', 'ownKey', 'maxLength')} characters",
    "`name` of a group": f"{field_limit('groups', 'name')} characters",
    "`userDefinedId` of a group or care instruction": (
        f"{field_limit('groups', 'userDefinedId')} characters"
    ),
    "`text` and its translations": f"{field_limit('care-instructions', 'text')} characters",
    "`colorNote`": f"{number(field_limit('colors', 'colorNote'))} characters",
    "request body, and a document that a patch makes": byte_size(limits.MAX_BODY_BYTES),
    "request line": f"{byte_size(limits.MAX_TARGET_BYTES)}: {IDS} ids of any form",
    "the head of a request": (
        f"{byte_size(limits.MAX_HEAD_BYTES)} in at most {limits.MAX_HEADERS} headers, and "
        f"{limits.HEAD_SECONDS} seconds from its first byte to its last"
    ),
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

#: Phrases with a limit, by document.
PHRASES = {
    "docs/contract.md": [
        f"A response of {number(limits.MIN_COMPRESSED_BYTES)} bytes or more",
        f"The list ends after {number(limits.MAX_LISTED)} rows.",
        f"`value` are truncated after {limits.MAX_DETAIL_LENGTH} characters, the `value` of "
        f"`conflict.in_use` after {number(limits.MAX_USAGE_LENGTH)}.",
        f"in UTF-8, at most {byte_size(limits.MAX_BODY_BYTES)}.",
        f"No connection was free within {limits.ACQUIRE_SECONDS} seconds.",
        f"{limits.READ_SECONDS} seconds in a read, {limits.WRITE_SECONDS} in a write.",
        f"may be read as it was for {limits.RESPONSE_CACHE_SECONDS} seconds.",
        f"from at most {limits.RESPONSE_CACHE_SECONDS} seconds before the list was read.",
        f"takes effect within {limits.KEY_CACHE_SECONDS} seconds.",
        f"the key works after {limits.UNKNOWN_KEY_SECONDS} second.",
        f"took longer than {limits.KEY_CACHE_SECONDS} seconds to arrive.",
        f"(1 to {limits.MAX_REQUEST_ID_LENGTH} visible ASCII characters)",
        f"more than {limits.MAX_VISIBLE_HEX_DIGITS} hex digits in a row, because",
        f"More than {limits.MAX_VISIBLE_HEX_DIGITS} hex digits in a row are masked",
        f"A set has at most {number(limits.MAX_CHILDREN)} entries,",
        "A value has at most 15 digits before the point and 10 after it;",
        f"It takes 1 to {ITEMS} items.",
        f"replaces and patches of colors take 1 to {number(ITEMS_OF_COLORS)}. So do those of",
        f"A patch has at most {number(OPERATIONS)} operations.",
        f"grow to {byte_size(limits.MAX_BODY_BYTES)} and {number(limits.MAX_VALUES)} values,",
        f"Pointers have at most {limits.MAX_POINTER_PARTS} parts.",
        f"A request body of more than {number(limits.MAX_VALUES)} values is 400",
        f"A record of more than {byte_size(limits.MAX_RECORD_BYTES)} is",
        f"if its `Content-Length` exceeds {byte_size(limits.MAX_BODY_BYTES)}.",
        f"stops arriving for {limits.BODY_IDLE_SECONDS} seconds, or has not arrived after "
        f"{limits.BODY_SECONDS // 60} minutes,",
        f"has under way to {byte_size(limits.MAX_BYTES_IN_FLIGHT)}.",
        f"a request that has waited {limits.CAP_EXEMPT_SECONDS} seconds.",
        f"one request body of {byte_size(limits.SCHEDULED_BODY_BYTES)} or more at a time,",
        f"waits at most {limits.ACQUIRE_SECONDS} seconds for other requests of its own",
        f"waits at most {limits.WRITE_SECONDS} seconds for their locks.",
        f"of 1 to {limits.MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters.",
        f"For {limits.IDEMPOTENCY_HOURS} hours the same request",
        f"Keys are deleted after {limits.IDEMPOTENCY_HOURS} hours,",
        f"of an organization reach {byte_size(limits.MAX_STORED_BYTES)},",
        f"A query has at most {limits.MAX_CONDITIONS} conditions.",
        f"{limits.MAX_SEARCH_LENGTH} characters `too_long`.",
        f"`pageSize` is 1 to {limits.MAX_PAGE_SIZE} (default {limits.DEFAULT_PAGE_SIZE}).",
        f"A page whose records exceed {byte_size(limits.MAX_PAGE_BYTES)} ends early,",
        f"without padding, of at most {byte_size(limits.MAX_CURSOR_BYTES)}.",
        f"An organization has at most {limits.MAX_WEBHOOKS}",
        f"1 to {limits.MAX_MESSAGE_ENTRIES} entries as `GET /api/changes`",
        f"has at most {byte_size(limits.MAX_MESSAGE_BYTES)} of documents at its first try.",
        f"A try takes at most {limits.RECEIVER_SECONDS} seconds, and at most "
        f"{byte_size(limits.MAX_RECEIVER_ANSWER_BYTES)} of the answer's body are read.",
        f"another one goes on within {limits.LEASE_SECONDS + 2} seconds.",
        f"1 to {number(limits.MAX_LIMIT)} entries, default {limits.DEFAULT_LIMIT};",
        f"0 to {limits.MAX_WAIT} seconds for which",
        f"At most {limits.MAX_WAITING} readers of an organization",
        f"estimated from the queue (1 to {limits.MAX_RETRY_AFTER} seconds):",
        f"and at most {limits.EXPORT_CONNECTIONS} in all,",
        f"searched from {2 * limits.TRANSACTION_SECONDS // 60} minutes before that time,",
        f"more than {number(limits.MAX_TRANSACTION_ENTRIES)} entries or 32 MiB of documents",
        f"Beyond {byte_size(limits.MAX_BATCH_BYTES)} it is 400",
        f"only while its request is unanswered, and for {limits.IDEMPOTENCY_HOURS - 1} hours.",
        f"closed after {limits.KEEP_ALIVE_SECONDS} seconds, and after {limits.HEAD_SECONDS} if",
        f"A worker holds at most {number(limits.MAX_CONNECTIONS)} connections,",
    ],
    "docs/guides/bulk.md": [
        f"up to {ITEMS} items; creates, replaces and patches of colors, of the records from "
        f"facilities to sample requests, and of parts take up to {number(ITEMS_OF_COLORS)}."
    ],
    "docs/guides/changes.md": [f"waits up to {limits.MAX_WAIT} seconds"],
    "docs/guides/retries.md": [f"For {limits.IDEMPOTENCY_HOURS} hours the same request"],
    "docs/operating.md": [
        f"adds up to {byte_size(limits.MAX_BYTES_IN_FLIGHT)}.",
        f"is refused within {limits.KEY_CACHE_SECONDS} seconds everywhere.",
        f"at most once in {limits.LOG_REPEAT_SECONDS} seconds;",
        f"finish for up to {limits.STOP_SECONDS} seconds,",
    ],
    "docs/deploy/nginx.conf": [f"client_max_body_size {limits.MAX_BODY_BYTES // limits.MIB}m;"],
    "README.md": [
        f"organizations within {limits.KEY_CACHE_SECONDS} seconds.",
        f"may finish for up to {limits.STOP_SECONDS} seconds.",
    ],
    "SECURITY.md": [
        f"is refused within {limits.KEY_CACHE_SECONDS} seconds.",
        f"are limited to {byte_size(limits.MAX_BODY_BYTES)}.",
    ],
}

#: Limits that documents write as a word, and the word.
WORDS = {
    "MAX_QUEUED": "The service reads two requests ahead,",
    "MAX_RETRY_SECONDS": "with 10 % of jitter, and at most an hour.",
    "STREAM_SECONDS": "and so does an hour.",
    "DRAIN_SECONDS": "respond on open connections for two more seconds,",
}
#: Limits whose sentence names another limit of the same value: "for as long".
SAME = {
    "LEASE_SECONDS": limits.RECEIVER_SECONDS - 2,
    "RESPONSE_IDLE_SECONDS": limits.BODY_IDLE_SECONDS,
    "RESPONSE_SECONDS": limits.BODY_SECONDS,
}
_UNIT = re.compile(
    r"\b\d[\d,.]* (?:(?:visible ASCII|hex) )?"
    r"(?:seconds?|minutes?|hours?|bytes|[KMG]i?B|characters|digits|values|items|entries|rows|parts"
    r"|operations|conditions|readers|connections)\b"
)
#: Numbers with a unit in the contract that are no limits of the service.
NO_LIMITS = {"15 digits", "2 KB", "32 bytes"}


def prose(path: Path) -> str:
    """Return a document's text with single spaces."""
    return " ".join(path.read_text(encoding="utf-8").split())


def table_of_limits() -> dict[str, str]:
    """Return the contract's table of limits: subject -> limit."""
    lines = [line for line in documents.sections(CONTRACT)["Limits"].splitlines() if line]
    cells = [line.strip("|").split("|") for line in lines[2:]]
    return {subject.strip(): limit.strip() for subject, limit in cells}


def test_the_table_of_limits_has_every_row() -> None:
    assert table_of_limits() == ROWS


@in_each("document", PHRASES)
def test_documents_state_the_limits(document: str) -> None:
    text = prose(ROOT / document)
    assert not [phrase for phrase in PHRASES[document] if phrase not in text]


def unchecked_numbers(text: str) -> set[str]:
    """Return the numbers with a unit in the contract's prose that no phrase checks."""
    for phrase in PHRASES["docs/contract.md"]:
        text = text.replace(phrase, "")
    return {*_UNIT.findall(text)} - NO_LIMITS


def test_every_number_of_the_contract_is_checked() -> None:
    text = prose(CONTRACT)
    for table in ("Limits", "Error types"):  # checked by the row, or generated
        text = text.replace(" ".join(documents.sections(CONTRACT)[table].split()), "")
    assert not unchecked_numbers(text)
    assert unchecked_numbers("A key works for 7 seconds.") == {"7 seconds"}


def test_every_limit_is_stated() -> None:
    """A new limit needs a row in the table or a phrase in a document."""
    names = {name for name in vars(limits) if name.isupper()} - {"KIB", "MIB", "GIB"}
    used = {
        node.attr
        for node in ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "limits"
    }
    assert names == (used & names) | {*WORDS, *SAME}
    assert all(word in prose(CONTRACT) for word in WORDS.values())
    assert limits.MAX_QUEUED == limits.DRAIN_SECONDS == 2
    assert {name: getattr(limits, name) for name in SAME} == SAME


def test_the_client_keeps_to_the_limits() -> None:
    """It imports nothing of the service, so it repeats the numbers."""
    assert changes._WAIT_SECONDS == limits.MAX_WAIT
    assert inspect.signature(Collection.sync).parameters["size"].default == ITEMS


def test_schemas_have_the_same_limits() -> None:
    envelope, values = "common/envelope", schemas.load()
    assert schema_limit(envelope, "failureDetails", "maxItems") == limits.MAX_LISTED
    for form, limit in (("list", limits.MAX_PAGE_SIZE), ("changes", limits.MAX_LIMIT)):
        assert schema_limit(envelope, form, "properties", "data", "maxItems") == limit
    cursor = schema_limit(envelope, "pagination", "properties", "cursor", "maxLength")
    assert cursor == limits.MAX_CURSOR_BYTES
    for field, limit in (("field", limits.MAX_DETAIL_LENGTH), ("value", limits.MAX_USAGE_LENGTH)):
        assert schema_limit(envelope, "failureDetail", "properties", field, "maxLength") == limit
    for children in (
        schema_limit("size-range-sizes", "replace", "maxItems"),
        schema_limit("measurement-charts", "replace", "properties", "lines", "maxItems"),
        field_limit("measurements", "lines", "maxItems"),
    ):
        assert children == limits.MAX_CHILDREN
    for form in ("bulkCreate", "bulkReplace"):
        sizes = {
            file: each["$defs"][form]["maxItems"]
            for file, each in values.items()
            if form in each["$defs"]
        }
        large = dict.fromkeys(sizes.keys() & _LARGE, ITEMS_OF_COLORS)
        assert sizes == dict.fromkeys(sizes, ITEMS) | large
