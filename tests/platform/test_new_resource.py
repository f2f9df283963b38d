"""Test of a new master record: its own files and their registration suffice.

A copy of the service gets those of a sample resource, and is started as an operator starts it.
"""

import asyncio
import os
import re
import shutil
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, chdir
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import ClientSession
from openapi_spec_validator import validate

from tests.policy.sources import ROOT
from tests.support.api import Api, issue_key, replacing
from tests.support.databases import fresh_database
from tests.support.processes import running, selvedge
from tests.support.temporary_folders import copy_program

SAMPLE_RESOURCE = ROOT / "tests" / "support" / "sample_resource"
TRIMS = "/api/trims"


#: The lines that stand in shared files, and each the line that it comes after.
LINES = {
    "service/resources/registry.py": (
        (
            "from service.resources.sub_suppliers import SubSuppliers",
            "from service.resources.trims import Trims",
        ),
        ("    SubSuppliers(),", "    Trims(),"),
    ),
    "service/demo/loading.py": (
        (
            "from service.demo.suppliers import add_sub_suppliers",
            "from service.demo.trims import add_trims",
        ),
        ("        add_sub_suppliers(organization)", "        add_trims(organization)"),
    ),
}


def register(home: Path) -> None:
    """Add the lines."""
    for name, added in LINES.items():
        text = (home / name).read_text(encoding="utf-8")
        for before, line in added:
            assert text.count(f"{before}\n") == 1
            text = text.replace(f"{before}\n", f"{before}\n{line}\n")
        (home / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def served(server_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Address of the service with trims, and a key."""
    home = tmp_path_factory.mktemp("with_trims")
    copy_program(home)
    shutil.copytree(SAMPLE_RESOURCE, home, dirs_exist_ok=True)
    register(home)
    dsn = fresh_database(server_dsn, f"trims_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")
    data_dir = home / "data"
    with ExitStack() as stack:
        with chdir(home):
            for command in (("migrate",), ("demo", "load")):
                assert selvedge(data_dir, *command, DATABASE_URL=dsn).returncode == 0
            started = running(data_dir, "serve", DATABASE_URL=dsn, WORKERS="1")
            service = stack.enter_context(started)
        yield service.base_url, asyncio.run(issue_key(dsn, 1))


@pytest.fixture
async def trims(served: tuple[str, str]) -> AsyncIterator[Api]:
    """A caller of it."""
    base_url, key = served
    async with ClientSession(base_url) as session:
        yield Api(cast(Any, session), key)


async def test_the_new_resource_has_every_operation(trims: Api) -> None:
    listed = await trims.get(TRIMS)
    assert (len(listed.data), listed.json["pagination"]["hasMore"]) == (30, True)
    created = await trims.post(TRIMS, {"name": "Button", "userDefinedId": "B-1"})
    assert created.status == 201, created.raw
    path = created.headers["Location"]
    record = {"id": created.data["id"], "name": "Button", "userDefinedId": "B-1", "state": "active"}
    assert created.data == record
    assert (await trims.get(path)).data == record
    assert (await trims.get(TRIMS, {"userDefinedId": "B-1"})).data == [record]

    replaced = await trims.put(path, {"name": "Zipper", "state": "inactive"})
    assert replaced.data == record | {"name": "Zipper", "userDefinedId": None, "state": "inactive"}
    patched = await trims.patch(path, replacing("/name", "Label"))
    assert patched.data["name"] == "Label"
    assert (await trims.get(path, {"form": "writable"})).data["state"] == "inactive"
    stale = await trims.delete(path, headers={"If-Match": created.headers["ETag"]})
    assert stale.status == 412
    assert (await trims.delete(path)).data["state"] == "deleted"
    assert (await trims.get(TRIMS, {"id": str(record["id"])})).data == []


async def test_the_new_resource_is_written_in_bulk(trims: Api) -> None:
    made = await trims.post(TRIMS, [{"name": "Button"}, {"name": "Zipper"}, {"name": "Label"}])
    assert made.status == 201, made.raw
    inactive, gone, other = [record["id"] for record in made.data]
    items = [
        {"id": inactive, "name": "Snap", "state": "inactive"},
        {"id": gone, "name": "Zipper", "state": "deleted"},
    ]
    replaced = await trims.put(TRIMS, items)
    assert [record["state"] for record in replaced.data] == ["inactive", "deleted"]
    deleted = await trims.delete(TRIMS, [("ids", inactive), ("ids", other)])
    assert {record["state"] for record in deleted.data} == {"deleted"}
    wrong = await trims.put(TRIMS, [items[0] | {"colour": "red"}, items[1] | {"id": 2**62}])
    assert wrong.details == [
        ("validation_error.unknown_field", "[0].colour"),
        ("not_found", "[1].id"),
    ]


async def test_the_new_resource_is_documented(trims: Api) -> None:
    document = (await trims.get("/openapi.json")).json
    own = {path: made for path, made in document["paths"].items() if path.startswith(TRIMS)}
    validate(document | {"paths": own})
    assert {
        f"{method} {path}": operation["operationId"]
        for path, methods in own.items()
        for method, operation in methods.items()
        if method != "parameters"
    } == {
        f"get {TRIMS}": "listTrims",
        f"post {TRIMS}": "createTrims",
        f"put {TRIMS}": "bulkReplaceTrims",
        f"patch {TRIMS}": "bulkPatchTrims",
        f"delete {TRIMS}": "bulkDeleteTrims",
        f"get {TRIMS}/{{id}}": "readTrim",
        f"put {TRIMS}/{{id}}": "replaceTrim",
        f"patch {TRIMS}/{{id}}": "patchTrim",
        f"delete {TRIMS}/{{id}}": "deleteTrim",
    }
    assert {"name": "Trims", "description": "A button, a zipper or a label."} in document["tags"]


def test_the_page_shows_the_class_that_is_tested() -> None:
    page = (ROOT / "docs" / "adding-a-resource.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    module = SAMPLE_RESOURCE / "service" / "resources" / "trims.py"
    assert textwrap.dedent(shown) in module.read_text(encoding="utf-8")
