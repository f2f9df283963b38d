"""Linter tests of the OpenAPI document: no errors."""

import shutil
from pathlib import Path

import pytest

from service import openapi
from service.resources.registry import EXPORTED
from tests.generated.tools import SCRIPTS, lend, node_tool, run
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("OpenAPI document")

COLLECTIONS = frozenset({*Sample(__name__)([*EXPORTED], 12), "colors", "styles"})
"""Those that the examples of webhooks name, and others."""


async def test_redocly(document: Path) -> None:
    lend(document.parent)
    script = document.parent / "lint.mjs"
    script.write_text((SCRIPTS / "lint.mjs").read_text())
    await run("node", script, document, folder=document.parent)


async def test_spectral(tmp_path: Path) -> None:
    """The rules of OWASP and IBM, too; a run takes the document of some collections."""
    lend(tmp_path)
    (tmp_path / "openapi.json").write_bytes(openapi.document(COLLECTIONS))
    shutil.copy(SCRIPTS / "spectral.yaml", tmp_path)
    lint = (node_tool("spectral"), "lint", "--fail-severity=hint", "--ruleset", "spectral.yaml")
    await run(*lint, "openapi.json", folder=tmp_path)
