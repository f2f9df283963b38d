"""Browser tests of the open pages: only the service's network, a key entered once, languages."""

import asyncio
from collections.abc import Callable

import orjson
import pytest
from selenium import webdriver

from service.schemas.vocabulary import LANGUAGES, words
from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, Page

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER, pytest.mark.demo_data]


class Docs(Page):
    """Page of `/docs`."""

    def authorize(self, pasted: str) -> None:
        """Enter a key."""
        self.click("button.authorize")
        self.keys(".auth-container input", pasted)
        self.click(".modal-ux button.authorize")
        self.click(".modal-ux button.btn-done")

    def try_it(self, tag: str, operation: str, **parameters: str) -> tuple[str, str]:
        """Execute an operation; return the status and the body that the page shows."""
        block = f"#operations-{tag}-{operation}"
        self.click(f"#operations-tag-{tag}")
        self.click(f"{block} button.opblock-summary-control")
        self.click(f"{block} .try-out__btn")
        for name, value in parameters.items():
            self.keys(f"{block} tr[data-param-name='{name}'] input", value)
        self.click(f"{block} button.execute")
        answer = f"{block} .live-responses-table .response"
        status = self.find(f"{answer} .response-col_status").text
        return status, self.find(f"{answer} .highlight-code code").text

    def tags(self) -> list[str]:
        """Return the tags that are shown, in order."""
        return self.texts(".opblock-tag a span")

    def search(self, phrase: str) -> None:
        """Type into the search."""
        self.type(".operation-filter-input", phrase)


def _finds_nothing_wrong(page: Page, url: str) -> None:
    addresses = page.requested()
    assert addresses
    assert {address for address in addresses if not address.startswith((url, "data:"))} == set()
    assert page.console_errors() == []


def _fits_a_phone(page: Page) -> None:
    page.use_phone_layout("light")
    grounds = set[str]()
    for scheme in ("light", "dark"):
        page.wish_for(scheme)
        assert page.value("document.documentElement.scrollWidth") == 390
        grounds.add(page.value(_GROUND))
    assert len(grounds) == 2, "light and dark differ"
    assert {ground.rpartition(" none")[1] for ground in grounds} == (
        {"", " none"} if page.texts(".swagger-ui") else {""}
    )
    page.use_desktop_layout()


_GROUND = """((style, docs) => docs
  ? `${style(document.documentElement).backgroundColor} ${style(docs).filter}`
  : style(document.body).backgroundColor)(getComputedStyle, document.querySelector(".swagger-ui"))
"""


def _explore(driver: webdriver.Chrome, url: str, key: str) -> None:
    """Use the key that was entered on one page on the other one, which takes long to load."""
    Docs(driver).prefer("fr-CA")
    page = Docs(driver, f"{url}docs/")
    page.until(lambda: page.texts("h2.group")[:2] == ["Produits", "Couleurs et tailles"])
    hint = page.find(".operation-filter-input").get_attribute("placeholder")
    assert hint == "Chercher chemins, textes et rubriques"
    languages = "[...document.querySelector('#language').options].map(({ value }) => value)"
    assert page.value(languages) == [*LANGUAGES]
    assert page.value("document.querySelector('#language').value") == "fr"
    _describes_fields_in_french(page)
    page.authorize(f" Bearer {key} ")
    driver.get(url)
    page.until(lambda: len(page.texts("#rows tr")) == 5)
    page.click("#forget")
    assert page.texts(".holdings h3")[:2] == ["Produits", "Couleurs et tailles"]
    assert page.texts("#ask button") == ["Montrer mes modèles"]
    page.prefer("en")
    driver.refresh()
    _enter(page, url, key)
    page.click("nav a[href='docs']")
    page.find(".opblock-tag")
    _fits_a_phone(page)
    status, body = page.try_it("Colors", "listColors", pageSize="1")
    assert status.startswith("200"), "the key comes along"
    assert orjson.loads(body)["pagination"]["hasMore"] is True
    # The example that stands in the form is a patch that can be sent.
    status, body = page.try_it("Groups", "patchGroup", id="1")
    assert status.startswith("200")
    assert orjson.loads(body)["data"]["name"] == "Deep Navy"
    _search(page)
    driver.get(url)
    page.until(lambda: len(page.texts("#rows tr")) == 5)
    page.click("#forget")
    assert page.texts("#rows tr") == []
    assert page.value("sessionStorage.length") == 0
    _finds_nothing_wrong(page, url)


