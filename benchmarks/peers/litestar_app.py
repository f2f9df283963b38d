"""The benchmarked routes with Litestar, msgspec and asyncpg, as their documentation shows them."""

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

import asyncpg
import jsonpatch
from litestar import Litestar, delete, get, patch, put
from litestar.datastructures import State as AppState
from litestar.exceptions import ClientException, HTTPException, NotFoundException
from litestar.params import Body, Parameter
from litestar_assortment import list_effective_prices, list_products, list_skus
from litestar_fields import replace_fields
from litestar_shared import (
    ORGANIZATION,
    Answer,
    Id,
    Name,
    Page,
    PageSize,
    State,
    Text,
    after,
    pagination,
)
from msgspec import UNSET, Meta, Struct, UnsetType, convert
from statements import sql

WRITABLE = ("name", "userDefinedId", "userDefinedId2", "colorReference", "colorNote", "state")


class StyleRelation(Struct):
    id: int
    styleId: int
    relatedStyleId: int
    relatedStyleNumber: str
    relatedStyleName: str


class ColorGroup(Struct):
    id: int
    name: str
    userDefinedId: str | UnsetType
    state: State


class LanguageName(Struct):
    languageId: int
    languageName: str
    languageCode: str
    colorName: str


class Color(Struct):
    id: int
    name: str
    userDefinedId: str | None
    userDefinedId2: str | None
    colorReference: str | None
    colorNote: str | None
    state: State
    colorGroups: list[ColorGroup]
    languageNames: list[LanguageName]
    properties: list[str] = []


class ColorItem(Struct, forbid_unknown_fields=True):
    id: Id
    name: Name
    state: State
    userDefinedId: Text | None = None
    userDefinedId2: Text | None = None
    colorReference: Text | None = None
    colorNote: Annotated[str, Meta(max_length=4000)] | None = None
    colorGroupIds: list[Id] = []
    languageIds: list[Id] = []


class Line(Struct):
    lineId: int | None
    name: str | None
    requestedMeasurement: float | None
    companyMeasurement: float | None
    supplierMeasurement: float | None
    newMeasurement: float | None
    tolerance: float | None


class Measurement(Struct):
    sizeRangeSizeId: int
    sizeRangeSizeName: str
    unit: str | None
    designerComment: str | None
    properties: list[str]
    lines: list[Line]


class ItemCategory(Struct):
    id: int
    name: str
    state: State
    usedInItems: int
    beginDate: datetime
    endDate: datetime
    properties: list[str] = []


@asynccontextmanager
async def lifespan(app: Litestar) -> AsyncIterator[None]:
    async with asyncpg.create_pool() as pool:
        app.state.pool = pool
        yield


@get("/api/style-relations")
async def list_relations(
    state: AppState, page_size: PageSize = 30, cursor: str | None = None
) -> Page[list[StyleRelation]]:
    async with state.pool.acquire() as db:
        rows = await db.fetch(sql("relations"), ORGANIZATION, after(cursor), page_size + 1)
    records = [StyleRelation(**row) for row in rows[:page_size]]
    return Page(records, pagination(rows, page_size))


@get("/api/colors")
async def list_colors(
    state: AppState, page_size: PageSize = 30, cursor: str | None = None
) -> Page[list[Color]]:
    async with state.pool.acquire() as db:
        rows = await db.fetch(sql("colors_page"), ORGANIZATION, after(cursor), page_size + 1)
        records = await colors(db, rows[:page_size])
    return Page(records, pagination(rows, page_size))


@put("/api/colors")
async def replace_colors(
    state: AppState, data: Annotated[list[ColorItem], Body(min_items=1, max_items=1000)]
) -> Answer[list[Color]]:
    if len({item.id for item in data}) < len(data):
        raise ClientException("An id stands twice.")
    async with state.pool.acquire() as db, db.transaction():
        return Answer(await write(db, data))


@patch("/api/colors/{color_id:int}")
async def patch_color(state: AppState, color_id: int, data: list[dict[str, Any]]) -> Answer[Color]:
    async with state.pool.acquire() as db, db.transaction():
        rows = await db.fetch(sql("colors_by_id"), ORGANIZATION, [color_id])
        if not rows:
            raise NotFoundException("There is no such color.")
        (color,) = await colors(db, rows)
        try:
            patched = jsonpatch.apply_patch(writable(color), data)
        except jsonpatch.JsonPatchTestFailed as error:
            raise HTTPException(str(error), status_code=409) from error
        except jsonpatch.JsonPatchException as error:
            raise HTTPException(str(error), status_code=422) from error
        (color,) = await write(db, [convert({**patched, "id": color_id}, ColorItem)])
        return Answer(color)


