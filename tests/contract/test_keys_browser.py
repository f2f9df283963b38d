"""Browser tests of `/data`: API keys are listed, made, rotated and deleted (contract, Keys)."""

import asyncio

import pytest

from service.organizations.scopes import Scopes
from service.resources.scope_names import scope_problem
from tests.contract.test_keys import refused_soon
from tests.support.api import Api, issue_key
from tests.support.browser import NEEDS_BROWSER, DataPage, Reader
from tests.support.keys import PATH

pytestmark = [pytest.mark.contract("Keys"), NEEDS_BROWSER]

_NAME = "Portal <b>"
_OFFERED = """[...document.querySelectorAll('.scope-choice select')].flatMap((select) =>
  [...select.options].filter(({ value }) => value).map(({ value }) => `${select.name}:${value}`))"""
_COPIED = (
    "window.copied = null; "
    "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
)


async def test_a_key_is_made_rotated_and_deleted_on_the_page(reader: Reader, api: Api) -> None:
    """Its secret is shown and copied once; the list has its scopes, and words for them."""
    first = await asyncio.to_thread(_make, reader)
    portal = Api(api.client, first)
    document = (await api.get(PATH, {"name": _NAME})).data[0]
    assert document["scopes"] == ["*:read", "styles:write"]
    assert document["expiresAt"] is not None
    assert (await portal.get("/api/brands")).status == 200
    second = await asyncio.to_thread(_rotate, reader)
    assert (await Api(api.client, second).get("/api/brands")).status == 200
    await refused_soon(portal)
    await asyncio.to_thread(_delete, reader)
    assert (await api.get(PATH, {"name": _NAME})).data == []


def _make(reader: Reader) -> str:
    page = reader.enter("#/")
    page.choose("API keys")
    page.press_link("New API key")
    page.fill("Name (required)", _NAME)
    page.press("Make the key")
    page.until(lambda: page.texts(".error:not(:empty)") == ["Choose at least one."])
    offered = page.value(_OFFERED)
    assert {"*:delete", "measurements:delete", "products:read"} <= {*offered}
    assert [text for text in offered if scope_problem(text)] == []
    page.select(".scope-choice select[name='*']", "read")
    page.click(".scope-choice summary")
    page.select("select[name=styles]", "write")
    page.select("select[name=brands]", "read")
    assert page.texts(".scope-choice p code") == ["*:read", "styles:write"]
    page.keys("form .field select", "in 90 days")
    page.press("Make the key")
    page.wait_for("The key is made")
    return _copy(page)


def _copy(page: DataPage) -> str:
    page.until(lambda: bool(page.texts(".secret")))
    secret = page.texts(".secret")[0]
    page.driver.execute_script(_COPIED)
    page.press("Copy")
    page.until(lambda: bool(page.texts(".issued button") == ["Copied"]))
    assert page.value("window.copied") == secret
    return secret


def _rotate(reader: Reader) -> str:
    page = reader.enter("#/keys")
    page.until(lambda: page.texts("tbody tr:first-child th bdi") == [_NAME])
    words = ["Everything: read", "Styles: read and write"]
    assert page.texts("tbody tr:first-child .scopes li") == words
    assert page.texts(".secret") == [], "a secret is shown once"
    page.click(f"[aria-label='Rotate {_NAME}']")
    page.select("dialog select", "0")
    page.press("Rotate")
    return _copy(page)


def _delete(reader: Reader) -> None:
    page = reader.enter("#/keys")
    page.click(f"[aria-label='Delete {_NAME}']")
    assert "Webhooks that it created or changed last are paused." in page.texts("dialog li")
    page.press("Delete")
    page.until(lambda: _NAME not in page.texts("tbody th bdi") and not page.is_busy())
    assert page.console_errors() == []


async def test_keys_give_no_more_than_they_have(reader: Reader, demo_dsn: str) -> None:
    """Their form offers what they have; the page and its link are for those that manage keys."""
    own = ["brands:write", "measurements:write[supplierMeasurement]", "keys:manage"]
    manager = await issue_key(demo_dsn, 1, *own)
    await asyncio.to_thread(_see_own, reader, manager, own)
    await asyncio.to_thread(_see_nothing, reader)


def _see_own(reader: Reader, key: str, own: list[str]) -> None:
    page = reader.enter("#/keys/new", key=key)
    page.wait_for("New API key")
    boxes = "[...document.querySelectorAll('.scope-choice input')].map(({ value }) => value)"
    offered = [*page.value(_OFFERED), *page.value(boxes)]
    assert offered == ["brands:read", *own]
    assert all(map(Scopes.of(own).includes, offered))
    page.driver.execute_script("location.hash = '#/keys'")
    page.click("tbody tr:last-child button:last-child")
    page.press("Delete")
    page.until(lambda: "lacks the scope *:delete" in "".join(page.texts("dialog [role=alert]")))
    page.press("Cancel")


def _see_nothing(reader: Reader) -> None:
    page = DataPage(reader.driver, f"{reader.url}data")
    page.press("Forget the key")
    page = reader.enter("#/keys", key=reader.read_key)
    page.until(lambda: "lacks the scope keys:manage" in "".join(page.texts("#view")))
    assert "API keys" not in page.texts("#collections a")
