"""Tests of the search by words (contract, Search)."""

from random import Random
from typing import Any
from urllib.parse import quote

import asyncpg
import pytest

from service.listing.search import has_word
from service.listing.search_columns import SearchColumns
from service.records.resource import Resource
from service.resources.registry import MASTER_RECORDS, REFERENCE_LISTS, SHARED_LISTS
from service.routes import collection_path
from tests.support import care_texts
from tests.support.api import Api

pytestmark = pytest.mark.contract("Search")

COLORS = "/api/colors"
LISTS = [
    resource
    for resource in (*MASTER_RECORDS, *REFERENCE_LISTS)
    if resource.properties.search and not resource.parents
]
of_each_list = pytest.mark.parametrize("resource", LISTS, ids=lambda resource: resource.name)
WIDE = "\uff37\uff49\uff44\uff45"
"""The word Wide in full-width letters."""
NAMES = {
    "Crème brûlée": "QC-1",
    "Straßengrün": "QC-2",
    "Deep Navy": "QC-3",
    "Navy": "QC-4",
    "Old navy-blue": "QC-40",
    f"{WIDE} Œuvre": "Navy",
    "Синий": "NAVYBLUE",
}


@pytest.fixture
async def colors(shared_api: Api) -> Api:
    """The service with colors to search, of a key part that no other test has."""
    response = await shared_api.get(f"{COLORS}?q=QC")
    if not response.data:
        items = [{"name": name, "userDefinedId": key} for name, key in NAMES.items()]
        assert (await shared_api.post(COLORS, items)).status == 201
    return shared_api


async def names(api: Api, text: str, more: str = "") -> list[str]:
    """Return the names of the colors of these tests that a search finds, in order."""
    response = await api.get(f"{COLORS}?q={quote(text)}&pageSize=100{more}")
    assert response.status == 200, response.raw
    own = [color for color in response.data if NAMES.get(color["name"]) == color["userDefinedId"]]
    return [color["name"] for color in own]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("creme", ["Crème brûlée"]),
        ("CRÈME", ["Crème brûlée"]),
        ("brulee creme", ["Crème brûlée"]),
        ("cre bru", ["Crème brûlée"]),
        ("  cre,bru!  ", ["Crème brûlée"]),
        ("reme", []),
        ("creme navy", []),
        ("strasse", ["Straßengrün"]),
        ("straße", ["Straßengrün"]),
        ("STRASSENGRUN", ["Straßengrün"]),
        ("wide", [f"{WIDE} Œuvre"]),
        ("oeuvre", [f"{WIDE} Œuvre"]),
        ("œuvre \uff57", [f"{WIDE} Œuvre"]),
        ("СИНИЙ", ["Синий"]),
        ("qc-3", ["Deep Navy"]),
        ("QC 3", ["Deep Navy"]),
        ("blue", ["Old navy-blue"]),
    ],
)
async def test_words_are_found_whatever_their_spelling(
    colors: Api, text: str, expected: list[str]
) -> None:
    assert await names(colors, text) == expected


async def test_the_best_come_first(colors: Api) -> None:
    """The whole key, the beginning of a key, the beginning of the name, any word."""
    best = [f"{WIDE} Œuvre", "Синий", "Navy"]
    matched = await names(colors, "navy")
    assert matched[:3] == best
    assert {*matched[3:]} == {"Deep Navy", "Old navy-blue"}
    assert (await names(colors, "qc-4"))[:2] == ["Navy", "Old navy-blue"]


_TEXTS = [
    "navy",
    "NAVY",
    "Navy Blue",
    "na",
    "N",
    "a-b",
    "Crème",
    "CREME",
    "\u212a",
    "k",
    "ß",
    "ss",
]


