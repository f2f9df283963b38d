"""Tests of barcodes (contract, Barcodes)."""

import asyncio
from itertools import count

import pytest

from service.schemas.formats import check_digit
from tests.resources.test_barcode_ranges import RANGES, a_range
from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Barcodes")

BARCODES = "/api/barcodes"
TAKEN, INVALID = "conflict.duplicate", "validation_error.invalid_value"
_NUMBERS = count(1)


def gtin(digits: str) -> str:
    """Return the GTIN of these digits, without its check digit."""
    return digits + check_digit(digits)


def new_gtin() -> str:
    """Return a GTIN-13 that no other test has."""
    return gtin(f"952900{next(_NUMBERS):06}")


async def test_types_by_length(api: Api) -> None:
    """Number and type stay; a replace may leave them out."""
    forms = {
        "gtin8": gtin("9520001"),
        "gtin12": gtin("65210000001"),
        "gtin13": gtin("952100000001"),
        "gtin14": gtin("1952100000001"),
    }
    made = (await api.post(BARCODES, [{"barcode": barcode} for barcode in forms.values()])).data
    assert [(row["type"], row["gtin14"]) for row in made] == [
        (kind, barcode.zfill(14)) for kind, barcode in forms.items()
    ]


async def test_number_and_type_of_an_internal_barcode_stay(api: Api) -> None:
    internal = (await api.post(BARCODES, {"barcode": "A 1", "type": "internal"})).data
    assert internal == {"id": internal["id"], "barcode": "A 1", "type": "internal"} | {
        "gtin14": None,
        "barcodeRangeId": None,
        "styleSkuId": None,
        "sku": None,
        "isPrimary": False,
        "assignedAt": None,
        "state": "active",
    }
    location = f"{BARCODES}/{internal['id']}"
    replaced = await api.put(location, {"state": "inactive", "barcode": None})
    assert replaced.data == internal | {"state": "inactive"}
    assert (await api.patch(location, replacing("/barcode", "A 2"))).details == [
        ("validation_error.read_only_field", "barcode")
    ]
    renamed = [{"barcode": "A 1", "newKey": "A 2"}]
    assert (await api.patch(BARCODES, renamed, params={"match": "barcode"})).details == [
        ("validation_error.unknown_field", "[0].newKey")
    ]


async def test_numbers_fit_their_type(api: Api) -> None:
    wrong = [
        ({"barcode": "A1"}, ("validation_error.required_field", "type")),
        ({"barcode": "4006381333933"}, ("validation_error.required_field", "type")),
        ({"barcode": "4006381333932", "type": "gtin13"}, (INVALID, "barcode")),
        ({"barcode": "4006381333931", "type": "gtin12"}, (INVALID, "barcode")),
        ({"barcode": gtin("0652100000001"), "type": "gtin14"}, (INVALID, "barcode")),
        ({"barcode": gtin("9952100000001")}, (INVALID, "barcode")),
        ({"barcode": "0" + gtin("65210000001")}, (INVALID, "barcode")),
        ({"barcode": "0000" + gtin("9520001")}, (INVALID, "barcode")),
        ({"barcode": "00000000"}, (INVALID, "barcode")),
        ({"barcode": "\u00e91", "type": "internal"}, (INVALID, "barcode")),
        ({"barcode": "x" * 81, "type": "internal"}, ("validation_error.too_long", "barcode")),
    ]
    answer = await api.post(BARCODES, [body for body, _ in wrong])
    assert answer.details == [(t, f"[{n}].{field}") for n, (_, (t, field)) in enumerate(wrong)]
    message = answer.json["error"]["details"][2]["value"]
    assert message == "The check digit of 400638133393 is 1, not 2."


async def test_a_number_is_in_one_record_even_if_that_is_deleted(api: Api) -> None:
    barcode = new_gtin()
    made = (await api.post(BARCODES, {"barcode": barcode})).data
    taken = await api.post(BARCODES, [{"barcode": new_gtin()}, {"barcode": barcode}])
    assert (taken.status, taken.details) == (409, [(TAKEN, "[1].barcode")])
    twice = [{"barcode": new_gtin()}] * 2
    assert (await api.post(BARCODES, twice)).details == [
        ("validation_error.duplicate", "[1].barcode")
    ]
    await api.delete(f"{BARCODES}/{made['id']}")
    refused = await api.post(BARCODES, {"barcode": barcode})
    [row] = refused.json["error"]["details"]
    message = f"Barcode {made['id']} (deleted) has this number. Restore it instead."
    assert (row["type"], row["value"]) == (TAKEN, message)
    restored = await api.put(
        BARCODES, [{"barcode": barcode, "state": "active"}], params={"match": "barcode"}
    )
    assert (restored.data[0]["outcome"], restored.data[0]["id"]) == ("updated", made["id"])
    # Internal numbers are apart.
    for status in (201, 409):
        assert (await api.post(BARCODES, {"barcode": barcode, "type": "internal"})).status == status


