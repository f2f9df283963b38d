"""Tests of symbols and processes of icons (contract, Care instruction icons)."""

import pytest

from service import schemas
from tests.support.api import Api

pytestmark = pytest.mark.contract("Care instruction icons")

ICONS = "/api/care-instruction-icons"
SYMBOLS = [
    *filter(None, schemas.definition("care-instruction-icons", "symbolOrNull").schema["enum"])
]
PROCESSES = {
    "wash95": "washing",
    "handWash": "washing",
    "doNotWash": "washing",
    "bleachAny": "bleaching",
    "doNotBleach": "bleaching",
    "tumbleNormal": "tumbleDrying",
    "doNotTumble": "tumbleDrying",
    "lineDry": "naturalDrying",
    "dripFlatDryShade": "naturalDrying",
    "iron200": "ironing",
    "doNotIron": "ironing",
    "dryCleanP": "dryCleaning",
    "doNotDryClean": "dryCleaning",
    "wetClean": "wetCleaning",
    "doNotWetClean": "wetCleaning",
}
"""The first and the last symbol of each process, in the order of all."""


async def test_each_symbol_is_about_a_process(api: Api) -> None:
    """The processes follow one another in the order of the symbols."""
    made = (await api.post(ICONS, [{"text": symbol, "symbol": symbol} for symbol in SYMBOLS])).data
    process = ""
    for icon in made:
        process = PROCESSES.get(icon["symbol"], process)
        assert icon["process"] == process
    listed = await api.get(ICONS, {"process": "bleaching", "text": "doNotBleach"})
    assert [icon["symbol"] for icon in listed.data] == ["doNotBleach"]


async def test_a_symbol_is_cleared_unless_sent(api: Api) -> None:
    """As in no other field of care texts; the process follows."""
    made = await api.post(ICONS, {"text": "Iron", "symbol": "iron110"})
    location = made.headers["Location"]
    changed = (await api.put(location, {"symbol": "doNotIron"})).data
    assert changed == made.data | {"symbol": "doNotIron"}
    cleared = (await api.put(location, {})).data
    assert cleared == made.data | {"symbol": None, "process": None}
    for body, kind in (
        ({"symbol": "iron300"}, "invalid_value"),
        ({"process": "ironing"}, "read_only_field"),
    ):
        [(error, field)] = (await api.put(location, body)).details
        assert (error, field) == (f"validation_error.{kind}", next(iter(body)))
