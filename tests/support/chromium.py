"""Headless Chromium, of which every worker of the tests has one or two."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver

from tests.support import reaper

_SHELL = shutil.which("chromium-headless-shell")
"""Chromium without windows, tabs and menus, which take half of the processor time of tests."""
BROWSER, DRIVER = _SHELL or shutil.which("chromium"), shutil.which("chromedriver")
_ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    # No process is started for a page that might be opened next; tabs share one.
    "--disable-features=SpareRendererForSitePerProcess", "--renderer-process-limit=1",
    # Half as many points each way are drawn, for nobody looks at them.
    "--window-size=1280,1400", "--force-device-scale-factor=0.5",
)  # fmt: skip
REQUESTS = "performance"


class _ReapedDriver(webdriver.ChromeService):
    """Service of chromedriver below a reaper: both end with this process, however it ends."""

    def __init__(self) -> None:
        # A session of its own: Ctrl-C reaches the tests alone, which then end the browser.
        super().__init__(sys.executable, popen_kw={"start_new_session": True})

    def command_line_args(self) -> list[str]:
        return [reaper.__file__, str(DRIVER), *super().command_line_args()]


@contextmanager
def chromium(
    profile: Path, *, requests: bool = False, arguments: tuple[str, ...] = ()
) -> Iterator[webdriver.Chrome]:
    """Run a headless Chromium with that profile, which logs console errors.

    ``requests`` are logged as well if asked for, since that makes every page take longer.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = str(_opening_a_page(profile.parent) if _SHELL else BROWSER)
    for argument in (*_ARGUMENTS, *arguments, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    logged = {"browser": "ALL"} | ({REQUESTS: "ALL"} if requests else {})
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
