"""Accessibility tests of `/data` by axe-core: no violation in any view."""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from selenium import webdriver

from tests.generated.tools import TOOLS
from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, Reader, reader_of
from tests.support.data_tour import Records, Texts, create, tour
from tests.support.sampling import Sample

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_AXE: Final = TOOLS / "node_modules" / "axe-core" / "axe.min.js"
_VIOLATIONS: Final = """
axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })
  .then(({ passes, violations }) => [
    passes.length,
    violations.map(({ id, help, nodes }) => [id, help, nodes.map(({ html }) => html)]),
  ])
""".strip()
_TEXTS: Final = Texts("Deep navy", "N-1", "Dyed in wool.", "Crème brûlée", "Winter tones")


async def test_axe_finds_no_violation(
    browser: webdriver.Chrome, api: Api, demo_dsn: str, tmp_path: Path, sample: Sample
) -> None:
    """All rules, those of best practices and the size of targets included: light and dark."""
    records = await create(api, _TEXTS)
    reader = await reader_of(browser, api, demo_dsn)
    await asyncio.to_thread(_judge, reader, records, tmp_path, sample)


def _judge(reader: Reader, records: Records, folder: Path, sample: Sample) -> None:
    script = _AXE.read_text()
    for name, page in tour(reader, records, _TEXTS, folder):
        # A run judges half of the views, each in a layout.
        layouts = (page.use_phone_layout, page.use_desktop_layout, None, None)
        for layout in filter(None, sample(layouts, 1)):
            layout("dark" if layout == page.use_phone_layout else "light")
            if not page.value("!!window.axe"):
                page.driver.execute_script(script)
            passed, violations = page.value(_VIOLATIONS)
            assert violations == [], name
            assert passed > 10, name
