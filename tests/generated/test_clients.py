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


async def test_typescript(document: Path, service_address: ServiceAddress) -> None:
    folder = document.parent
    lend(folder)
    for name in ("connection.ts", "client.ts", "typed.ts", "tsconfig.json"):
        shutil.copy(SCRIPTS / name, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    await run(node_tool("openapi-typescript"), document, "-o", "schema.ts", folder=folder)
    await run(node_tool("tsc"), folder=folder)
    settings = {"SELVEDGE_URL": service_address.url, "SELVEDGE_API_KEY": service_address.key}
    check(await run("node", "built/client.js", folder=folder, **settings))
    sources = (SCRIPTS / name for name in ("connection.ts", "typed.ts"))
    lines = [line for source in sources for line in source.read_text().splitlines()]
    assert not [line for line in lines if " as " in line and not line.lstrip().startswith("/")]
    printed = orjson.loads(await run("node", "built/typed.js", folder=folder, **settings))
    assert printed == {"found": ["Moss"], "entries": ["color-translations 1", "color Moss"]}


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


async def test_python(document: Path, service_address: ServiceAddress) -> None:
    folder = document.parent
    shutil.copy(SCRIPTS / "client.py", folder)
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
    await run(python_tool("mypy"), "selvedge_client", "client.py", folder=folder)
    settings = {"SELVEDGE_URL": service_address.url, "SELVEDGE_API_KEY": service_address.key}
    printed = await run(sys.executable, "client.py", folder=folder, **settings)
    check(printed, followed=["Sage"])
