"""Browser tests of the bulk edit of `/data` (tools, Open pages)."""

import asyncio

import pytest

from tests.support.api import MERGE_PATCH, Api
from tests.support.browser import NEEDS_BROWSER, DataPage, Reader

pytestmark = [pytest.mark.contract("Open pages"), NEEDS_BROWSER]


async def test_selected_records_are_edited_at_once(reader: Reader, api: Api) -> None:
    """What changes is shown for each; what somebody else changed meanwhile stays, and is named."""
    names = ["Woad 1", "<i>Woad</i> 2", "Woad 3", "Woad 4"]
    ids = [
        color["id"] for color in (await api.post("/api/colors", [{"name": n} for n in names])).data
    ]
    page = await asyncio.to_thread(_select, reader, ids[3])
    theirs = {"colorNote": "Theirs"}
    await api.patch(f"/api/colors/{ids[1]}", theirs, content_type=MERGE_PATCH)
    await asyncio.to_thread(_edit, page, ids[1])
    colors = [(await api.get(f"/api/colors/{id_}")).data for id_ in ids]
    references = ["19-1", None, "19-1", None]
    assert [color["colorReference"] for color in colors] == references
    assert [color["state"] for color in colors] == ["inactive", "active", "inactive", "active"]
    await asyncio.to_thread(_edit_again, page)
    assert (await api.get(f"/api/colors/{ids[1]}")).data["state"] == "inactive"


def _select(reader: Reader, left_out: int) -> DataPage:
    page = reader.enter("#/colors?q=woad&sort=name")
    page.until(lambda: len(page.rows()) == 4)
    page.click("[aria-label='All rows of this page']")
    page.until(lambda: page.texts(".selection a")[:1] == ["Edit 4 at once"])
    page.click(f"input[value='{left_out}']")
    page.until(lambda: page.texts(".selection a")[:1] == ["Edit 3 at once"])
    page.press_link("Edit 3 at once")
    page.wait_for("Edit 3 at once: Colors")
    page.press("See what would change")
    page.until(lambda: page.texts("[role=alert]") == ["Choose a field to change."])
    for field in ("state", "colorReference", "colorNote"):
        page.select("form > .actions select", field)
    page.select(".bulk-field select", "inactive")
    page.fill("Color reference", "19-1")
    page.click("[aria-label='Leave Color note as it is']")
    page.press("See what would change")
    page.until(lambda: page.texts("section p") == ["3 changed."])
    changes = ["Color reference: 19-1", "State: active \u2192 inactive"]
    assert sorted(page.texts(".changes li")) == sorted(changes * 3)
    assert "<i>Woad</i> 2" in page.texts("section tbody td")
    return page


def _edit(page: DataPage, changed: int) -> None:
    page.press("Write 3 rows")
    page.until(lambda: "1 rejected, 2 changed." in page.texts("section p"))
    assert page.texts("section tbody th") == [str(changed)]
    assert "Somebody else changed this record" in page.texts("section tbody td")[1]
    assert page.console_errors() == []


def _edit_again(page: DataPage) -> None:
    page.press_link("Edit the 1 rejected record")
    page.wait_for("Edit 1 at once: Colors")
    page.select("form > .actions select", "state")
    page.select(".bulk-field select", "inactive")
    page.press("See what would change")
    page.press("Write 1 row")
    page.until(lambda: "What was written" in page.texts("h2"))
    assert "1 changed." in page.texts("section p")
