"""Browser tests of lists on `/data`: edits in the cell, and of all records that match."""

import asyncio

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.support.api import MERGE_PATCH, Api
from tests.support.browser import ALL, NEEDS_BROWSER, DataPage, Reader
from tests.support.judged_style import made

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]

_NONE = "\N{EN DASH}"


def _focused(page: DataPage) -> str:
    """Return the text of the cell with the focus, "" if something else has it."""
    return str(page.value("document.activeElement.closest('td')?.innerText ?? ''"))


def _in_edit(page: DataPage) -> list[str]:
    """Return the labels of the fields that are edited in their cells."""
    labels = "[...document.querySelectorAll('.in-edit label')]"
    texts: list[str] = page.value(f"{labels}.map((label) => label.textContent)")
    return texts


async def test_cells_are_edited_by_keys(reader: Reader, api: Api) -> None:
    """Enter, F2, letters, Tab, arrows, Esc and undo; a refusal stands at its cell."""
    names = ["Alkanet 1", "Alkanet 2", "Alkanet 3"]
    ids = [c["id"] for c in (await api.post("/api/colors", [{"name": n} for n in names])).data]
    page = await asyncio.to_thread(_edit_by_keys, reader)
    first, second, third = [(await api.get(f"/api/colors/{id_}")).data for id_ in ids]
    assert [first["name"], first["userDefinedId"]] == ["Alkanet one", "A-1"]
    assert [second["name"], second["state"]] == ["Alkanet 2", "inactive"]
    assert third["userDefinedId"] is None
    theirs = {"colorNote": "Another field", "userDefinedId2": "Theirs"}
    await api.patch(f"/api/colors/{ids[1]}", theirs, content_type=MERGE_PATCH)
    await asyncio.to_thread(_edit_beside_others, page)
    second = (await api.get(f"/api/colors/{ids[1]}")).data
    assert [second["name"], second["userDefinedId2"]] == ["Alkanet two", "Mine"]
    assert second["colorNote"] == "Another field"


