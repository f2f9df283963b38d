"""Screenshots of `/data` for the README: ``make screenshots``."""

import asyncio
import base64
import tempfile
from pathlib import Path
from typing import Final

from aiohttp.test_utils import TestClient

from tests.support.api import Api, issue_key
from tests.support.browser import DataPage, Reader, reader_of
from tests.support.chromium import chromium
from tests.support.data_tour import Records, Texts, create, tour
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.serving import serving

_IMAGES: Final = Path(__file__).parents[2] / "docs" / "images"
_TEXTS: Final = Texts("Deep navy", "N-19", "Runs darker on wool.", "Crème brûlée", "Winter tones")
_QUALITY: Final = 60


async def _write(server_dsn: str) -> None:
    dsn = fresh_database(server_dsn, "screenshots", DEMO_TEMPLATE)
    with tempfile.TemporaryDirectory() as folder:
        async with serving(dsn) as server, TestClient(server) as client:
            api = Api(client, await issue_key(dsn, 1))
            records = await create(api, _TEXTS)
            with chromium(Path(folder) / "profile") as driver:
                driver.set_window_size(1120, 900)
                reader = await reader_of(driver, api, dsn)
                await asyncio.to_thread(_take_all, reader, records, Path(folder))


def _take_all(reader: Reader, records: Records, folder: Path) -> None:
    for name, page in tour(reader, records, _TEXTS, folder):
        if name == "list":
            _take_list(page)
        elif name == "record":
            page.use_phone_layout("dark")
            _take(page, "data-phone", 844)
            page.use_desktop_layout()
        elif name == "style":
            page.use_desktop_layout()
            _take(page, "data-style", 1180)
        elif name == "rejected rows":
            page.use_desktop_layout("dark")
            page.press("1 changed")
            page.driver.execute_script("document.querySelector('.columns').scrollIntoView()")
            _take(page, "data-dark", 760)


def _take_list(page: DataPage) -> None:
    page.driver.execute_script("location.hash = '#/colors?sort=name'")
    page.until(lambda: len(page.rows()) == 30)
    page.use_desktop_layout()
    _take(page, "data-light", 760)


def _take(page: DataPage, name: str, height: int) -> None:
    """Save the upper part of what the window shows."""
    width = page.value("innerWidth")
    clip = {"x": page.value("scrollX"), "y": page.value("scrollY"), "scale": 1}
    options = {
        "format": "webp",
        "quality": _QUALITY,
        "clip": {**clip, "width": width, "height": height},
    }
    image = page.driver.execute_cdp_cmd("Page.captureScreenshot", options)
    _IMAGES.mkdir(exist_ok=True)
    (_IMAGES / f"{name}.webp").write_bytes(base64.b64decode(image["data"]))


if __name__ == "__main__":
    with template_server() as dsn:
        asyncio.run(_write(dsn))
