"""SQL recorder: prints the statements that operations of collections and parts send.

``make sql ARGS="colors size-range-sizes"`` names them. Each has a fresh copy of the demo data.

A request has the numbers of its statements. Each is printed once, with its name in ``sql/``, the
names of statements in its slots in parentheses, and those of its parameters. Parameters of composed
conditions have no names: they have the value that was sent. Of a statement that resembles an
earlier one with the same name, the differences are printed.
"""

import asyncio
import re
import sys
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from random import Random
from typing import Any, Final, NamedTuple

import pytest
from aiohttp.test_utils import TestClient

from service import schemas
from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.resources.registry import MASTER_RECORDS, PART_COLLECTIONS, PARTS
from service.routes import collection_path
from tests.support import generate, parts
from tests.support.api import Answer, Api, issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.part_collections import replaceable
from tests.support.serving import serving
from tests.support.sql_formatting import format_sql
from tests.support.statement_names import NamedText, name_of
from tests.support.statement_spy import SentStatement, record_statements

RECORDED: Final[dict[str, MasterRecord | RecordPart]] = {
    **{resource.name: resource for resource in MASTER_RECORDS},
    **{part.name: part for part in PARTS},
}
#: Transactions, settings of a session, and the look-ups of types by asyncpg, which turns JIT off.
#: Whether an API key and the state of the feed are read depends on the time since they were.
_LEFT_OUT: Final = re.compile(
    r"\s*(begin|commit|rollback|savepoint|release|set|reset|discard)\b"
    r"|.*\b(pg_type|pg_catalog|set_config|api_key|change_feed|update change)\b",
    re.IGNORECASE | re.DOTALL,
)
#: Values with which a copy of a record can be created.
_OF_COPIES: Final[dict[str, dict[str, Any]]] = {
    "barcodes": {"type": "internal", "isPrimary": False, "barcodeRangeId": None},
    "style-files": {"isMain": False},
    "styles": {"isReadyForExport": False},
}
_TYPE: Final = re.compile(r"\$([0-9]+)::((?:double precision|[a-z]+)(?:\[\])?)")


class Operation(NamedTuple):
    """Request, with the statements that it sent."""

    request: str
    statements: list[SentStatement]


class _Requests:
    """Requests of one service, and the operations that they were.

    What they need is read from another service, ``other``: this one would keep it in its cache.
    """

    def __init__(self, api: Api, other: Api, sent: list[SentStatement]) -> None:
        self._api, self.other, self._sent = api, other, sent
        self.operations: list[Operation] = []

    async def send(self, method: str, path: str, body: Any = None, **params: str) -> Answer:
        """Send a request that succeeds, and keep its statements."""
        self._sent.clear()
        answer = await self._api.call(method, path, body, params=params)
        query = "&".join(f"{name}={'…' if name == 'cursor' else params[name]}" for name in params)
        request = f"{method} {path}{query and f'?{query}'}"
        assert answer.status in (200, 201), (request, body, answer.raw)
        statements = [each for each in self._sent if not _LEFT_OUT.match(each)]
        self.operations.append(Operation(request, statements))
        return answer

    async def list(self, path: str, **params: str) -> None:
        """List the first records, those with other parameters, and the page after these."""
        await self.send("GET", path, pageSize="2")
        page = (await self.send("GET", path, pageSize="1", **params)).json["pagination"]
        await self.send("GET", path, cursor=page["cursor"])


async def _use_records(requests: _Requests, resource: MasterRecord) -> None:
    path, key = collection_path(resource), str(resource.own_key)
    references = await generate.references(requests.other)
    [document] = (await requests.other.get(path, {"pageSize": "1"})).data
    record_path = f"{path}/{document['id']}"
    writable = (await requests.other.get(record_path, {"form": "writable"})).data
    state = {"state": "active"} if generate.has_state(resource) else {}
    descending = {"sort[0].property": key, "sort[0].order": "desc"}
    await requests.list(path, **state, **descending)
    await requests.send("GET", record_path)
    await requests.send("GET", record_path, form="writable")
    if resource.key_lookups:
        await requests.send("GET", f"{path}/{key}={document[key]}")
    item = _new_item(resource, document, writable, references)
    items = [item | _new_key(resource, number, references) for number in (1, 2)]
    created = [record["id"] for record in (await requests.send("POST", path, items)).data]

    def changes() -> list[dict[str, Any]]:
        return [generate.altered(resource, item, references) for item in items]

    def identified() -> list[dict[str, Any]]:
        return [{"id": id_} | change for id_, change in zip(created, changes(), strict=True)]

    await requests.send("PUT", path, [i | c for i, c in zip(items, identified(), strict=True)])
    await requests.send("PUT", path, items, match=key)
    await requests.send("PATCH", path, items, match=key)
    await requests.send("PATCH", path, identified())
    [change, _] = changes()
    patch = [{"op": "replace", "path": f"/{name}", "value": change[name]} for name in change]
    await requests.send("PATCH", f"{path}/{created[0]}", patch)
    await requests.send("DELETE", f"{path}/{created[0]}")
    await requests.send("DELETE", path, ids=str(created[1]))


