"""Tests of generated clients: they compile under strict rules, and work."""

import shutil
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.generated.conftest import ServiceAddress
from tests.generated.tools import SCRIPTS, lend, node_tool, python_tool, run
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("OpenAPI document")


def check(printed: str, **more: Any) -> None:
    """Raise unless the script did what it was written for."""
    report: dict[str, Any] = orjson.loads(printed.splitlines()[-1])
    names = report.pop("listed")
    assert len(names) == 5
    assert names == sorted(names, reverse=True)
    assert report == {
        "created": "Sage",
        "replaced": "Dusty sage",
        "patched": "Deep sage",
        "merged": "Pale sage",
        "failed": ["validation_error.too_short"],
        **more,
    }


def check_all_calls(printed: str) -> None:
    """Raise unless every kind of call returned what it does."""
    report: dict[str, Any] = orjson.loads(printed.splitlines()[-1])
    names, followed = report.pop("listed"), report.pop("followed")
    assert len(names) == 5
    assert names == sorted(names, reverse=True)
    assert {*followed} == {"Bone white", None}
    assert report == {
        "notes": ["Calm", "Calm"],
        "bulk": ["Bone white"],
        "previewed": [["updated", 1], ["created", 5]],
        "outcomes": ["updated", "deleted", "deleted", "absent", "unchanged"],
        "parts": [True],
    }


def check_source(name: str) -> None:
    """Raise if a program of TypeScript has a cast or more than 64 lines."""
    lines = (SCRIPTS / name).read_text().splitlines()
    assert len(lines) <= 64
    assert not [line for line in lines if " as " in line and not line.lstrip().startswith("/")]


GENERATORS: dict[str, tuple[str, ...]] = {
    "openapi-typescript": ("openapi.json", "-o", "schema.ts"),
    "openapi-ts": ("--silent",),
}
PROGRAMS = {"openapi-typescript": ("typed", "all_calls"), "openapi-ts": ("all_calls_hey_api",)}


@pytest.mark.parametrize("generator", Sample(__name__)([*GENERATORS, "python"], 1))
async def test_a_client_compiles_and_works(
    generator: str, document: Path, service_address: ServiceAddress
) -> None:
    if generator == "python":
        await _check_python(document, service_address)
    else:
        await _check_typescript(generator, document, service_address)


async def _check_typescript(
    generator: str, document: Path, service_address: ServiceAddress
) -> None:
    programs = PROGRAMS[generator]
    folder = document.parent
    lend(folder)
    shutil.copy(SCRIPTS / "openapi-ts.config.mjs", folder)
    sources = [f"{name}.ts" for name in programs]
    if generator == "openapi-typescript":
        sources += ["connection.ts", "client.ts"]
    for name in sources:
        shutil.copy(SCRIPTS / name, folder)
    settings = orjson.loads((SCRIPTS / "tsconfig.json").read_bytes()) | {"files": sources}
    (folder / "tsconfig.json").write_bytes(orjson.dumps(settings))
    (folder / "package.json").write_text('{"type": "module"}')
    await run(node_tool(generator), *GENERATORS[generator], folder=folder)
    await run(node_tool("tsc"), folder=folder)
    environment = {"SELVEDGE_URL": service_address.url, "SELVEDGE_API_KEY": service_address.key}
    for name in programs:
        check_source(f"{name}.ts")
        printed = await run("node", f"built/{name}.js", folder=folder, **environment)
        if name == "typed":
            output = orjson.loads(printed)
            assert output["found"] == ["Moss"]
            own = {"color-translations 1", "color Moss"}
            # Style colors and SKUs show the name of their color.
            assert {entry for entry in output["entries"] if not entry.startswith("style-")} == own
        else:
            check_all_calls(printed)
    if generator == "openapi-typescript":
        check(await run("node", "built/client.js", folder=folder, **environment))


def correct_template(folder: Path) -> None:
    """Write the generator's template of operations, corrected.

    Its own checks a body that may be a list by `isinstance(body, list[PatchOperation])`, which
    Python refuses. The generator knows the class to check, and uses it elsewhere.
    """
    name = "endpoint_module.py.jinja"
    own = (resources.files("openapi_python_client") / "templates" / name).read_text()
    check_of_own = "isinstance(body, {{body.prop.get_type_string(no_optional=True) |"
    assert check_of_own in own, "The generator has changed: try without this correction."
    folder.mkdir()
    corrected = own.replace(
        check_of_own, "isinstance(body, {{body.prop.get_instance_type_string() |"
    )
    (folder / name).write_text(corrected)


async def _check_python(document: Path, service_address: ServiceAddress) -> None:
    folder = document.parent
    for name in ("client.py", "all_calls.py"):
        shutil.copy(SCRIPTS / name, folder)
    # Its own contexts hand on any object, which the types of httpx refuse.
    (folder / "mypy.ini").write_text(
        "[mypy]\n[mypy-selvedge_client.client]\nignore_errors = True\n"
    )
    (folder / "config.yml").write_text("package_name_override: selvedge_client\npost_hooks: []\n")
    correct_template(folder / "templates")
    printed = await run(
        *(python_tool("openapi-python-client"), "generate", "--path", document, "--meta", "none"),
        *("--output-path", "selvedge_client", "--config", "config.yml", "--fail-on-warning"),
        *("--custom-template-path", "templates"),
        folder=folder,
    )
    assert "Warning" not in printed
    await run(
        *(python_tool("mypy"), "--strict", "selvedge_client", "client.py", "all_calls.py"),
        folder=folder,
    )
    settings = {"SELVEDGE_URL": service_address.url, "SELVEDGE_API_KEY": service_address.key}
    printed = await run(sys.executable, "client.py", folder=folder, **settings)
    check(printed, followed=["Sage"])
    check_all_calls(await run(sys.executable, "all_calls.py", folder=folder, **settings))
