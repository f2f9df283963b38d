"""A page in a headless browser, as a reader uses it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import orjson
import pytest
from selenium import webdriver
from selenium.common import exceptions
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.support import page_scripts
from tests.support.api import Api, issue_key
from tests.support.chromium import BROWSER, DRIVER, REQUESTS
from tests.support.time_limits import limit

_SECONDS = 30
_POLL_SECONDS = 0.05
ALL = Keys.CONTROL + "a" + Keys.NULL
"""Keys that select what stands in a field, so that the next ones replace it."""
_CODES = {
    Keys.TAB: ("Tab", 9, ""),
    Keys.ENTER: ("Enter", 13, "\r"),
    Keys.ESCAPE: ("Escape", 27, ""),
    Keys.ARROW_DOWN: ("ArrowDown", 40, ""),
}
"""Names, codes and texts of keys that are pressed without the driver, which takes long."""
_BEING_DRAWN = (
    exceptions.NoSuchElementException,
    exceptions.StaleElementReferenceException,
    exceptions.ElementNotInteractableException,
    exceptions.ElementClickInterceptedException,
)
"""What a page may say of an element while it draws it; a moment later it may be another one."""

NEEDS_BROWSER = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="chromium and chromedriver are not installed"
)


class Page:
    """Page of the browser. What is done to an element is repeated while the page draws it."""

    def __init__(self, driver: webdriver.Chrome, url: str = "") -> None:
        """Open an address, or take the page that the browser shows."""
        self.driver = driver
        self.wait = WebDriverWait(driver, limit(_SECONDS), _POLL_SECONDS, _BEING_DRAWN)
        if not url:
            return
        if self.value("location.href") != "about:blank":
            driver.get("about:blank")
        if REQUESTS in driver.log_types:
            self.log(REQUESTS)  # of the page that the browser began with
        driver.get(url)

    def click(self, path: str) -> None:
        """Click the first visible element of a selector or an XPath as soon as it takes clicks."""
        self.wait.until(partial(_is_clicked, path))

    def find(self, selector: str) -> WebElement:
        """Wait for an element that is shown, or for a field of files, which never is."""
        return self.wait.until(partial(_shown, selector))

    def type(self, selector: str, text: str) -> None:
        """Enter a text instead of what stands in a field."""
        self.wait.until(partial(_is_typed, selector, (ALL, text)))

    def keys(self, selector: str, *keys: str) -> None:
        """Press keys in a field, or give a field of files the path of one."""
        self.wait.until(partial(_is_typed, selector, keys))

    def press_keys(self, *keys: str) -> None:
        """Press keys where the focus is."""
        self.wait.until(partial(_is_pressed, keys))

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
        """Give the page a desk's width and a mouse, and the reader's wish for light or dark."""
        size = {"width": 1280, "height": 1400, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        self.wish_for(scheme)

    def wish_for(self, scheme: str) -> None:
        """Tell the page the reader's wish for light or dark."""
        wish = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)

    def prefer(self, languages: str) -> None:
        """Tell pages the languages that the reader prefers."""
        agent = self.value("navigator.userAgent")
        override = {"userAgent": agent, "acceptLanguage": languages}
        self.driver.execute_cdp_cmd("Network.setUserAgentOverride", override)

    def value(self, script: str) -> Any:
        """Return the value of an expression, or what its promise comes to."""
        return _evaluated(self.driver, script)

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
        events = (orjson.loads(entry["message"])["message"] for entry in self.log(REQUESTS))
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
        self.click(f"//*[@id='collections']//a[normalize-space()='{title}']")

    def press(self, text: str) -> None:
        """Press the button with that text, or the sort of that column."""
        self.click(f"//button[normalize-space()='{text}']")

    def press_link(self, text: str) -> None:
        """Follow the first link with that text in the view."""
        self.click(f"//main[@id='view']//a[normalize-space()='{text}']")

    def select(self, selector: str, value: str) -> None:
        """Choose a value of a list."""
        self.wait.until(lambda driver: _called(driver, page_scripts.SELECT, selector, value))

    def fill(self, label: str, text: str) -> None:
        """Type into the field with that label, instead of what stands there; it keeps the focus."""
        self.wait.until(partial(_is_filled, label, text))

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