def _describes_fields_in_french(page: Docs) -> None:
    """The hint of a field stands there once, in the place of that of the document."""
    block = "#operations-Groups-replaceGroup"
    page.click("#operations-tag-Groups")
    page.click(f"{block} button.opblock-summary-control")
    body, schema = f"{block} .opblock-section-request-body", ".json-schema-2020-12"
    page.click(f"{body} .tabitem:not(.active) button")
    page.click(f"{body} {schema}-property {schema}-expand-deep-button")
    label, hint = words("fr")["fields"]["name"]
    page.until(lambda: page.texts(f"{body} {schema}-property p") == [f"{label} · {hint}"])
    page.click("#operations-tag-Groups")


def _enter(page: Page, url: str, key: str) -> None:
    assert "Bearer KEY" in page.texts("pre")[0]
    page.type("#key", "slv_1_1_nonsense")
    page.click("#ask button")
    page.until(lambda: "does not know this key" in "".join(page.texts("#message")))
    assert page.texts("#rows tr") == []
    page.type("#key", f"Authorization: Bearer {key}")
    page.click("#ask button")
    page.until(lambda: len(page.texts("#rows tr")) == 5)
    assert page.texts("#message") == []
    shown = page.texts("pre")[0]
    secret = key.rpartition("_")[2]
    assert f"Bearer {key.removesuffix(secret)}…'" in shown
    assert all(secret not in text for text in page.texts("body"))
    script = "return commandOf(document.querySelector('#lines .line'))"
    assert page.driver.execute_script(script) == shown.replace(f"{key.removesuffix(secret)}…", key)
    assert f"'{url}api/styles?pageSize=3'" in shown
    page.driver.refresh()
    page.until(lambda: len(page.texts("#rows tr")) == 5)
    # What the browser itself says of the key that was wrong.
    assert all("401" in complaint["message"] for complaint in page.console_errors())


def _search(page: Docs) -> None:
    all_tags = page.tags()
    assert all_tags.index("Brands") < all_tags.index("Sub-suppliers")
    assert all_tags.index("Sub-suppliers") < all_tags.index("Languages")
    for phrase, expected in (
        ("cOLOR tr", ["Color translations"]),
        ("MEASURED", ["Sample request measurements"]),
        ("/api/SIZE-", ["Size ranges", "Size range sizes"]),
        ("patchgroup", ["Groups"]),
    ):
        page.search(phrase)
        page.until(lambda expected=expected: page.tags() == expected)  # type: ignore[misc]
    page.search("nothing at all")
    page.until(lambda: page.texts("#swagger-ui p[role]") == ["No operation matches the search."])
    assert "No operations defined" not in page.driver.page_source


def _leaf(driver: webdriver.Chrome, url: str, key: str) -> None:
    page = Page(driver, url)
    page.type("#key", key)
    page.click("#ask button")
    page.until(lambda: len(page.texts("#rows tr")) == 5)
    _fits_a_phone(page)
    page.click(".places a[href='guides']")
    page.until(lambda: page.texts("h1") == ["Guides"])
    _fits_a_phone(page)
    page.click("main a[href='guides/retries']")
    page.until(lambda: page.texts("h1") == ["Retries"])
    page.click("main a[href='errors']")
    page.until(lambda: page.texts("h1") == ["Errors"])
    _fits_a_phone(page)
    page.click("main a[href='conflicts']")
    page.until(lambda: page.texts("h1") == ["Conflicts"])
    page.click("nav a")
    page.find("#ask")
    assert driver.current_url == url
    _finds_nothing_wrong(page, url)


@pytest.mark.parametrize("read", [_explore, _leaf])
async def test_a_reader_finds_the_way(
    read: Callable[[webdriver.Chrome, str, str], None], api: Api, logged_browser: webdriver.Chrome
) -> None:
    """Explore with a key, search, enter the key, leaf through the guides, hold a phone."""
    await asyncio.to_thread(read, logged_browser, str(api.client.make_url("/")), api.key)
