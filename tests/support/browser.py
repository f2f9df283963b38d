"""Headless browser, and a page in it as a reader uses it."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import orjson
import pytest
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import (
    element_to_be_clickable,
    presence_of_element_located,
)
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.support import reaper
from tests.support.api import Api, issue_key
from tests.support.time_limits import limit

_SHELL = shutil.which("chromium-headless-shell")
"""Chromium without windows, tabs and menus, which take half of the processor time of tests."""
_BROWSER, _DRIVER = _SHELL or shutil.which("chromium"), shutil.which("chromedriver")
_ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1280,1400",
)  # fmt: skip
_SECONDS = 30
_REQUESTS = "performance"

NEEDS_BROWSER = pytest.mark.skipif(
    not (_BROWSER and _DRIVER), reason="chromium and chromedriver are not installed"
)


class _ReapedDriver(webdriver.ChromeService):
    """Service of chromedriver below a reaper: both end with this process, however it ends."""

    def __init__(self) -> None:
        # A session of its own: Ctrl-C reaches the tests alone, which then end the browser.
        super().__init__(sys.executable, popen_kw={"start_new_session": True})

    def command_line_args(self) -> list[str]:
        return [reaper.__file__, str(_DRIVER), *super().command_line_args()]


@contextmanager
def chromium(
    profile: Path, *, requests: bool = False, arguments: tuple[str, ...] = ()
) -> Iterator[webdriver.Chrome]:
    """Run a headless Chromium with that profile, which logs console errors.

    ``requests`` are logged as well if asked for, since that makes every page take longer.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = str(_opening_a_page(profile.parent) if _SHELL else _BROWSER)
    for argument in (*_ARGUMENTS, *arguments, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    logged = {"browser": "ALL"} | ({_REQUESTS: "ALL"} if requests else {})
    options.set_capability("goog:loggingPrefs", logged)
    service = _ReapedDriver()
    try:
        yield webdriver.Chrome(options=options, service=service)
    finally:
        service.stop()


def _opening_a_page(folder: Path) -> Path:
    """Return a program that starts the shell with a page, which its driver waits for."""
    program = folder / "chromium"
    program.write_text(f'#!/bin/sh\nexec "{_SHELL}" "$@" about:blank\n', encoding="utf-8")
    program.chmod(0o755)
    return program


@contextmanager
def fresh_tab(driver: webdriver.Chrome) -> Iterator[webdriver.Chrome]:
    """Give a browser with a new tab alone, as it has when it starts; close the tab at the end.

    The service of each test has an origin of its own, so nothing that another one stored is seen.
    """
    before = driver.window_handles
    driver.switch_to.new_window("tab")
    tab = driver.current_window_handle
    driver.get_log("browser")  # type: ignore[no-untyped-call]
    try:
        yield driver
    finally:
        driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        for other in {*driver.window_handles} - {*before, tab}:
            driver.switch_to.window(other)
            driver.close()
        driver.switch_to.window(tab)
        driver.close()
        driver.switch_to.window(before[0])


class Page:
    """Page of the browser."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver = driver
        self.wait = WebDriverWait(driver, limit(_SECONDS))
        driver.get("about:blank")
        if _REQUESTS in driver.log_types:
            self.log(_REQUESTS)  # of the page that the browser began with
        driver.get(url)

    def click(self, selector: str, by: str = By.CSS_SELECTOR) -> None:
        """Click an element as soon as it takes clicks; one that is drawn anew meanwhile, then."""
        self.wait.until(partial(_is_clicked, (by, selector)))

    def find(self, selector: str) -> WebElement:
        """Wait for an element that is shown, or for a field of files, which never is."""
        return self.wait.until(partial(_shown, selector))

    def type(self, selector: str, text: str) -> None:
        """Type instead of what stands in a field."""
        field = self.find(selector)
        field.clear()
        field.send_keys(text)

    def texts(self, selector: str) -> list[str]:
        """Return the text of each visible element, all at one moment."""
        visible = f"[...document.querySelectorAll({selector!r})].filter((one) => one.offsetParent)"
        texts: list[str] = self.value(f"{visible}.map((one) => one.innerText)")
        return texts

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait for something to be so."""
        self.wait.until(lambda _: reached())

    def use_phone_layout(self, scheme: str) -> None:
        """Give the page a phone's width and touch, and the reader's wish for light or dark."""
        size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        self.wish_for(scheme)

    def use_desktop_layout(self, scheme: str = "light") -> None:
        """Give the page the window's width and a mouse, and the reader's wish for light or dark."""
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        self.wish_for(scheme)

    def wish_for(self, scheme: str) -> None:
        """Tell the page the reader's wish for light or dark."""
        wish = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)

    def value(self, script: str) -> Any:
        """Return the result of a script."""
        return self.driver.execute_script(f"return {script}")

    def save_into(self, folder: Path) -> None:
        """Have the browser save what it downloads in a folder."""
        behavior = {"behavior": "allow", "downloadPath": str(folder)}
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behavior)

    def saved(self, path: Path) -> str:
        """Wait for a download, and return its text."""
        self.until(path.exists)
        return path.read_text("utf-8-sig")

    def requested(self) -> set[str]:
        """Return every address that the browser asked for; it must log requests."""
        events = (orjson.loads(entry["message"])["message"] for entry in self.log(_REQUESTS))
        return {
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        }

    def console_errors(self) -> list[Any]:
        """Return the errors on the console, with those of the content security policy."""
        return [entry for entry in self.log("browser") if entry["level"] == "SEVERE"]

    def log(self, kind: str) -> list[dict[str, Any]]:
        """Return the entries of a browser log since the last call."""
        entries: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]
        return entries