async def test_of_two_writers_of_one_number_one_creates_it(api: Api) -> None:
    for _ in range(10):
        bodies = [{"barcode": new_gtin()}, {"barcode": new_gtin()}]
        answers = await asyncio.gather(
            *(api.post(BARCODES, bodies[::step]) for step in (1, -1, 1, -1))
        )
        assert sorted(answer.status for answer in answers) == [201, 409, 409, 409]


@pytest.mark.contract("Filters")
async def test_a_scanned_number_is_found_in_any_form(api: Api) -> None:
    barcode = gtin("65290000001")
    made = (await api.post(BARCODES, {"barcode": barcode})).data
    for scanned in (barcode, f"0{barcode}", f"00{barcode}"):
        for query in ({"gtin14": scanned}, {"gtin14": [scanned, "1"]}):
            assert (await api.get(BARCODES, query)).data == [made]
    part = {"filter[0].property": "gtin14", "filter[0].operator": "contains"}
    listed = await api.get(BARCODES, part | {"filter[0].value": barcode[:11]})
    assert listed.data == [made]


@pytest.mark.contract("Search")
async def test_a_search_finds_a_number_in_any_form(api: Api) -> None:
    """As it is printed, with zeros before it, and its beginning; an internal one by its words."""
    short, long = gtin("65290000002"), gtin("952900000003")
    ids = [
        (await api.post(BARCODES, body)).data["id"]
        for body in (
            {"barcode": short},
            {"barcode": long},
            {"barcode": "RACK-007", "type": "internal"},
        )
    ]
    spaced = f"{long[0]} {long[1:7]} {long[7:]}"
    for text, position in (
        *((text, 0) for text in (short, f"0{short}", f"00{short}")),
        *((text, 1) for text in (long, f"0{long}", long[:12], spaced, spaced.replace(" ", "-"))),
        *((text, 2) for text in ("rack", "007", "rack-007")),
    ):
        listed = (await api.get(BARCODES, {"q": text})).data
        assert [row["id"] for row in listed] == [ids[position]], text


@pytest.mark.contract("Barcode ranges", "Changes")
async def test_ranges_count_numbers_written_by_hand(api: Api) -> None:
    body = a_range(firstReference=10, lastReference=15)
    made = (await api.post(RANGES, body)).data
    cursor = (await api.get("/api/changes", {"from": "now"})).json["pagination"]["cursor"]
    numbers = [gtin(f"{body['companyPrefix']}{n:05}") for n in (9, 10, 11, 13)]
    stored = (await api.post(BARCODES, [{"barcode": number} for number in numbers])).data
    await api.delete(f"{BARCODES}/{stored[1]['id']}")
    shown = (await api.get(f"{RANGES}/{made['id']}")).data
    assert (shown["nextReference"], shown["free"]) == (12, 3)
    changes = (await api.get("/api/changes", {"cursor": cursor})).data
    assert ("barcode-ranges", made["id"]) in {
        (row["collection"], row["recordId"]) for row in changes
    }
    more = [gtin(f"{body['companyPrefix']}{n:05}") for n in (12, 14, 15)]
    await api.post(BARCODES, [{"barcode": number} for number in more])
    shown = (await api.get(f"{RANGES}/{made['id']}")).data
    assert (shown["nextReference"], shown["free"]) == (None, 0)


@pytest.mark.parametrize(
    ("barcode", "field", "message"),
    [
        ("4006381333932", "type", "The check digit of 400638133393 is 1, not 2. Correct it, "),
        ("01000009", "type", "Send the type, or the 12 digits: a number that begins with 0 "),
        ("2000000000015", "type", "Send the type internal: "),
        ("0200000000011", "type", "Send the type internal: "),
        ("400000000008", "type", "Send the type internal: "),
        ("4006381333931 ", "barcode", "Remove what cannot be seen, such as white space, "),
        ("A-1", "type", "Send the type: the barcode is no GTIN with its check digit."),
    ],
)
async def test_numbers_that_need_a_type(api: Api, barcode: str, field: str, message: str) -> None:
    """As ``internal`` all but white space at the ends is stored; restricted ones are no GTINs."""
    answer = await api.post(BARCODES, {"barcode": barcode})
    [row] = answer.json["error"]["details"]
    assert (answer.status, row["field"]) == (400, field)
    assert row["value"].startswith(message)
    internal = await api.post(BARCODES, {"barcode": barcode, "type": "internal"})
    assert internal.status == (400 if field == "barcode" else 201)
    if "internal:" in message:
        kind = f"gtin{len(barcode)}"
        refused = await api.post(BARCODES, {"barcode": barcode, "type": kind})
        assert refused.details == [(INVALID, "barcode")]
        assert "restricted circulation" in refused.json["error"]["details"][0]["value"]
