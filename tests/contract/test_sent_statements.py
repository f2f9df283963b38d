"""SQL catalog against the service: what `selvedge sql` prints is what the service sends."""

import re
from random import Random
from typing import Any

import pytest
from aiohttp.test_utils import TestClient

from service.queries.master_record import MasterRecord
from service.queries.parts import RecordPart
from service.resources.registry import PARTS
from service.sql_catalog import catalog
from tests.support import generate, parts
from tests.support.api import Answer, Api, issue_key
from tests.support.parametrize import of_each_resource
from tests.support.serving import serving
from tests.support.statement_spy import record_statements

pytestmark = pytest.mark.contract()

PRINTED = {text for entries in catalog().values() for entry in entries for text in entry.texts}
#: Transactions, settings of a session, and the look-ups of types by asyncpg, which turns JIT off.
_OF_SESSIONS = re.compile(
    r"\s*(begin|commit|rollback|savepoint|release|set|reset|discard)\b|.*\b(pg_type|pg_catalog|set_config)\b",
    re.IGNORECASE | re.DOTALL,
)


def unprinted(statements: list[str]) -> list[str]:
    """Return the statements that the catalog lacks."""
    return [text for text in statements if text not in PRINTED and not _OF_SESSIONS.match(text)]


@of_each_resource
async def test_statements_of_a_resource_are_printed(
    resource: MasterRecord, own_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, random = f"/api/{resource.name}", Random(5)
    with record_statements(monkeypatch) as statements:
        references = await generate.references(own_api)
        statements.clear()

        def bodies(form: str) -> list[dict[str, Any]]:
            return [generate.body(resource, form, references, random) for _ in range(2)]

        created = await own_api.post(path, bodies("create"))
        assert created.status == 201, created.raw
        ids = [record["id"] for record in created.data]
        items = [body | {"id": id_} for body, id_ in zip(bodies("replace"), ids, strict=True)]
        answers = [
            await own_api.get(path),
            await own_api.get(path, {"pageNumber": "2"}),
            await own_api.get(f"{path}/{ids[0]}"),
            await own_api.get(f"{path}/{ids[0]}", {"form": "writable"}),
            await own_api.put(path, items),
            await own_api.put(f"{path}/{ids[0]}", items[0]),
            await own_api.patch(path, [{"id": id_} for id_ in ids]),
            await own_api.get("/api/changes", {"documents": "true", "collection": resource.name}),
            await own_api.delete(f"{path}/{ids[0]}"),
            await own_api.delete(path, [("ids", str(id_)) for id_ in ids[1:]]),
        ]
        if resource.own_key:
            answers += await written_by_key(own_api, resource, bodies("create")[0])
    assert [answer.status for answer in answers] == [200] * len(answers), [
        answer.raw for answer in answers if answer.status != 200
    ]
    assert len(statements) > 20
    assert unprinted(statements) == []


async def written_by_key(api: Api, resource: MasterRecord, body: dict[str, Any]) -> list[Answer]:
    """Create a record by its own key, merge into it and delete it; return the other answers."""
    path, match = f"/api/{resource.name}", {"match": str(resource.own_key)}
    name = {} if resource.name == "style-relations" else {str(resource.own_key): "SENT-1"}
    item = generate.with_state(resource, body | name, "active")
    created = await api.put(path, [item], params=match)
    assert created.status == 201, created.raw
    key = generate.key_of(resource, item)
    return [
        await api.patch(path, [key], params=match),
        await api.put(path, [key | {"state": "deleted"}], params=match),
    ]


@pytest.mark.parametrize("part", PARTS, ids=[part.name for part in PARTS])
async def test_statements_of_a_part_are_printed(
    part: RecordPart, demo_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, headers = Random(5), {"Idempotency-Key": f"statements-{part.name}"}
    with record_statements(monkeypatch) as statements:
        async with serving(demo_dsn) as server, TestClient(server) as client:
            own_api = Api(client, await issue_key(demo_dsn, 1))
            references = await generate.references(own_api)
            [path] = await parts.paths(own_api, part, most=1)
            body = await parts.generated_body(own_api, part, path, references, random)
            statements.clear()
            answers = [
                await own_api.get(path),
                await own_api.get(path, {"form": "writable"}),
                await own_api.put(path, body, headers=headers),
                await own_api.put(path, body, headers=headers),
                await own_api.put(path, parts.least(part)),
            ]
    assert [answer.status for answer in answers] == [200] * len(answers), answers[-1].raw
    assert len(statements) > 10
    assert unprinted(statements) == []