class DataPage(Page):
    """Page of `/data`."""

    def enter(self, key: str) -> None:
        """Enter a key, unless the tab has one."""
        if self.value("sessionStorage.length") == 0:
            self.type("#key", key)
            self.click("#ask button")
        self.until(lambda: bool(self.texts("#work")))

    def choose(self, title: str) -> None:
        """Choose a collection."""
        self.click(title, By.LINK_TEXT)

    def press(self, text: str) -> None:
        """Press the button with that text, or the sort of that column."""
        self.click(f"//button[normalize-space()='{text}']", By.XPATH)

    def press_link(self, text: str) -> None:
        """Follow the first link with that text in the view."""
        self.click(f"//main[@id='view']//a[normalize-space()='{text}']", By.XPATH)

    def select(self, selector: str, value: str) -> None:
        """Choose a value of a list; of one that is drawn anew meanwhile, then."""
        self.wait.until(partial(_is_selected, selector, value))

    def clear(self, selector: str) -> None:
        """Delete what stands in a field, key by key."""
        field = self.find(selector)
        field.send_keys(*[Keys.BACKSPACE] * len(str(field.get_attribute("value"))))

    def fill(self, label: str, text: str) -> WebElement:
        """Type into the field with that label, instead of what stands there; return the field."""
        path = f"//main[@id='view']//label[normalize-space()='{label}']"
        name = self.wait.until(presence_of_element_located((By.XPATH, path)))
        field = self.find(f"#{name.get_attribute('for')}")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.BACKSPACE, text)
        return field

    def rows(self) -> list[str]:
        """Return the rows of the list."""
        return self.texts(".results tbody tr")

    def column(self, number: int) -> list[str]:
        """Return a column of the list."""
        return self.texts(f".results tbody tr > :nth-child({number})")

    def heading(self) -> str:
        """Return the heading of the view, as it is stored."""
        return str(self.value("document.querySelector('#view h1')?.textContent"))

    def wait_for(self, heading: str) -> None:
        """Wait for a view."""
        self.until(lambda: self.heading() == heading)

    def address(self) -> str:
        """Return the part of the address that names the view."""
        return str(self.value("location.hash"))

    def is_busy(self) -> bool:
        """Return whether something is being loaded."""
        return bool(self.value("!!document.querySelector('[aria-busy=true]')"))


def _shown(selector: str, driver: webdriver.Chrome) -> WebElement | Literal[False]:
    with suppress(NoSuchElementException, StaleElementReferenceException):
        element = driver.find_element(By.CSS_SELECTOR, selector)
        if element.is_displayed() or element.get_property("type") == "file":
            return element
    return False


def _is_selected(selector: str, value: str, driver: webdriver.Chrome) -> bool:
    with suppress(NoSuchElementException, StaleElementReferenceException):
        Select(driver.find_element(By.CSS_SELECTOR, selector)).select_by_value(value)
        return True
    return False


def _is_clicked(locator: tuple[str, str], driver: webdriver.Chrome) -> bool:
    try:
        element = element_to_be_clickable(locator)(driver)
        if element:
            element.click()
        return bool(element)
    except StaleElementReferenceException:
        return False


@dataclass(frozen=True)
class Reader:
    """A person in front of `/data`, with the keys that the person has."""

    driver: webdriver.Chrome
    url: str
    key: str
    read_key: str

    def enter(self, address: str = "", key: str = "") -> DataPage:
        """Open an address of the page and enter a key."""
        page = DataPage(self.driver, f"{self.url}data{address}")
        page.enter(key or self.key)
        return page


async def reader_of(browser: webdriver.Chrome, api: Api, dsn: str) -> Reader:
    """Return a person with the key of the tests, and one that may read only."""
    url = str(api.client.make_url("/"))
    return Reader(browser, url, api.key, await issue_key(dsn, 1, "read"))