def _evaluated(driver: webdriver.Chrome, expression: str) -> Any:
    """Return a value in a third of the time that the driver takes to execute a script."""
    asked_for = {"expression": f"({expression})", "returnByValue": True, "awaitPromise": True}
    answer = driver.execute_cdp_cmd("Runtime.evaluate", asked_for)
    if "exceptionDetails" in answer:
        raise exceptions.JavascriptException(str(answer))
    return answer["result"].get("value")


def _called(driver: webdriver.Chrome, function: str, *arguments: Any) -> Any:
    return _evaluated(driver, f"{function}(...{orjson.dumps(arguments).decode()})")


def _shown(selector: str, driver: webdriver.Chrome) -> WebElement | Literal[False]:
    script = f"return {page_scripts.SHOWN}(...arguments)"
    element: WebElement | Literal[False] = driver.execute_script(script, selector)
    return element


def _is_clicked(path: str, driver: webdriver.Chrome) -> bool:
    if point := _called(driver, page_scripts.TAKES_CLICKS, path):
        button = {"button": "left", "clickCount": 1} | point
        for kind, event in {"Moved": point, "Pressed": button, "Released": button}.items():
            driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": f"mouse{kind}", **event})
    # What is drawn in between moves elements away; another page has no such function.
    return bool(point) and not _evaluated(driver, "window.isMissed?.()")


def _is_typed(selector: str, keys: tuple[str, ...], driver: webdriver.Chrome) -> bool:
    """Enter texts at once, with the key that ends them; press other keys one by one."""
    selects, deletes = keys[:1] == (ALL,), keys[:2] == (ALL, Keys.BACKSPACE)
    text = "".join(keys[selects + deletes :])
    last = text[-1:] if text[-1:] in _CODES else ""
    if text.removesuffix(last).isprintable():
        arguments = selector, text.removesuffix(last), selects, deletes
        is_typed = _called(driver, page_scripts.TYPE, *arguments)
        if is_typed is not None:
            return bool(is_typed) and _is_pressed((last,) if last else (), driver)
    if field := _shown(selector, driver):
        field.send_keys(*keys)
    return bool(field)


def _is_pressed(keys: tuple[str, ...], driver: webdriver.Chrome) -> bool:
    if not {*keys} <= {*_CODES}:
        driver.switch_to.active_element.send_keys(*keys)
        return True
    for name, code, text in map(_CODES.__getitem__, keys):
        event = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        for kind in ({"type": "keyDown", "text": text}, {"type": "keyUp"}):
            driver.execute_cdp_cmd("Input.dispatchKeyEvent", event | kind)
    return True


def _is_filled(label: str, text: str, driver: webdriver.Chrome) -> bool:
    path = f"//main[@id='view']//label[normalize-space()='{label}']"
    node = f"document.evaluate({orjson.dumps(path).decode()}, document, null, 9).singleNodeValue"
    field = _evaluated(driver, f"{node}?.htmlFor")
    return bool(field) and _is_typed(f"#{field}", (ALL, Keys.BACKSPACE, text), driver)


@dataclass(frozen=True)
class Reader:
    """A person in front of `/data`, with the keys that the person has."""

    driver: webdriver.Chrome
    url: str
    key: str
    read_key: str

    def enter(self, address: str = "", key: str = "") -> DataPage:
        """Open an address of the page and enter a key; go there if the page is open with it."""
        if _called(self.driver, page_scripts.GO, address, key or self.key):
            page = DataPage(self.driver)
            page.until(lambda: bool(page.value(page_scripts.IS_LEFT)))
        else:
            page = DataPage(self.driver, f"{self.url}data{address}")
            page.enter(key or self.key)
        return page


async def reader_of(browser: webdriver.Chrome, api: Api, dsn: str) -> Reader:
    """Return a person with the key of the tests, and one that may read only."""
    url = str(api.client.make_url("/"))
    return Reader(browser, url, api.key, await issue_key(dsn, 1, "read"))
