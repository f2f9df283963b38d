"""Service limits: sizes, counts and times that callers notice, defined once (contract, Limits).

They are maxima, and a value at the limit is allowed, unless a name or text says otherwise. Names
tell the unit: ``BYTES``, ``SECONDS``, ``HOURS``; lengths are in characters, others are counts.
The modules that enforce a limit, messages and the OpenAPI document import it.
``tests/policy/test_limits.py`` compares documents and schemas with this module. Lengths and numbers
of items that only a schema checks are in ``schemas/``.
"""

from typing import Final

KIB: Final = 2**10
MIB: Final = 2**20
GIB: Final = 2**30

# Request heads and queries
MAX_TARGET_BYTES: Final = 32 * KIB
"""Size of a request's target, enough for 200 ids of any form."""
MAX_HEADER_BYTES: Final = 8190
"""Size of one header. It must differ from MAX_TARGET_BYTES: parser errors name the limit only."""
MAX_HEADERS: Final = 128
"""Headers of a request."""
MAX_QUEUED: Final = 2
"""Pipelined requests that are parsed in advance. Then reading from the connection pauses."""
MAX_REQUEST_ID_LENGTH: Final = 128
"""Characters of an ``X-Request-Id``. A longer one is replaced."""
MAX_IDEMPOTENCY_KEY_LENGTH: Final = 255
MAX_PARAMETERS: Final = 1000
"""Parameters of a query string, counted by its separators."""
MAX_VISIBLE_HEX_DIGITS: Final = 32
"""Consecutive hex digits of a text that are logged and stored without a mask."""

# Request bodies
MAX_BODY_BYTES: Final = 8 * MIB
"""Size of a request body, as sent and unpacked. It also bounds the document that a patch edits."""
MAX_VALUES: Final = 100_000
"""JSON values of a body, and of a document that a patch produces."""
MAX_TRANSACTION_ITEMS: Final = 10_000
"""Entries of a transaction over collections."""
MAX_TRANSACTION_BYTES: Final = 32 * MIB
"""Size of the body of such a transaction, as sent and unpacked."""
MAX_TRANSACTION_VALUES: Final = 1_000_000
"""JSON values of such a body."""
MAX_TRANSACTION_SECONDS: Final = 60
"""Timeout of such a transaction in the database."""
MAX_RECORD_BYTES: Final = 256 * KIB
"""Size of a record as JSON, which bounds the size of pages; that of a part is MAX_BODY_BYTES."""
MAX_CHILDREN: Final = 1000
"""Entries of one child list, deactivated ones included."""
MAX_POINTER_PARTS: Final = 16
"""Parts and escapes of a pointer; no field is nested as deeply."""
BODY_IDLE_SECONDS: Final = 30
"""Timeout between two parts of a body that is arriving."""
BODY_SECONDS: Final = 300
"""Timeout of a whole body."""
SCHEDULED_BODY_BYTES: Final = 1 * KIB
"""Minimum size of an uncompressed body that the body scheduler starts; compressed ones have none.

Smaller ones take little time.
"""

# Tables of people
MAX_WORKBOOK_BYTES: Final = 16 * MIB
"""Size of a workbook that is read."""
MAX_UNPACKED_WORKBOOK_BYTES: Final = 200 * MIB
"""Size of the parts of a workbook that are read, counted while they are unpacked."""
MAX_SHEET_ROWS: Final = 2**20
"""Rows of a sheet, as spreadsheets have them."""
MAX_TABLE_ROWS: Final = 100_000
"""Rows of a table that `/data` reads."""
MAX_TABLE_READERS: Final = 2
"""Processes of a worker that read tables; an organization has one."""
WORKBOOK_SECONDS: Final = 30
"""Timeout of the process that reads a workbook."""

# Responses
RESPONSE_IDLE_SECONDS: Final = 30
"""Timeout of RESPONSE_PIECE_BYTES of a response, after which the client's connection is aborted."""
RESPONSE_PIECE_BYTES: Final = 64 * KIB
"""Bytes of a long response that are written at a time."""
RESPONSE_SECONDS: Final = 300
"""Timeout of a whole response, from the begin of its sending."""
MIN_COMPRESSED_BYTES: Final = 1 * KIB
"""Minimum size of a compressed body: for a smaller one compression costs more than it saves."""
MAX_PAGE_BYTES: Final = 8 * MIB
"""Size of a page's documents; a page with more ends early, but has one record at least.

A page by number with a ``pageSize`` above 1 is an error instead.
"""
MAX_BATCH_BYTES: Final = 32 * MIB
"""Size of the documents of a bulk write, of a list without pages, or of one whole transaction.

More are an error.
"""
MAX_LISTED: Final = 1000
"""Rows of ``error.details``; further ones are left out."""
MAX_DETAIL_LENGTH: Final = 200
"""Characters of the field or message of an error detail; longer ones are truncated."""
MAX_USAGE_LENGTH: Final = 4000
"""Characters of the message of ``conflict.in_use``, which names records, likewise."""

STREAM_SECONDS: Final = 3600
"""Timeout of a whole response that is made while it is sent, in place of RESPONSE_SECONDS."""

