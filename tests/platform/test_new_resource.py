"""Test of a new master record: its own files and their registration suffice.

A copy of the service gets those of a sample resource, and is started as an operator starts it.
"""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, chdir
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import ClientSession
from openapi_spec_validator import validate

from tests.policy.sources import ROOT
from tests.support import contract_index, generated_parts
from tests.support.api import Api, issue_key, replacing
from tests.support.databases import fresh_database
from tests.support.processes import environment, executed
from tests.support.temporary_folders import copy_program

SAMPLE_RESOURCE = ROOT / "tests" / "support" / "sample_resource"
TRIMS = "/api/trims"


#: The lines in the registry, the only shared file, each with the line that it comes after.
LINES = (
    (
        "from service.resources.sub_suppliers import SubSuppliers",
        "from service.resources.trims import Trims, TrimSizes",
    ),
    ("    SubSuppliers(),", "    Trims(),"),
    ("    ColorTranslations(),", "    TrimSizes(),"),
)
#: Lines by hand at most, and files: of a plain master record, and of a part that is a list.
MOST_LINES, MOST_FILES = {"trims": 150, "trim-sizes": 120}, 6
MOST_GENERATED = 80


def register(home: Path) -> None:
    """Add the lines."""
    registry = home / "service" / "resources" / "registry.py"
    text = registry.read_text(encoding="utf-8")
    for before, line in LINES:
        assert text.count(f"{before}\n") == 1
        text = text.replace(f"{before}\n", f"{before}\n{line}\n")
    registry.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the program with trims."""
    home = tmp_path_factory.mktemp("with_trims")
    copy_program(home)
    shutil.copytree(SAMPLE_RESOURCE, home, dirs_exist_ok=True)
    register(home)
    return home


@pytest.fixture(scope="module")
def served(server_dsn: str, home: Path) -> Iterator[tuple[str, str]]:
    """Address of the service with trims, and a key."""
    dsn = fresh_database(server_dsn, f"trims_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")
    data_dir = home / "data"
    with ExitStack() as stack:
        with chdir(home):
            for command in (("migrate",), ("demo", "load")):
                program = [sys.executable, "-m", "service", *command]
                subprocess.run(program, env=environment(data_dir, DATABASE_URL=dsn), check=True)
            started = executed(data_dir, "serve", DATABASE_URL=dsn, WORKERS="1")
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
    names = [("collection", "trims"), ("collection", "trim-sizes")]
    document = (await trims.get("/openapi.json", names)).json
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
        f"get {TRIMS}/{{id}}/sizes": "readTrimSizes",
        f"put {TRIMS}/{{id}}/sizes": "replaceTrimSizes",
    }
    assert {"name": "Trims", "description": "A button, a zipper or a label."} in document["tags"]


async def test_the_new_part_is_a_list(trims: Api) -> None:
    trim = (await trims.post(TRIMS, {"name": "Rivet", "userDefinedId": "R-1"})).data
    path = f"{TRIMS}/{trim['id']}/sizes"
    made = await trims.put(path, [{"name": "24L", "diameter": "15.0"}, {"name": "18L"}])
    assert made.status == 200, made.raw
    first, second = [size["id"] for size in made.data]
    written = await trims.put(path, [{"name": "18L", "diameter": 11.5}, {"name": "20L"}])
    assert written.data[0]["id"] == second
    assert first not in [size["id"] for size in written.data]
    assert written.data[0] == {"id": second, "name": "18L", "diameter": 11.5}
    wrong = await trims.put(path, [{"id": first, "name": "24L"}])
    assert wrong.details == [("validation_error.unknown_reference", "[0].id")]
    listed = await trims.get("/api/trim-sizes", {"trimId": str(trim["id"])})
    assert listed.data == [{"trimId": trim["id"], "sizes": written.data}]
    emptied = await trims.put("/api/trim-sizes", [{"trimId": trim["id"], "sizes": []}])
    assert emptied.data == [{"trimId": trim["id"], "sizes": []}]


def test_few_lines_are_generated(home: Path) -> None:
    """Those of documents and of the client, for the record and its part; tests index themselves."""
    count = (
        "from tests.support.generated_parts import PARTS, contract_index as tests;"
        "parts = [part for part in PARTS if part.render != tests.index];"
        "print(sum(part.render().count('\\n') for part in parts))"
    )
    with_trims = subprocess.run(
        [sys.executable, "-P", "-c", count],
        env=os.environ | {"PYTHONPATH": f"{home}:{ROOT}"},
        check=True,
        capture_output=True,
        text=True,
    )
    parts = [each for each in generated_parts.PARTS if each.render != contract_index.index]
    without = sum(part.render().count("\n") for part in parts)
    assert 0 < int(with_trims.stdout) - without <= MOST_GENERATED


def test_a_new_resource_costs_few_lines() -> None:
    files: dict[str, list[Path]] = {name: [] for name in MOST_LINES}
    for path in SAMPLE_RESOURCE.rglob("*.*"):
        if path.suffix in {".json", ".py", ".sql"}:
            files["trim-sizes" if "size" in path.name else "trims"].append(path)
    files["trim-sizes"].append(SAMPLE_RESOURCE / "service" / "resources" / "trims.py")
    for name, paths in files.items():
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
        assert len(paths) + 1 <= MOST_FILES, paths
        assert lines + len(LINES) <= MOST_LINES[name], name


def test_the_page_shows_the_classes_that_are_tested() -> None:
    page = (ROOT / "docs" / "adding-a-resource.md").read_text(encoding="utf-8")
    shown = [textwrap.dedent(code) for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL)]
    module = SAMPLE_RESOURCE / "service" / "resources" / "trims.py"
    text = module.read_text(encoding="utf-8")
    assert len(shown) == text.count("\nclass ")
    assert all(code in text for code in shown)
