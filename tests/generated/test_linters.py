"""Linter tests of the OpenAPI document: no errors."""

from pathlib import Path

import pytest

from tests.generated.tools import SCRIPTS, lend, node_tool, run

pytestmark = pytest.mark.contract("OpenAPI document")


async def test_redocly(document: Path) -> None:
    lend(document.parent)
    script = document.parent / "lint.mjs"
    script.write_text((SCRIPTS / "lint.mjs").read_text())
    await run("node", script, document, folder=document.parent)


async def test_spectral(document: Path) -> None:
    rules = SCRIPTS / "spectral.json"
    await run(node_tool("spectral"), "lint", "--ruleset", rules, document, folder=document.parent)
