"""Service limits: documents, schemas and the proxy file have the numbers of service/limits.py."""

import ast
import re
from pathlib import Path

from selvedge_client import changes, transactions
from service import limits, schemas
from service.limits import byte_size
from service.schemas.write_forms import BULK_ITEMS
from tests.policy import documents
from tests.policy.limit_rows import OPERATIONS, ROWS, URL, field_limit, number, schema_limit
from tests.policy.sources import ROOT
from tests.support import generated_parts
from tests.support.offenders import in_each

ITEMS, *_, MOST_ITEMS = sorted(generated_parts.names_by_bulk_items())
MISSING = schema_limit("style-completeness", "document", "properties", "missing", "maxItems")

#: Stands for all pages with promises to callers.
CONTRACT = "contract"
PAGES = [*documents.CONTRACT_PAGES, documents.DOCS / "tools.md"]

#: Phrases with a limit, by document.
PHRASES = {
    CONTRACT: [
        f"A response of {number(limits.MIN_COMPRESSED_BYTES)} bytes or more",
        f"and `missing`, the first {number(MISSING)} rows in the order",
        f"The list ends after {number(limits.MAX_LISTED)} rows.",
        f"`value` are truncated after {limits.MAX_DETAIL_LENGTH} characters, the `value` of "
        f"`conflict.in_use` after {number(limits.MAX_USAGE_LENGTH)}.",
        f"in UTF-8, at most {byte_size(limits.MAX_BODY_BYTES)}.",
        f"A workbook has at most {byte_size(limits.MAX_WORKBOOK_BYTES)}, "
        f"{byte_size(limits.MAX_UNPACKED_WORKBOOK_BYTES)} when it is unpacked, and "
        f"{number(limits.MAX_SHEET_ROWS)} rows, and is read for at most "
        f"{limits.WORKBOOK_SECONDS} s.",
        f"A table has at most {number(limits.MAX_TABLE_ROWS)} rows there.",
        f"A worker reads {limits.MAX_TABLE_READERS} at a time.",
        f"No connection was free within {limits.ACQUIRE_SECONDS} seconds.",
        f"{limits.READ_SECONDS} seconds in a read, {limits.WRITE_SECONDS} in a write, "
        f"{limits.VERIFICATION_SECONDS} in a migration verification.",
        f"may be read as it was for {limits.RESPONSE_CACHE_SECONDS} seconds.",
        f"from at most {limits.RESPONSE_CACHE_SECONDS} seconds before the list was read.",
        f"takes effect within {limits.KEY_CACHE_SECONDS} seconds.",
        f"the key works after {limits.UNKNOWN_KEY_SECONDS} second.",
        f"took longer than {limits.KEY_CACHE_SECONDS} seconds to arrive,",
        f"(1 to {limits.MAX_REQUEST_ID_LENGTH} visible ASCII characters)",
        f"more than {limits.MAX_VISIBLE_HEX_DIGITS} hex digits in a row, because",
        f"A set has at most {number(limits.MAX_CHILDREN)} entries,",
        "A value has at most 15 digits before the point and 10 after it;",
        f"up to {number(URL)} characters, without user and fragment",
        f"It takes 1 to {ITEMS} items; creates, replaces and patches of most collections "
        f"take 1 to {number(MOST_ITEMS)} (see Limits).",
        f"A patch has at most {number(OPERATIONS)} operations.",
        f"The body is an array of 1 to {number(limits.MAX_TRANSACTION_ITEMS)} entries,",
        f"A body has at most {byte_size(limits.MAX_TRANSACTION_BYTES)} and "
        f"{number(limits.MAX_TRANSACTION_VALUES)} values",
        f"the transaction at most {limits.MAX_TRANSACTION_SECONDS} seconds.",
        f"grow to {byte_size(limits.MAX_BODY_BYTES)} and {number(limits.MAX_VALUES)} values,",
        f"Pointers have at most {limits.MAX_POINTER_PARTS} parts.",
        f"A request body of more than {number(limits.MAX_VALUES)} values is 400",
        f"A record of more than {byte_size(limits.MAX_RECORD_BYTES)} is",
        f"so is a part of more than {byte_size(limits.MAX_BODY_BYTES)}.",
        f"if its `Content-Length` exceeds {byte_size(limits.MAX_BODY_BYTES)}.",
        f"as long for {byte_size(limits.RESPONSE_PIECE_BYTES)} of a response,",
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
        f"`pageSize` is 1 to {limits.MAX_PAGE_SIZE} (default {limits.DEFAULT_PAGE_SIZE}). "
        f"`pageNumber` is 1 to {number(limits.MAX_PAGE_NUMBER)}.",
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
        f"closed after {limits.KEEP_ALIVE_SECONDS} seconds, also one",
        f"A worker holds at most {number(limits.MAX_CONNECTIONS)} connections,",
    ],
    "docs/guides/bulk.md": [
        f"up to {ITEMS} items; creates, replaces and patches of most collections take "
        f"up to {number(MOST_ITEMS)} (`maxItems` in `/openapi.json`)."
    ],
    "docs/guides/changes.md": [f"waits up to {limits.MAX_WAIT} seconds"],
    "docs/guides/retries.md": [f"For {limits.IDEMPOTENCY_HOURS} hours the same request"],
    "docs/operating.md": [
        f"adds up to {byte_size(limits.MAX_BYTES_IN_FLIGHT)}.",
        f"is refused within {limits.KEY_CACHE_SECONDS} seconds everywhere.",
        f"at most once in {limits.LOG_REPEAT_SECONDS} seconds;",
        f"More than {limits.MAX_VISIBLE_HEX_DIGITS} hex digits in a row are masked",
        f"finish for up to {limits.STOP_SECONDS} seconds,",
    ],
    "docs/deploy/nginx.conf": [f"max_body_size {limits.MAX_TRANSACTION_BYTES // limits.MIB}m;"],
    "SECURITY.md": [
        f"are limited to {byte_size(limits.MAX_BODY_BYTES)}, those of transactions over "
        f"collections to {byte_size(limits.MAX_TRANSACTION_BYTES)}."
    ],
}