@get("/api/styles/{style_id:int}/sample-requests/{request_id:int}/measurements/{size_id:int}")
async def read_measurement(
    state: AppState, style_id: int, request_id: int, size_id: int
) -> Answer[Measurement]:
    async with state.pool.acquire() as db:
        row = await db.fetchrow(sql("measurement"), ORGANIZATION, style_id, request_id, size_id)
        if row is None:
            raise NotFoundException("This size is not requested.")
        lines = await db.fetch(sql("measurement_lines"), ORGANIZATION, request_id, size_id)
    return Answer(Measurement(*row, [Line(*line) for line in lines]))


@delete("/api/item-categories", status_code=200)
async def delete_categories(
    state: AppState, ids: Annotated[list[int], Parameter(min_items=1, max_items=200)]
) -> Answer[list[ItemCategory]]:
    if len(set(ids)) < len(ids):
        raise ClientException("An id stands twice.")
    async with state.pool.acquire() as db, db.transaction():
        rows = {row["id"]: row for row in await db.fetch(sql("lock_categories"), ORGANIZATION, ids)}
        if len(rows) < len(ids):
            raise NotFoundException("There is no such item category.")
        if await db.fetch(sql("categories_in_use"), ORGANIZATION, ids):
            raise HTTPException("An item category is in use.", status_code=409)
        await db.execute(sql("delete_categories"), ORGANIZATION, ids)
    now = datetime.now(UTC)
    gone = [ItemCategory(**rows[id_], state="deleted", usedInItems=0, endDate=now) for id_ in ids]
    return Answer(gone)


async def write(db: asyncpg.Connection, items: list[ColorItem]) -> list[Color]:
    ids = [item.id for item in items]
    groups = [(item.id, group) for item in items for group in item.colorGroupIds]
    languages = [(item.id, language) for item in items for language in item.languageIds]
    locked = await db.fetch(sql("lock_colors"), ORGANIZATION, ids)
    if len(locked) < len(ids):
        raise NotFoundException("There is no such color.")
    await check_references(
        db, {group for _, group in groups}, {language for _, language in languages}
    )
    await db.execute(
        sql("update_colors"),
        ORGANIZATION,
        ids,
        [item.name for item in items],
        [item.userDefinedId for item in items],
        [item.userDefinedId2 for item in items],
        [item.colorReference for item in items],
        [item.colorNote for item in items],
        [item.state for item in items],
    )
    for kind, links in (("groups", groups), ("languages", languages)):
        left, right = [color_id for color_id, _ in links], [linked_id for _, linked_id in links]
        await db.execute(sql(f"remove_{kind}"), ORGANIZATION, ids, left, right)
        await db.execute(sql(f"add_{kind}"), ORGANIZATION, left, right)
    rows = {row["id"]: row for row in await db.fetch(sql("colors_by_id"), ORGANIZATION, ids)}
    return await colors(db, [rows[id_] for id_ in ids])


async def check_references(db: asyncpg.Connection, groups: set[int], languages: set[int]) -> None:
    if len(await db.fetch(sql("known_groups"), ORGANIZATION, groups)) < len(groups):
        raise ClientException("There is no such color group.")
    if len(await db.fetch(sql("known_languages"), languages)) < len(languages):
        raise ClientException("There is no such language.")


async def colors(db: asyncpg.Connection, rows: list[asyncpg.Record]) -> list[Color]:
    ids = [row["id"] for row in rows]
    groups, languages = defaultdict(list), defaultdict(list)
    for row in await db.fetch(sql("groups_of_colors"), ORGANIZATION, ids):
        color_id, id_, name, reference, state = row
        reference = UNSET if reference is None else reference
        groups[color_id].append(ColorGroup(id_, name, reference, state))
    for color_id, *names in await db.fetch(sql("languages_of_colors"), ORGANIZATION, ids):
        languages[color_id].append(LanguageName(*names))
    return [
        Color(**row, colorGroups=groups[row["id"]], languageNames=languages[row["id"]])
        for row in rows
    ]


def writable(color: Color) -> dict[str, Any]:
    form: dict[str, Any] = {name: getattr(color, name) for name in WRITABLE}
    form["colorGroupIds"] = [group.id for group in color.colorGroups]
    form["languageIds"] = [name.languageId for name in color.languageNames]
    return form


app = Litestar(
    [
        list_relations,
        list_colors,
        list_skus,
        list_effective_prices,
        list_products,
        replace_colors,
        replace_fields,
        patch_color,
        read_measurement,
        delete_categories,
    ],
    lifespan=[lifespan],
    openapi_config=None,
)
