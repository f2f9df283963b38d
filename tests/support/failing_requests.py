"""Failing requests: one for each failure that the OpenAPI document has an example of."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

import asyncpg
import pytest

from service.database.pipeline import PipelinedConnection
from service.errors import too_many_requests
from service.http import request_body
from service.http.budgets import Admission
from service.records.resource import Resource
from tests.support.api import Answer, Api, issue_key
from tests.support.failing_keys import FAILING_KEYS
from tests.support.inserted_rows import TWINS, execute, used_group
from tests.support.raw_http import exchange
from tests.support.wrong_bodies import COLORS, FAULTS, GROUPS, MATERIALS, UNKNOWN, wrong

SIZE_RANGES, CHANGES, WEBHOOKS = "/api/size-ranges", "/api/changes", "/api/webhooks"


@dataclass(frozen=True)
class FailureSetup:
    """API clients of organization 1, and of 2, which has no optional feature."""

    api: Api
    reader: Api
    other: Api
    dsn: str
    patch: pytest.MonkeyPatch


Provoke: TypeAlias = Callable[[FailureSetup], Awaitable[Answer]]


async def foreign_range(on: FailureSetup) -> int:
    """Return the id of a size range that the other organization does not own."""
    return int((await on.api.get(SIZE_RANGES)).data[0]["id"])


async def exclusive(on: FailureSetup) -> Answer:
    page = await on.api.get(COLORS, {"pageSize": "1"})
    return await on.api.get(COLORS, {"cursor": page.json["pagination"]["cursor"], "pageSize": "1"})


async def other_request(on: FailureSetup) -> Answer:
    headers = {"Idempotency-Key": "examples"}
    await on.api.post(GROUPS, {"name": "One"}, headers=headers)
    return await on.api.post(GROUPS, {"name": "Another"}, headers=headers)


async def in_progress(on: FailureSetup) -> Answer:
    text = "insert into idempotency_key (organization_id, key, request_sha256) values (1, 'k', '')"
    connection = await asyncpg.connect(on.dsn)
    try:
        async with connection.transaction():
            await connection.execute(text)
            writer = Api(on.api.client, await issue_key(on.dsn, 1, "write"))
            headers = {"Idempotency-Key": "k"}
            return await writer.post(GROUPS, {"name": "Slow"}, headers=headers)
    finally:
        await connection.close()


async def defect(on: FailureSetup) -> Answer:
    on.patch.setattr(Resource, "page", None)
    return await on.api.get(GROUPS)


async def away(on: FailureSetup) -> Answer:
    async def hang_up(*_: Any, **_options: Any) -> None:
        raise ConnectionResetError

    on.patch.setattr(Resource, "page", hang_up)
    return await on.api.get(GROUPS)


async def lost(on: FailureSetup) -> Answer:
    execute = PipelinedConnection.execute

    async def hang_up(self: Any, query: str, *args: Any, **options: Any) -> Any:
        if query == "commit":
            raise ConnectionResetError
        return await execute(self, query, *args, **options)

    on.patch.setattr(PipelinedConnection, "execute", hang_up)
    return await on.api.post(GROUPS, {"name": "Lost"})


async def late(on: FailureSetup) -> Answer:
    async def half() -> AsyncIterator[bytes]:
        yield b'{"name":'
        await asyncio.sleep(5)

    on.patch.setattr(request_body, "BODY_IDLE_SECONDS", 0.05)
    headers = {"Authorization": f"Bearer {on.api.key}", "Content-Type": "application/json"}
    async with on.api.client.post(GROUPS, data=half(), headers=headers) as answer:
        return Answer(answer.status, answer.headers, await answer.read())


async def crowded(on: FailureSetup) -> Answer:
    def full(*_: object) -> None:
        raise too_many_requests()

    on.patch.setattr(Admission, "enter", full)
    return await on.api.get(GROUPS)


async def delete_used(on: FailureSetup) -> Answer:
    return await on.api.delete(f"{GROUPS}/{await used_group(on.api, on.dsn)}")


async def incomplete(on: FailureSetup) -> Answer:
    style = (await on.api.post("/api/styles", {"number": "NO-SIZES", "name": "Scarf"})).data
    return await on.api.post("/api/style-skus/generate", [{"styleId": style["id"]}])


async def read_foreign(on: FailureSetup) -> Answer:
    return await on.other.get(f"{SIZE_RANGES}/{await foreign_range(on)}")


async def delete_foreign(on: FailureSetup) -> Answer:
    return await on.other.delete(SIZE_RANGES, {"ids": await foreign_range(on)})


async def replace_foreign(on: FailureSetup) -> Answer:
    item = {"id": await foreign_range(on), "name": "XS to XL", "state": "active"}
    return await on.other.put(SIZE_RANGES, [item])


async def delete_used_in_bulk(on: FailureSetup) -> Answer:
    return await on.api.delete(GROUPS, {"ids": await used_group(on.api, on.dsn)})


async def replace_used(on: FailureSetup) -> Answer:
    item = {"id": await used_group(on.api, on.dsn), "name": "Delivery", "state": "deleted"}
    return await on.api.put(GROUPS, [item])


async def ambiguous(on: FailureSetup) -> Answer:
    await execute(on.dsn, TWINS)
    items = [{"userDefinedId": key} for key in ("C-1", "C-2", "C-3", "C-TWIN")]
    return await on.api.patch(COLORS, items, params={"match": "userDefinedId"})


async def now(on: FailureSetup) -> str:
    return str((await on.api.get(CHANGES, {"from": "now"})).json["pagination"]["cursor"])


async def expired(on: FailureSetup) -> Answer:
    cursor = await now(on)
    await execute(on.dsn, "update change_feed set cleared_n = last_n + 1, last_n = last_n + 1")
    return await on.api.get(CHANGES, {"cursor": cursor})


async def rewound(on: FailureSetup, n: int) -> Answer:
    added = await on.api.post(WEBHOOKS, {"url": "https://erp.example.com", "state": "paused"})
    if n == 1:
        await execute(on.dsn, "update change_feed set cleared_n = 2, last_n = last_n + 2")
    answer = await on.api.post(f"{added.headers['Location']}/rewind", {"n": n})
    await on.api.delete(added.headers["Location"])
    return answer


async def continued(on: FailureSetup) -> Answer:
    return await on.api.get(CHANGES, {"cursor": await now(on), "limit": "1"})


def followed(*parameters: tuple[str, str]) -> Provoke:
    return lambda on: on.api.get(CHANGES, parameters)


def sent(raw: bytes) -> Provoke:
    return lambda on: exchange(on.api, raw)


def deleted(*ids: object) -> Provoke:
    return lambda on: on.api.delete(GROUPS, [("ids", str(record_id)) for record_id in ids])


def replaced(*items: dict[str, Any]) -> Provoke:
    return lambda on: on.api.put(GROUPS, items)


def listed(*parameters: tuple[str, str]) -> Provoke:
    return lambda on: on.api.get(COLORS, parameters)


def patched(*operations: tuple[str, str, Any]) -> Provoke:
    sent = [{"op": op, "path": path, "value": value} for op, path, value in operations]
    return lambda on: on.api.patch(f"{COLORS}/1", sent)


#: How each example is provoked, by its name; those of FAULTS are by what stands there.
REQUESTS: Final[dict[str, Provoke]] = {
    "validation_error.too_many_items": replaced(*[{}] * 201),
    "validation_error.too_few_items": replaced(),
    "validation_error.unknown_parameter": lambda on: on.api.get(f"{GROUPS}/1", {"colour": "red"}),
    "validation_error.too_many_parameters": listed(*[("id", "1")] * 1001),
    "validation_error.exclusive_parameters": exclusive,
    "validation_error.invalid_cursor": listed(("cursor", "nonsense")),
    "validation_error.malformed_json": lambda on: on.api.post(GROUPS, b"{"),
    "unauthorized": lambda on: Api(on.api.client, "").get(GROUPS),
    "forbidden.scope": lambda on: on.reader.post(GROUPS, {"name": "Knit"}),
    "forbidden.organization": read_foreign,
    "not_found": lambda on: on.api.get(f"{GROUPS}/{UNKNOWN}"),
    "not_found.route": lambda on: on.api.get("/api/colours"),
    "method_not_allowed": lambda on: on.api.call("POST", f"{GROUPS}/1"),
    "request_timeout": late,
    "malformed_request": sent(b"NONSENSE\r\n\r\n"),
    "uri_too_long": sent(b"GET /%b HTTP/1.1\r\n\r\n" % (b"x" * 40_000)),
    "headers_too_large": sent(b"GET / HTTP/1.1\r\nX-Long: %b\r\n\r\n" % (b"x" * 9000)),
    "not_implemented": sent(b"BREW /api/colors HTTP/1.1\r\n\r\n"),
    "expectation_failed": lambda on: on.api.get(GROUPS, headers={"Expect": "a-miracle"}),
    "conflict.in_use": delete_used,
    "conflict.test_failed": patched(("test", "/name", "Another color")),
    "conflict.overlap": lambda on: on.api.post(
        "/api/barcode-ranges", {"name": "Twice", "type": "gtin13", "companyPrefix": "9523000"}
    ),
    "conflict.exhausted": lambda on: on.api.post(
        "/api/barcodes/allocate", [{"barcodeRangeId": 2, "count": 40}]
    ),
    "conflict.incomplete": incomplete,
    "conflict.in_progress": in_progress,
    "conflict.ambiguous_key": ambiguous,
    "gone.changes_expired": expired,
    "precondition_failed": lambda on: on.api.delete(f"{GROUPS}/1", headers={"If-Match": '"old"'}),
    "payload_too_large": lambda on: on.api.post(GROUPS, b" " * (8 * 2**20 + 1)),
    "unsupported_media_type": lambda on: on.api.post(GROUPS, b"{}", content_type="text/plain"),
    "unprocessable.patch": patched(
        ("replace", "/name", "Navy"),
        ("replace", "/state", "inactive"),
        ("remove", "/colorGroupIds/99", None),
    ),
    "unprocessable.idempotency_key": other_request,
    "too_many_requests": crowded,
    "server_error": defect,
    "server_error.unavailable": away,
    "server_error.outcome_unknown": lost,
    "list.validation_error.required_field": listed(("filter[0].property", "name")),
    "list.validation_error.invalid_value": listed(("sort[0].property", "colour")),
    "list.validation_error.out_of_range": listed(("pageSize", "0")),
    "list.validation_error.too_many_items": listed(
        *((f"filter[{n}].{part}", "name") for n in range(51) for part in ("property", "value"))
    ),
    "list.validation_error.too_long": listed(
        ("filter[0].property", "name"),
        ("filter[0].operator", "ne"),
        ("filter[0].value", Random(0).randbytes(3500).hex()),
        ("pageSize", "1"),
    ),
    "list.validation_error.duplicate": listed(("pageSize", "1"), ("pageSize", "1")),
    "follow.validation_error.required_field": followed(("recordId", "1")),
    "follow.validation_error.invalid_value": followed(("from", "here")),
    "follow.validation_error.out_of_range": followed(("limit", "0")),
    "follow.validation_error.duplicate": followed(("limit", "1"), ("limit", "1")),
    "follow.validation_error.exclusive_parameters": continued,
    "rewind.validation_error.out_of_range": lambda on: rewound(on, 2**40),
    "rewind.gone.changes_expired": lambda on: rewound(on, 1),
    "read.validation_error.invalid_value": lambda on: on.api.get(f"{GROUPS}/x"),
    "delete.validation_error.invalid_value": lambda on: on.api.delete(f"{GROUPS}/x"),
    "bulk_delete.validation_error.required_field": deleted(),
    "bulk_delete.validation_error.invalid_value": deleted("x"),
    "bulk_delete.validation_error.too_many_items": deleted(*range(1, 202)),
    "bulk_delete.validation_error.duplicate": deleted(UNKNOWN, UNKNOWN),
    "bulk_delete.forbidden.organization": delete_foreign,
    "bulk_delete.not_found": deleted(UNKNOWN),
    "bulk_delete.conflict.in_use": delete_used_in_bulk,
    **FAILING_KEYS,
    "bulk_replace.validation_error.too_many_items": replaced(*[{}] * 201),
    "bulk_replace.validation_error.too_few_items": replaced(),
    "bulk_replace.forbidden.organization": replace_foreign,
    "bulk_replace.not_found": replaced({"id": UNKNOWN, "name": "Knit", "state": "active"}),
    "bulk_replace.conflict.in_use": replace_used,
    "bulk_replace.precondition_failed": replaced(
        {"id": 1, "ifMatch": '"old"', "name": "Knit", "state": "active"}
    ),
}


async def provoke_failure(on: FailureSetup, example: str) -> Answer:
    """Send the request whose response the example of that name shows.

    Faults of bodies are sent to be created or, in an item, to be replaced.
    """
    if example in REQUESTS:
        return await REQUESTS[example](on)
    error_type = example.removeprefix("bulk_replace.")
    path, fault = FAULTS[error_type]
    api = on.other if error_type == "validation_error.feature_disabled" else on.api
    await on.api.post(MATERIALS, {"text": "Linen", "userDefinedId": "MAT-0042"})
    if error_type == example:
        return await api.post(path, wrong(path, fault))
    existing = {"id": (await api.get(path)).data[0]["id"], "state": "active"}
    return await api.put(path, [wrong(path, existing | fault)])
