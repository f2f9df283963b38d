"""Tests of generated clients: they compile under strict rules, and work."""

import shutil
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.generated.conftest import ServiceAddress
from tests.generated.tools import SCRIPTS, lend, node_tool, python_tool, run

pytestmark = pytest.mark.contract("OpenAPI document")


def check(printed: str) -> None:
    """Raise unless the script did what it was written for."""
    report: dict[str, Any] = orjson.loads(printed.splitlines()[-1])
    names = report.pop("listed")
    assert len(names) == 5
    assert names == sorted(names, reverse=True)
    assert report == {
        "created": "Sage",
        "replaced": "Dusty sage",
        "patched": "Deep sage",
        "failed": ["validation_error.too_short"],
    }


async def test_typescript(document: Path, service_address: ServiceAddress) -> None:
    folder = document.parent
    lend(folder)
    for name in ("client.ts", "tsconfig.json"):
        shutil.copy(SCRIPTS / name, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    await run(node_tool("openapi-typescript"), document, "-o", "schema.ts", folder=folder)
    await run(node_tool("tsc"), folder=folder)
    settings = {"SELVEDGE_URL": service_address.url, "SELVEDGE_API_KEY": service_address.key}
    check(await run("node", "built/client.js", folder=folder, **settings))


async def test_python(document: Path, service_address: ServiceAddress) -> None:
    folder = document.parent
    shutil.copy(SCRIPTS / "client.py", folder)
    # Its own contexts hand on any object, which the types of httpx refuse.
    (folder / "mypy.ini").write_text(
        "[mypy]\n[mypy-selvedge_client.client]\nignore_errors = True\n"
    )
    (folder / "config.yml").write_text("package_name_override: selvedge_client\npost_hooks: []\n")
    printed = await run(
        *(python_tool("openapi-python-client"), "generate", "--path", document, "--meta", "none"),
        *("--output-path", "selvedge_client", "--config", "config.yml", "--fail-on-warning"),
        folder=folder,
    )
    assert "Warning" not in printed
    await run(python_tool("mypy"), "selvedge_client", "client.py", folder=folder)
    settings = {"SELVEDGE_URL": service_address.url, "SELVEDGE_API_KEY": service_address.key}
    check(await run(sys.executable, "client.py", folder=folder, **settings))