#: Limits that documents write as a word, and the word.
WORDS = {
    "MAX_QUEUED": "The service reads two requests ahead,",
    "MAX_RETRY_SECONDS": "with 10 % of jitter, and at most an hour.",
    "OVERLAP_SECONDS": "(0 to 604,800, by default 86,400)",
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
NO_LIMITS = {*(f"{n} digits" for n in (2, 10, 11, 13, 14, 15)), "8 bytes", "32 bytes"}


def prose(document: str) -> str:
    """Return a document's text with single spaces."""
    paths = PAGES if document == CONTRACT else [ROOT / document]
    return " ".join(word for path in paths for word in documents.text(path).split())


def table_of_limits() -> dict[str, str]:
    """Return the contract's table of limits: subject -> limit."""
    lines = [line for line in documents.contract()["Limits"].splitlines() if line[:1] == "|"]
    cells = [line.strip("|").split("|") for line in lines[2:]]
    return {subject.strip(): limit.strip() for subject, limit in cells}


def test_the_table_of_limits_has_every_row() -> None:
    assert table_of_limits() == ROWS


@in_each("document", PHRASES)
def test_documents_state_the_limits(document: str) -> None:
    text = prose(document)
    assert not [phrase for phrase in PHRASES[document] if phrase not in text]


def unchecked_numbers(text: str) -> set[str]:
    """Return the numbers with a unit in the contract's prose that no phrase checks."""
    for phrase in PHRASES[CONTRACT]:
        text = text.replace(phrase, "")
    return {*_UNIT.findall(text)} - NO_LIMITS


def test_every_number_of_the_contract_is_checked() -> None:
    text = prose(CONTRACT)
    for table in ("Limits", "Error types"):  # checked by the row, or generated
        text = text.replace(" ".join(documents.contract()[table].split()), "")
    assert not unchecked_numbers(text)
    assert unchecked_numbers("A key works for 7 seconds.") == {"7 seconds"}


def test_every_limit_is_stated() -> None:
    """A new limit needs a row in the table or a phrase in a document."""
    names = {name for name in vars(limits) if name.isupper()} - {"KIB", "MIB", "GIB"}
    rows = Path(__file__).with_name("limit_rows.py")
    used = {
        node.attr
        for path in (Path(__file__), rows)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "limits"
    }
    assert names == (used & names) | {*WORDS, *SAME}
    assert all(word in prose(CONTRACT) for word in WORDS.values())
    assert limits.MAX_QUEUED == limits.DRAIN_SECONDS == 2
    assert {name: getattr(limits, name) for name in SAME} == SAME


def test_the_client_keeps_to_the_limits() -> None:
    """It imports nothing of the service, so it repeats the numbers."""
    assert changes._WAIT_SECONDS == limits.MAX_WAIT
    assert transactions.MAX_ENTRIES == limits.MAX_TRANSACTION_ITEMS


def test_schemas_have_the_same_limits() -> None:
    envelope, values = "common/envelope", schemas.load()
    assert schema_limit(envelope, "failureDetails", "maxItems") == limits.MAX_LISTED
    for form, limit in (("list", limits.MAX_PAGE_SIZE), ("changes", limits.MAX_LIMIT)):
        assert schema_limit(envelope, form, "properties", "data", "maxItems") == limit
    for shape, field, limit in (
        ("pagination", "cursor", limits.MAX_CURSOR_BYTES),
        ("failureDetail", "field", limits.MAX_DETAIL_LENGTH),
        ("failureDetail", "value", limits.MAX_USAGE_LENGTH),
    ):
        assert schema_limit(envelope, shape, "properties", field, "maxLength") == limit
    entries = schema_limit("size-range-sizes", "replace", "maxItems")
    lines = schema_limit("measurement-charts", "replace", "properties", "lines", "maxItems")
    values_of_sizes = field_limit("measurements", "lines", "maxItems")
    assert entries == lines == values_of_sizes == limits.MAX_CHILDREN
    for form in ("bulkCreate", "bulkReplace"):
        forms = {file: each["$defs"].get(form) for file, each in values.items()}
        sizes = {file: schema["maxItems"] for file, schema in forms.items() if schema}
        assert sizes == {file: values[file][BULK_ITEMS] for file in sizes}
