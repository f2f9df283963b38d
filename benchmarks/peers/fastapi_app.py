"""The benchmarked routes with FastAPI, pydantic and asyncpg, as their documentation shows them."""

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

import asyncpg
import fastapi_assortment
import fastapi_fields
import jsonpatch
from fastapi import FastAPI, HTTPException, Query
from fastapi_shared import (
    ORGANIZATION,
    Answer,
    Connection,
    Id,
    Name,
    OrAbsent,
    Page,
    PageSize,
    State,
    Text,
    after,
    pagination,
)
from pydantic import BaseModel, ConfigDict, Field
from statements import sql

WRITABLE = ("name", "userDefinedId", "userDefinedId2", "colorReference", "colorNote", "state")


class StyleRelation(BaseModel):
    id: int
    styleId: int
    relatedStyleId: int
    relatedStyleNumber: str
    relatedStyleName: str


class ColorGroup(BaseModel):
    id: int
    name: str
    userDefinedId: OrAbsent[str] = None
    state: State


class LanguageName(BaseModel):
    languageId: int
    languageName: str
    languageCode: str
    colorName: str


class Color(BaseModel):
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


class ColorItem(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: Id
    name: Name
    userDefinedId: Text | None = None
    userDefinedId2: Text | None = None
    colorReference: Text | None = None
    colorNote: Annotated[str, Field(max_length=4000)] | None = None
    state: State
    colorGroupIds: list[Id] = []
    languageIds: list[Id] = []


class Line(BaseModel):
    lineId: int | None
    name: str | None
    requestedMeasurement: float | None
    companyMeasurement: float | None
    supplierMeasurement: float | None
    newMeasurement: float | None
    tolerance: float | None


class Measurement(BaseModel):
    sizeRangeSizeId: int
    sizeRangeSizeName: str
    unit: str | None
    designerComment: str | None
    properties: list[str]
    lines: list[Line]


class ItemCategory(BaseModel):
    id: int
    name: str
    state: State
    usedInItems: int
    beginDate: datetime
    endDate: datetime
    properties: list[str] = []


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with asyncpg.create_pool() as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)
app.include_router(fastapi_assortment.router)
app.include_router(fastapi_fields.router)


@app.get("/api/style-relations")
async def list_relations(
    db: Connection, pageSize: PageSize = 30, cursor: str | None = None
) -> Page[list[StyleRelation]]:
    rows = await db.fetch(sql("relations"), ORGANIZATION, after(cursor), pageSize + 1)
    records = [StyleRelation(**row) for row in rows[:pageSize]]
    return Page(data=records, pagination=pagination(rows, pageSize))


@app.get("/api/colors")
async def list_colors(
    db: Connection, pageSize: PageSize = 30, cursor: str | None = None
) -> Page[list[Color]]:
    rows = await db.fetch(sql("colors_page"), ORGANIZATION, after(cursor), pageSize + 1)
    records = await colors(db, rows[:pageSize])
    return Page(data=records, pagination=pagination(rows, pageSize))


@app.put("/api/colors")
async def replace_colors(
    db: Connection, items: Annotated[list[ColorItem], Field(min_length=1, max_length=1000)]
) -> Answer[list[Color]]:
    if len({item.id for item in items}) < len(items):
        raise HTTPException(400, "An id stands twice.")
    async with db.transaction():
        return Answer(data=await write(db, items))


@app.patch("/api/colors/{color_id}")
async def patch_color(
    db: Connection, color_id: Id, operations: list[dict[str, Any]]
) -> Answer[Color]:
    async with db.transaction():
        rows = await db.fetch(sql("colors_by_id"), ORGANIZATION, [color_id])
        if not rows:
            raise HTTPException(404, "There is no such color.")
        (color,) = await colors(db, rows)
        try:
            patched = jsonpatch.apply_patch(writable(color), operations)
        except jsonpatch.JsonPatchTestFailed as error:
            raise HTTPException(409, str(error)) from error
        except jsonpatch.JsonPatchException as error:
            raise HTTPException(422, str(error)) from error
        (color,) = await write(db, [ColorItem(**patched, id=color_id)])
        return Answer(data=color)


@app.get("/api/styles/{style_id}/sample-requests/{request_id}/measurements/{size_id}")
async def read_measurement(
    db: Connection, style_id: Id, request_id: Id, size_id: Id
) -> Answer[Measurement]:
    row = await db.fetchrow(sql("measurement"), ORGANIZATION, style_id, request_id, size_id)
    if row is None:
        raise HTTPException(404, "This size is not requested.")
    lines = await db.fetch(sql("measurement_lines"), ORGANIZATION, request_id, size_id)
    return Answer(data=Measurement(**row, lines=[Line(**line) for line in lines]))


@app.delete("/api/item-categories")
async def delete_categories(
    db: Connection, ids: Annotated[list[Id], Query(min_length=1, max_length=200)]
) -> Answer[list[ItemCategory]]:
    if len(set(ids)) < len(ids):
        raise HTTPException(400, "An id stands twice.")
    async with db.transaction():
        rows = {row["id"]: row for row in await db.fetch(sql("lock_categories"), ORGANIZATION, ids)}
        if len(rows) < len(ids):
            raise HTTPException(404, "There is no such item category.")
        if await db.fetch(sql("categories_in_use"), ORGANIZATION, ids):
            raise HTTPException(409, "An item category is in use.")
        await db.execute(sql("delete_categories"), ORGANIZATION, ids)
    now = datetime.now(UTC)
    gone = [ItemCategory(**rows[id_], state="deleted", usedInItems=0, endDate=now) for id_ in ids]
    return Answer(data=gone)


async def write(db: asyncpg.Connection, items: list[ColorItem]) -> list[Color]:
    ids = [item.id for item in items]
    groups = [(item.id, group) for item in items for group in item.colorGroupIds]
    languages = [(item.id, language) for item in items for language in item.languageIds]
    locked = await db.fetch(sql("lock_colors"), ORGANIZATION, ids)
    if len(locked) < len(ids):
        raise HTTPException(404, "There is no such color.")
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
        raise HTTPException(400, "There is no such color group.")
    if len(await db.fetch(sql("known_languages"), languages)) < len(languages):
        raise HTTPException(400, "There is no such language.")


async def colors(db: asyncpg.Connection, rows: list[asyncpg.Record]) -> list[Color]:
    ids = [row["id"] for row in rows]
    groups, languages = defaultdict(list), defaultdict(list)
    for row in await db.fetch(sql("groups_of_colors"), ORGANIZATION, ids):
        groups[row["colorId"]].append(ColorGroup(**row))
    for row in await db.fetch(sql("languages_of_colors"), ORGANIZATION, ids):
        languages[row["colorId"]].append(LanguageName(**row))
    return [
        Color(**row, colorGroups=groups[row["id"]], languageNames=languages[row["id"]])
        for row in rows
    ]


def writable(color: Color) -> dict[str, Any]:
    form: dict[str, Any] = {name: getattr(color, name) for name in WRITABLE}
    form["colorGroupIds"] = [group.id for group in color.colorGroups]
    form["languageIds"] = [name.languageId for name in color.languageNames]
    return form