# Exports
EXPORT_CONNECTIONS: Final = 2
"""Exports of a worker at a time, each with a database connection of its own."""

# Lists and changes
DEFAULT_PAGE_SIZE: Final = 30
"""Records on a page of a list, unless the query has a ``pageSize``."""
MAX_PAGE_SIZE: Final = 100
"""Maximum of ``pageSize``: records on a page of a list."""
MAX_PAGE_NUMBER: Final = 2**31 - 1
"""Maximum of ``pageNumber``."""
MAX_CONDITIONS: Final = 50
"""Conditions of the filters of one list request."""
MAX_SEARCH_LENGTH: Final = 200
"""Characters of the text of a search."""
MAX_CURSOR_BYTES: Final = 4 * KIB
"""Size of a cursor as text."""
DEFAULT_LIMIT: Final = 100
"""Entries on a page of changes, unless the query has a ``limit``."""
MAX_LIMIT: Final = 1000
"""Maximum of ``limit``: entries on a page of changes, but for a single whole transaction."""
MAX_TRANSACTION_ENTRIES: Final = 100_000
"""Entries of one transaction on a page of whole transactions; one with more is an error."""
MAX_WAIT: Final = 30
"""Maximum of ``wait``: seconds of a long poll."""
MAX_WAITING: Final = 256
"""Waiting readers of one organization in one worker."""

# Webhooks
MAX_WEBHOOKS: Final = 20
"""Subscriptions of one organization, paused ones included."""
MAX_MESSAGE_ENTRIES: Final = 100
"""Entries of one message; a repeated message has at most MAX_LIMIT."""
MAX_MESSAGE_BYTES: Final = 1 * MIB
"""Size of the documents of one message of several entries.

A message of one entry, and a repeated message, may exceed it.
"""
RECEIVER_SECONDS: Final = 10
"""Timeout of a try to deliver a message."""
MAX_RECEIVER_ANSWER_BYTES: Final = 4 * KIB
"""Bytes of the body of a receiver's answer that are read."""
MAX_RECEIVER_HEAD_BYTES: Final = 64 * KIB
"""Bytes of a receiver's answer that are parsed: informational ones (1xx), final head, and body."""
OVERLAP_SECONDS: Final = 86_400
"""Default time for which a former secret holds after a rotation, of keys and of webhooks; a day."""
MAX_RETRY_SECONDS: Final = 3600
"""Time between two tries to deliver a message."""
LEASE_SECONDS: Final = 8
"""Time after the last renewal after which another sender may take over from one that was killed."""

# Response cache
RESPONSE_CACHE_SECONDS: Final = 5
"""Lifetime of a cached response: time until SQL that bypasses the service is seen."""

# API keys
KEY_CACHE_SECONDS: Final = 5
"""Lifetime of a cached key: time until all workers refuse a revoked key."""
UNKNOWN_KEY_SECONDS: Final = 1
"""Lifetime of a cached miss. A key with that id that is issued meanwhile works afterwards."""

# Share of an organization
ACQUIRE_SECONDS: Final = 5
"""Timeout of waiting for a database connection."""
MAX_RETRY_AFTER: Final = 30
"""Seconds: largest ``Retry-After`` that is estimated from the queue for connections."""
READ_SECONDS: Final = 10
"""Timeout of a statement in a read."""
WRITE_SECONDS: Final = 30
"""Timeout of a statement in a write, its wait for locks included."""
VERIFICATION_SECONDS: Final = 60
"""Timeout of a statement in a migration verification, which reads all records of a collection."""
TRANSACTION_SECONDS: Final = 300
"""Time within which transactions are assumed to end; nothing ends them.

Lists of what has changed since a time rely on it.
"""
CAP_EXEMPT_SECONDS: Final = 0.25
"""Time for which the cap of 1/8 of the connections applies to a queued request."""
MAX_BYTES_IN_FLIGHT: Final = 64 * MIB
"""Bytes of one organization's bodies and responses in flight, in one worker.

Those below ``budgets.MIN_COUNTED_BYTES`` do not count.
"""
IDEMPOTENCY_HOURS: Final = 24
"""Retention of stored responses: a key is free afterwards."""
MAX_STORED_BYTES: Final = 1 * GIB
"""Size of one organization's stored responses, from which new keys are refused."""

# Connections
MAX_CONNECTIONS: Final = 1000
"""HTTP connections of a worker, even if more open files are allowed: partial requests take memory.

Connections with a delayed response that ends may exceed it for a moment.
"""
KEEP_ALIVE_SECONDS: Final = 75
"""Time after which an idle connection is closed, also one with an incomplete request head."""
DRAIN_SECONDS: Final = 2
"""Time that a stopping worker gives its connections for a last response."""
STOP_SECONDS: Final = 40
"""Time after which a stopping service has ended its workers, with all running requests."""
LOG_REPEAT_SECONDS: Final = 5
"""Time for which a worker does not log failures of the same kind again."""


def byte_size(count: int) -> str:
    """Return a positive number of bytes in the largest unit that divides it.

    Examples are ``8 MiB``, ``1 KiB`` and ``8,190 bytes``.
    """
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count:,} bytes"
