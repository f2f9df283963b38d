"""Browser tests of the words of the pages: in the reader's language, and none of programs."""

import asyncio
import json
import re

import pytest

from service.extras.pages.page import read_file
from service.schemas.vocabulary import words
from tests.support.api import Api
from tests.support.browser import NEEDS_BROWSER, DataPage, Page, Reader
from tests.support.sampling import Sample

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_TEXTS = {
    language: json.loads(read_file(f"words/{language}.json"))["texts"] for language in ("de", "fr")
}
#: Texts that stand on the page and are not stored ones: those that people write are in `bdi`.
_SHOWN = """
(() => {
  const stored = "bdi, code, time, script, option[value], .label, .secret, #who";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.checkVisibility() && !parent.closest(stored)) texts.push(walker.currentNode.data);
  }
  const names = [...document.querySelectorAll("[aria-label]")].map((node) => node.ariaLabel);
  return [...texts, ...names].map((text) => text.trim()).filter(Boolean);
})()
""".strip()


async def test_pages_speak_the_language_that_the_reader_prefers_or_chooses(reader: Reader) -> None:
    await asyncio.to_thread(_choose, reader)


def _choose(reader: Reader) -> None:
    driver = reader.driver
    Page(driver).prefer("nl-NL,de-CH,en")
    page = DataPage(driver, f"{reader.url}data")
    page.until(lambda: page.texts("#entry h1") == ["Ihre Daten"])
    assert page.value("document.documentElement.lang") == "de"
    page.enter(reader.key)
    page.choose("Artikel")
    page.until(lambda: page.texts(".results th")[:3] == ["ID", "Artikelnummer", "Name"])
    assert page.texts("main .actions a")[:2] == ["Neuer Artikel", "Tabelle hochladen"]
    page.select("#language", "fr")
    page.until(lambda: page.heading() == "Modèles")
    page.until(lambda: page.texts(".results th")[1:2] == ["Référence du modèle"])
    page = DataPage(driver, f"{reader.url}data#/suppliers/new")
    page.until(lambda: "Nom (obligatoire)" in page.texts("#view label"))
    assert "Le nom sous lequel on le connaît." in page.texts("#view .hint")[0]
    page.press("Enregistrer")
    page.until(lambda: bool(page.texts(".error:not(:empty)")))
    errors = json.loads(read_file("words/fr.json"))["errors"].values()
    assert page.texts(".error:not(:empty)")[0].split(" (")[0] in errors
    page.select("#language", "en")
    page.until(lambda: page.heading() == "New supplier")


@pytest.mark.parametrize("part", Sample(__name__)([("de", 0), ("de", 1), ("fr", 2), ("fr", 0)], 1))
async def test_no_view_lacks_a_word(reader: Reader, api: Api, part: tuple[str, int]) -> None:
    """Lists, records, forms and uploads of all collections have no names of programs."""
    first: dict[str, str] = {}
    for name in [*words()["collections"]][part[1] :: 3]:
        answer = await api.get(f"/api/{name}", {"pageSize": 1})
        if answer.status == 200 and answer.data and "id" in answer.data[0]:
            first[name] = str(answer.data[0]["id"])
    assert len(first) >= 8
    await asyncio.to_thread(_walk, reader, first, part[0])


def _walk(reader: Reader, first: dict[str, str], language: str) -> None:
    Page(reader.driver).prefer(language)
    page = reader.enter("#/")
    addresses = ["#/", "#/keys", "#/keys/new", "#/styles/upload", "#/styles/1"]
    for name, record in first.items():
        addresses += [f"#/{name}", f"#/{name}/{record}", f"#/{name}/{record}/edit"]
    for address in addresses:
        page.driver.execute_script(f"location.hash = {address!r}")
        page.until(lambda: not page.is_busy())
        shown: list[str] = page.value(_SHOWN)
        assert len(shown) > 20
        english = [each for each in shown if _TEXTS[language].get(each, each) != each]
        assert english == [], address
        raw = {each for text in shown for each in text.split() if _is_raw(each)}
        assert raw == set(), address
        assert "2147483647" not in "".join(shown), "a bound that nobody means"
        assert not re.search(r"\d\.\d\d [A-Z]{3}\b", " ".join(shown)), address
    assert page.console_errors() == []


def _is_raw(word: str) -> bool:
    """Return whether a word is written as programs write the names of fields and values."""
    return bool(re.fullmatch(r"[a-z]{2,}\d*([A-Z][a-z]+)+", word.strip(".,:;()[]\u201e\u201c")))
