"""The page of /docs in a real browser: no network but the service, and "try it" with a key."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import (
    element_to_be_clickable,
    presence_of_element_located,
)
from selenium.webdriver.support.ui import WebDriverWait

from service.openapi.answers import example_of
from tests.support.api import Api

_BROWSER, _DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
_ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1280,1400",
)  # fmt: skip
_SECONDS = 30

pytestmark = pytest.mark.skipif(
    not (_BROWSER and _DRIVER), reason="chromium and chromedriver are not installed"
)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    """A headless Chromium with a profile of its own, which logs what pages complain of."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(_BROWSER)
    for argument in (*_ARGUMENTS, f"--user-data-dir={tmp_path / 'profile'}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(_DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


class Page:
    """The page as a reader uses it."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver = driver
        self.wait = WebDriverWait(driver, _SECONDS)
        driver.get("about:blank")
        self.log("performance")  # of the page that the browser began with
        driver.get(url)

    def click(self, selector: str) -> None:
        self.wait.until(element_to_be_clickable((By.CSS_SELECTOR, selector))).click()

    def find(self, selector: str) -> WebElement:
        return self.wait.until(presence_of_element_located((By.CSS_SELECTOR, selector)))

    def authorize(self, key: str) -> None:
        """Paste a key."""
        self.click("button.authorize")
        self.find(".auth-container input").send_keys(key)
        self.click(".modal-ux button.authorize")
        self.click(".modal-ux button.btn-done")

    def try_it(self, tag: str, operation: str, **parameters: str) -> tuple[str, str]:
        """Execute an operation; return the status and the body that the page shows."""
        block = f"#operations-{tag}-{operation}"
        self.click(f"#operations-tag-{tag}")
        self.click(f"{block} button.opblock-summary-control")
        self.click(f"{block} .try-out__btn")
        for name, value in parameters.items():
            self.find(f"{block} tr[data-param-name='{name}'] input").send_keys(value)
        self.click(f"{block} button.execute")
        answer = f"{block} .live-responses-table .response"
        status = self.find(f"{answer} .response-col_status").text
        return status, self.find(f"{answer} .highlight-code code").text

    def requested(self) -> set[str]:
        """Every address that the browser asked for."""
        events = (orjson.loads(entry["message"])["message"] for entry in self.log("performance"))
        return {
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        }

    def complaints(self) -> list[Any]:
        """Errors on the console, refusals of the content security policy among them."""
        return [entry for entry in self.log("browser") if entry["level"] == "SEVERE"]

    def log(self, kind: str) -> list[dict[str, Any]]:
        """What a log of the browser gained since it was read last."""
        entries: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]
        return entries


def _explore(driver: webdriver.Chrome, url: str, key: str) -> None:
    page = Page(driver, f"{url}docs")
    page.authorize(key)
    status, body = page.try_it("Colors", "listColors", pageSize="1")
    assert status.startswith("200")
    assert orjson.loads(body)["pagination"]["hasMore"] is True
    # The example that stands in the form is a patch that can be sent.
    status, body = page.try_it("Groups", "patchGroup", id="1")
    assert status.startswith("200")
    assert orjson.loads(body)["data"]["name"] == example_of("groups", "document")["name"]
    addresses = page.requested()
    assert f"{url}openapi.json" in addresses
    assert {address for address in addresses if not address.startswith((url, "data:"))} == set()
    assert page.complaints() == []


async def test_reader_tries_operations_with_a_key(api: Api, browser: webdriver.Chrome) -> None:
    await asyncio.to_thread(_explore, browser, str(api.client.make_url("/")), api.key)