@pytest.mark.parametrize(
    "columns",
    [SearchColumns("name", ("number", "code")), SearchColumns("name")],
    ids=["keys", "no keys"],
)
async def test_ranks_are_those_of_folded_texts(shared_dsn: str, columns: SearchColumns) -> None:
    """The shorter comparison of ASCII _TEXTS ranks them as `search_rank` does."""
    random = Random(7)
    rows = [[random.choice(_TEXTS), random.choice([*_TEXTS, None]), None] for _ in range(3000)]
    keys = ", ".join(f"record.{key}" for key in columns.keys) or "record.name"
    connection = await asyncpg.connect(shared_dsn)
    try:
        ranks = await connection.fetch(
            f"""
            select {columns.rank("query", "search_fold(query)")} as rank,
                search_rank(query, record.name, array[{keys}]) as expected
            from unnest($1::text[], $2::text[], $3::text[]) as record(name, number, code)
            cross join unnest($4::text[]) as query
            """,
            *map(list, zip(*rows, strict=True)),
            _TEXTS,
        )
    finally:
        await connection.close()
    assert {row["expected"] for row in ranks} == ({0, 1, 2, 3} if columns.keys else {0, 1, 3})
    assert [row["rank"] for row in ranks] == [row["expected"] for row in ranks]


async def test_filters_sort_keys_and_pages_combine(colors: Api) -> None:
    sorting = "&sort[0].property=name&sort[0].order=desc"
    matched = await names(colors, "navy", sorting)
    assert matched == sorted(matched, reverse=True)
    assert len(matched) == 5
    assert await names(colors, "navy", "&userDefinedId=QC-4") == ["Navy"]
    assert await names(colors, "navy", "&state=inactive") == []
    whole, walked = await colors.get(f"{COLORS}?q=navy&pageSize=100"), []
    page = await colors.get(f"{COLORS}?q=navy&pageSize=2", headers={"Prefer": "count=exact"})
    assert page.headers["Total-Count"] == str(len(whole.data))
    while True:
        walked += page.data
        cursor = page.json["pagination"].get("cursor")
        if cursor is None:
            break
        page = await colors.get(f"{COLORS}?cursor={cursor}&q=navy")
    assert walked == whole.data
    second = await colors.get(f"{COLORS}?q=navy&pageSize=2&pageNumber=2")
    assert second.data == whole.data[2:4]


@pytest.mark.parametrize(
    ("query", "error_type"),
    [
        ("q=", "too_short"),
        ("q=%20%20", "too_short"),
        ("q=-%2B%2F!", "too_short"),
        ("q=%CC%81", "too_short"),
        (f"q={'a' * 201}", "too_long"),
        ("q=%00a", "invalid_value"),
        ("q=a&q=b", "duplicate"),
    ],
)
async def test_texts_without_a_word_are_errors(
    shared_api: Api, query: str, error_type: str
) -> None:
    answer = await shared_api.get(f"{COLORS}?{query}")
    assert (answer.status, answer.details) == (400, [(f"validation_error.{error_type}", "q")])


async def test_a_cursor_carries_the_search(colors: Api) -> None:
    page = await colors.get(f"{COLORS}?q=navy&pageSize=1")
    cursor = page.json["pagination"]["cursor"]
    other = await colors.get(f"{COLORS}?cursor={cursor}&q=deep")
    assert other.details == [("validation_error.exclusive_parameters", "q")]
    brands = await colors.get(f"/api/brands?cursor={cursor}")
    assert brands.details == [("validation_error.invalid_cursor", "cursor")]


async def test_long_texts_and_every_character_are_no_error(shared_api: Api) -> None:
    created = await shared_api.post(COLORS, {"name": "q" * 1000, "colorNote": "Long"})
    assert created.status == 201
    assert created.data["id"] in [
        color["id"] for color in (await shared_api.get(f"{COLORS}?q={'Q' * 200}")).data
    ]
    for text in ("'a'", "\\a", "a:*", "a & !b", "a|b", "<->a", '"a"', "a\u2028b", "\U0001f600a"):
        assert (await shared_api.get(f"{COLORS}?q={quote(text)}")).status == 200, text


