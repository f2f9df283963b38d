"""Screenshots of the pages for the README: ``make screenshots``."""

import asyncio
import base64
import tempfile
from pathlib import Path
from typing import Final

from aiohttp.test_utils import TestClient

from tests.support.api import Api, issue_key
from tests.support.browser import DataPage, Page, Reader, reader_of
from tests.support.chromium import chromium
from tests.support.data_tour import Records, Texts, create, tour
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.serving import serving

_IMAGES: Final = Path(__file__).parents[2] / "docs" / "images"
_TEXTS: Final = Texts("Deep navy", "N-19", "Runs darker on wool.", "Crème brûlée", "Winter tones")
_ARGUMENTS: Final = (
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
)
"""Arguments of a browser with a mouse, which headless ones lack."""
_QUALITY: Final = 60
_WIDTH: Final = 1280
_STYLE: Final = "#/styles/3"


async def _write(server_dsn: str) -> None:
    dsn = fresh_database(server_dsn, "screenshots", DEMO_TEMPLATE)
    with tempfile.TemporaryDirectory() as folder:
        async with serving(dsn) as server, TestClient(server) as client:
            api = Api(client, await issue_key(dsn, 1))
            records = await create(api, _TEXTS)
            with chromium(Path(folder) / "profile", arguments=_ARGUMENTS) as driver:
                reader = await reader_of(driver, api, dsn)
                await asyncio.to_thread(_take_all, reader, records, Path(folder))


def _take_all(reader: Reader, records: Records, folder: Path) -> None:
    _IMAGES.mkdir(exist_ok=True)
    reader.driver.set_window_size(_WIDTH, 900)
    page = reader.enter("#/")
    page.until(lambda: bool(page.texts(".newest .thumb")) and not page.is_busy())
    _take(page, "data-start", 760)
    _open(page, "#/styles", ".thumb [style]")
    _take(page, "data-list", 760)
    _open(page, _STYLE, ".style-head h1")
    _take(page, "data-style", 1180)
    page.wish_for("dark")
    _take(page, "data-style-dark", 1180)
    page.press("Edit the measurement chart")
    page.until(lambda: bool(page.texts(".savebar")))
    page.driver.execute_script("document.querySelector('.of-measurement-chart').scrollIntoView()")
    _take(page, "data-chart-dark", 760)
    page.press("Cancel")
    for name, address, shown in (
        ("data-phone", "#/styles", ".thumb [style]"),
        ("data-style-phone", _STYLE, ".style-head h1"),
    ):
        page.use_phone_layout("light")
        _open(page, address, shown)
        _take(page, name, 844)
    page.use_desktop_layout()
    front = Page(reader.driver, reader.url)
    front.find(".hero")
    _take(front, "front", 860)
    docs = Page(reader.driver, f"{reader.url}docs")
    docs.click(".opblock-tag")
    docs.find(".opblock")
    docs.driver.execute_script("document.querySelector('.filter').scrollIntoView()")
    _take(docs, "docs", 760)
    reader.driver.execute_script("sessionStorage.clear()")
    _take_upload(reader, records, folder)


def _take_upload(reader: Reader, records: Records, folder: Path) -> None:
    for name, page in tour(reader, records, _TEXTS, folder):
        if name == "rejected rows":
            page.press("1 changed")
            page.driver.execute_script("document.querySelector('.columns').scrollIntoView()")
            _take(page, "data-upload", 760)
            return


def _open(page: DataPage, address: str, shown: str) -> None:
    page.driver.execute_script("location.hash = arguments[0]", address)
    page.until(lambda: bool(page.value(f"!!document.querySelector({shown!r})")))
    page.until(lambda: not page.is_busy())


def _take(page: Page, name: str, height: int) -> None:
    """Save the upper part of what the window shows."""
    width = page.value("document.documentElement.clientWidth")
    clip = {"x": page.value("scrollX"), "y": page.value("scrollY"), "scale": 1}
    options = {
        "format": "webp",
        "quality": _QUALITY,
        "captureBeyondViewport": True,
        "clip": {**clip, "width": width, "height": height},
    }
    image = page.driver.execute_cdp_cmd("Page.captureScreenshot", options)
    (_IMAGES / f"{name}.webp").write_bytes(base64.b64decode(image["data"]))


if __name__ == "__main__":
    with template_server() as dsn:
        asyncio.run(_write(dsn))
