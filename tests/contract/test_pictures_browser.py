"""Browser tests of pictures of other hosts on `/data`, which the operator permits."""

import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from selenium import webdriver

from tests.support.api import Api, issue_key
from tests.support.browser import NEEDS_BROWSER, Reader, reader_of
from tests.support.serving import serving

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'
_AWAY = "https://pictures.invalid/front.jpg"
_SHOW = """
const [url, done] = arguments;
import(new URL("data/pictures.js", location.href)).then(({ pictureOr }) => {
  const node = pictureOr(document.createElement("p"), url, "Front");
  node.addEventListener("load", () => done([node.tagName, node.naturalWidth, node.alt]));
  node.loading = "eager";
  document.querySelector("#view").append(node);
  if (node.tagName === "P") done(["P"]);
});
"""


async def _picture(request: web.Request) -> web.Response:
    """Return a picture, to those alone who do not say where it is shown."""
    if "Referer" in request.headers:
        return web.Response(status=403)
    return web.Response(text=_SVG, content_type="image/svg+xml")


async def test_pictures_are_shown_from_permitted_hosts(
    logged_browser: webdriver.Chrome, demo_dsn: str
) -> None:
    """Those that are not there, or not permitted, stay drawn."""
    app = web.Application()
    app.router.add_get("/front.svg", _picture)
    async with TestServer(app) as host:
        url = str(host.make_url("/front.svg"))
        sources = f"{host.make_url('/')}".rstrip("/") + ", https://pictures.invalid"
        async with (
            serving(demo_dsn, PICTURE_SOURCES=sources) as server,
            TestClient(server) as client,
        ):
            api = Api(client, await issue_key(demo_dsn, 1))
            policy = (await api.get("/data")).headers["Content-Security-Policy"]
            assert f"img-src data: {sources.replace(',', '')};" in policy
            style = (await api.get("/api/styles", {"pageSize": 1})).data[0]["id"]
            file = {"styleId": style, "fileName": "front.jpg", "category": "image", "url": _AWAY}
            body = file | {"isMain": True, "altText": "From the front"}
            assert (await api.post("/api/style-files", body)).status == 201
            reader = await reader_of(logged_browser, api, demo_dsn)
            await asyncio.to_thread(_look, reader, style, url)


def _look(reader: Reader, style: int, url: str) -> None:
    page = reader.enter(f"#/styles/{style}")
    page.until(lambda: bool(page.texts(".style-head h1")) and not page.is_busy())
    page.until(lambda: page.value("!!document.querySelector('.style-head svg.drawing')"))
    drawing = "document.querySelector('.style-head .drawing').getAttribute('aria-label')"
    assert page.value(drawing) == "From the front"
    assert _AWAY in page.requested()
    assert page.driver.execute_async_script(_SHOW, url) == ["IMG", 40, "Front"]
    assert page.driver.execute_async_script(_SHOW, "https://example.invalid/a.jpg") == ["P"]
    refused = [entry for entry in page.console_errors() if "pictures.invalid" not in str(entry)]
    assert refused == [], "the policy of the page refused nothing"