@of_each_list
async def test_each_list_is_searched(shared_api: Api, resource: Resource) -> None:
    """Every word of each searched field finds its record, in another case."""
    path = collection_path(resource)
    records = (await shared_api.get(f"{path}?pageSize=5")).data
    columns = resource.properties.search
    assert records
    assert columns
    fields = {"name", "text", "number", "userDefinedId", "customId", "code", "relatedStyleNumber"}
    for record in records:
        for field in fields & record.keys():
            text = record[field]
            if (
                not isinstance(text, str)
                or not text
                or (field == "name" and "relatedStyleNumber" in record)
            ):
                continue
            query = f"{path}?q={quote(text[:200].upper())}&id={record['id']}"
            response = await shared_api.get(query)
            assert [each["id"] for each in response.data] == [record["id"]], (field, text)


@of_each_list
async def test_no_organization_finds_anothers_records(
    shared_api: Api, shared_other: Api, resource: Resource
) -> None:
    path = collection_path(resource)
    name = {
        **dict.fromkeys(care_texts.NAMES, "text"),
        "style-colors": "colorName",
        "barcodes": "barcode",
        "style-files": "fileName",
        "style-skus": "sku",
        "style-relations": "relatedStyleName",
    }.get(resource.name, "name")
    for record in (await shared_api.get(f"{path}?pageSize=3")).data:
        theirs = await shared_other.get(f"{path}?q={quote(record[name][:200])}")
        if resource not in SHARED_LISTS:
            assert record["id"] not in [each["id"] for each in theirs.data]


@pytest.mark.parametrize("operator", ["startsWith", "contains"])
async def test_the_index_changes_no_filter(colors: Api, operator: str) -> None:
    """Filters by the beginning or a part of a text find what they name, in any position."""
    everything = [color for color in await everything_of(colors) if color["name"]]
    random = Random(3)
    for color in random.sample(everything, 25):
        for field in ("name", "userDefinedId", "colorReference"):
            value = color[field] or ""
            start = 0 if operator == "startsWith" else random.randint(0, max(len(value) - 1, 0))
            text = value[start : start + random.randint(1, 12)].swapcase()
            if not text:
                continue
            expected = [
                each["id"]
                for each in everything
                if (each[field] or "").lower().startswith(text.lower())
                or (operator == "contains" and text.lower() in (each[field] or "").lower())
            ]
            response = await colors.get(
                f"{COLORS}?filter[0].property={field}&filter[0].operator={operator}"
                f"&filter[0].value={quote(text)}&pageSize=100"
            )
            assert [each["id"] for each in response.data] == expected[:100], (field, text)


async def everything_of(api: Api) -> list[Any]:
    """Return all live colors, by id."""
    records, query = [], "pageSize=100"
    while True:
        page = await api.get(f"{COLORS}?{query}")
        records += page.data
        if "cursor" not in page.json["pagination"]:
            return records
        query = f"cursor={page.json['pagination']['cursor']}"


async def test_lists_without_names_have_no_search(shared_api: Api) -> None:
    answer = await shared_api.get("/api/changes?q=navy")
    assert answer.details == [("validation_error.unknown_parameter", "q")]


async def test_both_sides_agree_on_what_a_word_is(shared_dsn: str) -> None:
    """Python refuses a text exactly if PostgreSQL finds no word in it."""
    random = Random(5)
    points = [*range(1, 0x800), *range(0x1E00, 0x3100), *range(0xFE00, 0x10000)]
    points += random.sample(range(0x3100, 0xD800), 500) + random.sample(
        range(0x10000, 0x2FA00), 2000
    )
    texts = [chr(point) for point in points]
    connection = await asyncpg.connect(shared_dsn)
    try:
        rows = await connection.fetch(
            "select text, cardinality(search_lexemes(1, text)) > 0 as has_word "
            "from unnest($1::text[]) as text",
            texts,
        )
    finally:
        await connection.close()
    wrong: list[Any] = [hex(ord(row[0])) for row in rows if has_word(row[0]) != row[1]]
    assert wrong == []
