"""Tests of keyset predicates: each record is followed by those that sort after it."""

from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import asyncpg
import pytest

from service.listing.list_request import Condition, ListRequest, SortKey
from service.listing.operators import OPERATORS
from service.listing.page_sql import LIVE, batch_page, listing_page
from service.listing.properties import Property

pytestmark = pytest.mark.contract("Pages", "Sorts")

A = Property("a", "integer", nullable=True, sortable=True)
B = Property("someText", "string", nullable=True, sortable=True)
C = Property("c", "integer", nullable=False, sortable=True)
ID = Property("id", "integer", nullable=False, sortable=True)
ROWS = [
    (number, *values)
    for number, values in enumerate(product((None, 1, 2), (None, "Z", "a"), (1, 2)), start=1)
]


@pytest.fixture
async def connection(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        'create temp table r (id bigint, a bigint, some_text text collate "C", c bigint)'
    )
    await connection.copy_records_to_table("r", records=ROWS)
    yield connection
    await connection.close()


async def page(connection: asyncpg.Connection, list_request: ListRequest) -> list[tuple[Any, ...]]:
    """Return id and sort values of each record of the page and one more."""
    statement = listing_page(1, list_request, listed="")
    text = (
        f"with record as (select r.* from r where $1::bigint = 1), page as (\n{statement.text}\n)\n"
    )
    names = {"a": "a", "someText": "some_text", "c": "c", "id": "id"}
    columns = ", ".join(names[key.property.name] for key in list_request.sort)
    rows = await connection.fetch(
        f"{text} select {columns} from page order by page_order", 1, *statement.parameters
    )
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("keys", [(A,), (B,), (A, B), (B, A), (A, C), (C, B), (A, B, C)])
async def test_every_mix_of_directions(
    keys: tuple[Property, ...], connection: asyncpg.Connection
) -> None:
    for directions in product((False, True), repeat=len(keys) + 1):
        sort = tuple(map(SortKey, (*keys, ID), directions))
        whole = await page(connection, ListRequest(sort=sort, page_size=100))
        assert len(whole) == len(ROWS)
        for index, after in enumerate(whole):
            rest = await page(connection, ListRequest(sort=sort, page_size=100, after=after))
            assert rest == whole[index + 1 :], (directions, after)


async def test_a_page_has_one_record_more(connection: asyncpg.Connection) -> None:
    sort = (SortKey(ID, False),)
    assert len(await page(connection, ListRequest(sort=sort, page_size=5))) == 6
    last = await page(connection, ListRequest(sort=sort, page_size=5, page_number=4))
    assert [row[0] for row in last] == [16, 17, 18]
    assert "row_number" not in listing_page(1, ListRequest(sort=sort), listed="").text


def test_values_are_parameters_and_never_text() -> None:
    list_request = ListRequest(
        (
            Condition(B, OPERATORS["eq"], ("'; drop table color; --",)),
            Condition(B, OPERATORS["contains"], ("%",)),
            Condition(A, OPERATORS["in"], (1, 2)),
            Condition(A, OPERATORS["isnull"], (True,)),
        ),
        (SortKey(B, True), SortKey(ID, False)),
        after=("'", 7),
    )
    statement = listing_page(1, list_request, listed=LIVE)
    assert "drop" not in statement.text
    assert "'; drop table color; --" in statement.parameters
    assert [1, 2] in statement.parameters


def test_equal_listings_make_equal_statements() -> None:
    """So that few statements are prepared: values differ, texts do not."""
    sort = (SortKey(ID, False),)
    texts = {
        listing_page(
            1,
            ListRequest((Condition(A, OPERATORS["eq"], values),), sort, after=(after,)),
            listed="",
        ).text
        for values in ((1, 2), (3, 4, 5), (6, 7))
        for after in (1, 2)
    }
    assert len(texts) == 1


@pytest.mark.contract("Lists")
def test_deleted_records_are_hidden_unless_the_state_is_filtered() -> None:
    state = Property("state", "string", nullable=False, sortable=True)
    sort = (SortKey(ID, False),)
    hidden = listing_page(1, ListRequest(sort=sort), listed=LIVE)
    statement = listing_page(
        1, ListRequest((Condition(state, OPERATORS["ne"], ("active",)),), sort), listed=LIVE
    )
    assert "'deleted'" in hidden.text
    assert "'deleted'" not in statement.text


async def test_a_batch_has_the_records_of_its_ids(connection: asyncpg.Connection) -> None:
    statement = batch_page(1, [3, 1, 99, 2])
    rows = await connection.fetch(
        "with record as (select r.* from r where $1::bigint = 1)\n"
        f"select id, page_order from ({statement.text}) as page order by id",
        1,
        statement.ids,
    )
    assert [tuple(row) for row in rows] == [(1, 1), (2, 2), (3, 3)]