def _new_item(
    resource: MasterRecord,
    document: dict[str, Any],
    writable: dict[str, Any],
    references: generate.References,
) -> dict[str, Any]:
    """Return the body that creates a record like another one."""
    form = schemas.definition(resource.name, "create")
    item = {name: document[name] for name in form.schema["required"] if name in document}
    item |= {
        name: _without_ids(value) if name not in generate.REFERRED else value
        for name, value in writable.items()
    }
    item |= {name: False for name in resource.unique_fields if item[name] is True}
    item |= _OF_COPIES.get(resource.name, {})
    if resource.name == "sample-requests":
        item["sizeRangeSizeIds"] = references["sizes"][:2]
    return item


def _new_key(
    resource: MasterRecord, number: int, references: generate.References
) -> dict[str, Any]:
    """Return the own key of a new record."""
    fields = schemas.definition(resource.name, "create").properties
    has_pair = fields.keys() & generate.PAIRS and resource.name != "style-files"
    key = (
        {} if resource.own_key in generate.PAIRS else {str(resource.own_key): f"RECORDED-{number}"}
    )
    if resource.name == "barcode-ranges":
        key["companyPrefix"] = f"952399{number}"
    return key | (generate.pair(resource.name, references) if has_pair else {})


def _without_ids(value: Any) -> Any:
    """Return the value of a field; if it is a list of objects, these have no ids."""
    if type(value) is not list or not value or type(value[0]) is not dict:
        return value
    return [{name: entry[name] for name in entry if name != "id"} for entry in value]


async def _use_part(requests: _Requests, part: RecordPart) -> None:
    [path] = await parts.paths(requests.other, part, most=1)
    references, random = await generate.references(requests.other), Random(5)
    await requests.send("GET", path)
    await requests.send("GET", path, form="writable")
    for _ in range(2):
        body = await parts.generated_body(requests.other, part, path, references, random)
        await requests.send("PUT", path, body)
    await requests.send("PUT", path, parts.least(part))
    [collection] = [each for each in PART_COLLECTIONS if each.part is part]
    path = collection_path(collection)
    descending = {"sort[0].property": collection.key, "sort[0].order": "desc"}
    await requests.list(path, **descending)
    items = await replaceable(requests.other, collection)
    await requests.send("PUT", path, items)
    await requests.send("PATCH", path, items)


async def record(name: str, dsn: str) -> list[Operation]:
    """Return the operations of a collection or part on a database with the demo data."""
    resource = RECORDED[name]
    with pytest.MonkeyPatch.context() as monkeypatch, record_statements(monkeypatch) as sent:
        async with (
            serving(dsn) as server,
            serving(dsn) as other_server,
            TestClient(server) as client,
            TestClient(other_server) as other_client,
        ):
            key = await issue_key(dsn, 1)
            requests = _Requests(Api(client, key), Api(other_client, key), sent)
            if isinstance(resource, MasterRecord):
                await _use_records(requests, resource)
            else:
                await _use_part(requests, resource)
    return requests.operations


def printed(operations: Iterable[Operation]) -> Iterator[str]:
    """Yield the lines that print operations: a number for each statement, and its text once."""
    numbers, by_name = dict[str, int](), dict[str, tuple[int, list[str]]]()
    for operation in operations:
        new = [*dict.fromkeys(each for each in operation.statements if each not in numbers)]
        numbers |= {text: number for number, text in enumerate(new, len(numbers) + 1)}
        sent = ", ".join(str(numbers[text]) for text in operation.statements)
        yield f"-- {operation.request}: {sent or 'no statement'}"
        for statement in new:
            named = name_of(statement) or NamedText("(composed)", [])
            lines, number = format_sql(statement).split("\n"), numbers[statement]
            similar, similar_lines = by_name.setdefault(named.name, (number, lines))
            difference = _difference(similar_lines, lines)
            is_short = similar != number and len(difference) < len(lines) / 2
            yield ""
            yield f"-- {number}. {named.name}{f', like {similar} but for' if is_short else ''}"
            yield from _parameters(named, statement)
            yield from difference if is_short else [*lines[:-1], f"{lines[-1]};"]
        yield ""


def _difference(lines: list[str], others: list[str]) -> list[str]:
    """Return comments with the lines to remove, which begin with ``-``, and to add (``+``)."""
    differences = [*unified_diff(lines, others, n=0, lineterm="")][2:]
    return [f"--   {line[0]} {line[1:]}" for line in differences if line[0] in "+-"]


def _parameters(named: NamedText, statement: SentStatement) -> Iterator[str]:
    """Yield the type of each parameter, with its name, else with its value."""
    types = dict(_TYPE.findall(statement))
    for number, value in enumerate(statement.arguments, 1):
        names = named.parameters[number - 1 : number] or [f"= {value!r}"]
        yield f"--   ${number}::{types[str(number)]} {names[0]}"


async def _print(server_dsn: str, names: list[str]) -> None:
    operations = list[Operation]()
    for name in names:
        dsn = fresh_database(server_dsn, "recorded", DEMO_TEMPLATE)
        operations += await record(name, dsn)
    print(*printed(operations), sep="\n")


if __name__ == "__main__":
    if not sys.argv[1:] or not RECORDED.keys() >= {*sys.argv[1:]}:
        sys.exit(f"Name collections or parts: {', '.join(RECORDED)}.")
    with template_server() as server_dsn:
        asyncio.run(_print(server_dsn, sys.argv[1:]))