def _edit_by_keys(reader: Reader) -> DataPage:
    columns = "name,userDefinedId,userDefinedId2,state"
    page = reader.enter(f"#/colors?q=alkanet&sort=id&columns={columns}")
    page.until(lambda: len(page.rows()) == 3)
    page.driver.execute_script("document.querySelector('td.editable').focus()")
    page.press_keys(Keys.ENTER)
    page.until(lambda: _in_edit(page) == ["Name"])
    page.press_keys(ALL, "Alkanet one", Keys.TAB)
    page.until(lambda: _in_edit(page) == ["Own reference"])
    page.press_keys("A-1", Keys.ENTER)
    page.until(lambda: _in_edit(page) == [] and page.column(3)[0] == "A-1")
    assert "saved" in page.texts(".told")[0]
    page.until(lambda: _focused(page) == _NONE)  # one row below
    page.press_keys(Keys.ARROW_LEFT)
    page.press_keys(Keys.ENTER)
    page.until(lambda: _in_edit(page) == ["Name"])
    page.press_keys(Keys.BACKSPACE, Keys.ENTER)
    page.until(lambda: len(page.texts(".in-edit .error")) == 1)
    assert page.value("document.activeElement.value") == "", "the focus is at the error"
    page.press_keys(Keys.ESCAPE)
    page.until(lambda: _in_edit(page) == [] and _focused(page).startswith("Alkanet 2"))
    for _ in range(3):
        page.press_keys(Keys.ARROW_RIGHT)
    assert _focused(page) == "active"
    page.press_keys(Keys.F2)
    page.until(lambda: _in_edit(page) == ["State"])
    page.press_keys("inactive", Keys.ENTER)
    page.until(lambda: page.column(5) == ["active", "inactive", "active"])
    page.until(lambda: _focused(page) == "active")
    page.press_keys(Keys.ARROW_LEFT)
    page.press_keys(Keys.ARROW_LEFT)
    page.press_keys("A-3", Keys.ENTER)  # a letter replaces what stands there
    page.until(lambda: page.column(3)[2] == "A-3" and not page.is_busy())
    ActionChains(page.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    page.until(lambda: page.column(3)[2] == _NONE)
    assert "taken back" in page.texts(".told")[0]
    page.until(lambda: _focused(page) == _NONE)
    page.console_errors()
    return page


def _edit_beside_others(page: DataPage) -> None:
    """Change fields of a record that somebody else has changed: another one, and the same."""
    cell = ".results tbody tr:nth-child(2) td:nth-child({})"
    ActionChains(page.driver).double_click(page.find(cell.format(4))).perform()
    page.until(lambda: _in_edit(page) == ["Second reference"])
    page.press_keys("Mine", Keys.ENTER)
    page.until(lambda: "Theirs" in "".join(page.texts(".in-edit .error")))
    page.press_keys(Keys.ENTER)
    page.until(lambda: page.column(4)[1] == "Mine")
    page.click(f"{cell.format(2)} .pencil")
    page.until(lambda: _in_edit(page) == ["Name"])
    page.press_keys(ALL, "Alkanet two")
    page.click(".total")
    page.until(lambda: page.column(2)[1].startswith("Alkanet two"))
    assert page.console_errors() == []


async def test_references_are_picked_in_the_cell(reader: Reader, api: Api) -> None:
    """With an expired key the input stays, and is saved with another one."""
    brand = await made(api, "brands", name="Sorrel Mill", customId="SORREL")
    style = await made(api, "styles", number="SM-1", name="Sorrel Shirt")
    await asyncio.to_thread(_pick, reader)
    assert (await api.get(f"/api/styles/{style}")).data["brandId"] == brand


def _pick(reader: Reader) -> None:
    page = reader.enter("#/styles?q=SM-1&columns=number,name,brandId")
    page.use_phone_layout("dark")
    page.until(lambda: len(page.rows()) == 1)
    cell = ".results tbody td:nth-child(4)"
    ActionChains(page.driver).double_click(page.find(cell)).perform()
    page.until(lambda: _in_edit(page) == ["Brand"])
    page.press_keys("sorrels")
    page.until(lambda: page.texts(".picker p") == ["Nothing matches."])
    page.press_keys(Keys.ENTER)
    page.until(lambda: "Choose a record" in "".join(page.texts(".in-edit .error")))
    page.press_keys(Keys.BACKSPACE)
    page.until(lambda: any("Sorrel Mill" in text for text in page.texts("[role=option]")))
    page.driver.execute_script("sessionStorage.setItem('selvedge.key', 'slv_1_1_expired')")
    page.press_keys(Keys.ARROW_DOWN, Keys.ENTER)
    page.until(lambda: "Another key" in page.texts(".savebar label"))
    assert page.value("document.querySelector('.in-edit input').value") == "Sorrel Mill"
    page.press_keys(reader.key, Keys.ENTER)
    page.until(lambda: page.texts(cell)[0].startswith("Sorrel Mill"))
    page.use_desktop_layout()


async def test_all_records_that_match_are_edited_deleted_and_restored(
    reader: Reader, api: Api
) -> None:
    """Over pages and requests; those that are in the way are named, and stay."""
    for few in (range(1, 1000), range(1000, 1003)):
        await api.post("/api/colors", [{"name": f"Madder {n}"} for n in few])
    used = (await api.get("/api/colors", {"q": "madder", "pageSize": 1})).data[0]["id"]
    style = (await api.post("/api/styles", {"number": "MD-1", "name": "Madder"})).data["id"]
    await api.post("/api/style-colors", {"styleId": style, "colorId": used})
    await asyncio.to_thread(_change_all, reader, used)

    async def count(state: str) -> int:
        parameters = {"q": "madder", "state": state, "pageSize": 1}
        answer = await api.get("/api/colors", parameters, headers={"Prefer": "count=exact"})
        return int(answer.headers["Total-Count"])

    assert [await count("inactive"), await count("deleted"), await count("active")] == [1, 0, 1001]
    color = (await api.get(f"/api/colors/{used}")).data
    assert [color["state"], color["colorNote"]] == ["inactive", "Root"]


def _choose_all(page: DataPage, action: str) -> None:
    page.until(lambda: len(page.rows()) == 30)
    page.click("[aria-label='All rows of this page']")
    page.until(lambda: any("that match" in text for text in page.texts(".selection button")))
    page.click(".selection button")
    page.until(lambda: bool(page.texts(".selection a")))
    page.press_link(action)
    page.press("See what would change")


def _change_all(reader: Reader, used: int) -> None:
    page = reader.enter("#/colors?q=madder")
    page.until(lambda: page.texts("p.total") == ["1,002 records"])
    page.until(lambda: len(page.rows()) == 30)
    page.click("[aria-label='All rows of this page']")
    page.press("Select all 1,002 that match")
    page.press_link("Edit all 1,002 at once")
    page.wait_for("Edit all that match: Colors")
    for field in ("state", "colorNote"):
        page.select("form > .actions select", field)
    page.select(".bulk-field select", "inactive")
    page.fill("Color note", "Root")
    page.press("See what would change")
    page.until(lambda: page.texts("section p") == ["1002 changed."])
    page.press("Write 1002 rows")
    page.until(lambda: "What was written" in page.texts("h2"))
    page.driver.execute_script("location.hash = '#/colors?q=madder'")
    _choose_all(page, "Delete all 1,002 …")
    page.until(lambda: page.texts("section p")[:1] == ["1 rejected, 1001 deleted."])
    assert page.texts("section tbody th") == [str(used)]
    assert page.texts("section tbody li")[0].startswith("Used by style colors: 1 (")
    page.press("Delete 1001 rows")
    page.until(lambda: "What was written" in page.texts("h2"))
    page.driver.execute_script("location.hash = '#/colors?q=madder&filter=state%3Aeq%3Adeleted'")
    _choose_all(page, "Restore all 1,001")
    page.until(lambda: page.texts("section p") == ["1001 changed."])
    page.press("Write 1001 rows")
    page.until(lambda: "What was written" in page.texts("h2"))
    assert page.console_errors() == []
