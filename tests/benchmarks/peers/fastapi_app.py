"""The benchmarked routes with FastAPI, pydantic and asyncpg, as their documentation shows them."""

import base64
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Generic, Literal, TypeVar

import asyncpg
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from statements import sql

ORGANIZATION = 1
T = TypeVar("T")
State = Literal["active", "inactive", "deleted"]
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]
Text = Annotated[str, Field(max_length=1000)]


class StyleRelation(BaseModel):
    id: int
    styleId: int
    relatedStyleId: int
    relatedStyleNumber: str
    relatedStyleName: str


class ColorGroup(BaseModel):
    id: int
    name: str
    userDefinedId: str | None = Field(None, exclude_if=lambda value: value is None)
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
    name: Annotated[str, Field(min_length=1, max_length=1000)]
    userDefinedId: Text | None = None
    userDefinedId2: Text | None = None
    colorReference: Text | None = None
    colorNote: Annotated[str, Field(max_length=4000)] | None = None
    state: State
    colorGroupIds: list[Id] = []
    languageIds: list[Id] = []


class Pagination(BaseModel):
    hasMore: bool
    cursor: str | None = Field(None, exclude_if=lambda value: value is None)


class Answer(BaseModel, Generic[T]):
    status: Literal["success"] = "success"
    code: Literal["ok"] = "ok"
    data: T


class Page(Answer[T], Generic[T]):
    pagination: Pagination


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with asyncpg.create_pool() as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


async def connection(request: Request) -> AsyncIterator[asyncpg.Connection]:
    async with request.app.state.pool.acquire() as acquired:
        yield acquired


Connection = Annotated[asyncpg.Connection, Depends(connection)]
PageSize = Annotated[int, Query(ge=1, le=100)]


@app.get("/api/style-relations")
async def list_relations(
    db: Connection, pageSize: PageSize = 30, cursor: str | None = None
) -> Page[list[StyleRelation]]:
    rows = await db.fetch(sql("relations"), ORGANIZATION, after(cursor), pageSize + 1)
    found = [StyleRelation(**row) for row in rows[:pageSize]]
    return Page(data=found, pagination=pagination(found, len(rows) > pageSize))


@app.get("/api/colors")
async def list_colors(
    db: Connection, pageSize: PageSize = 30, cursor: str | None = None
) -> Page[list[Color]]:
    rows = await db.fetch(sql("colors_page"), ORGANIZATION, after(cursor), pageSize + 1)
    found = await colors(db, rows[:pageSize])
    return Page(data=found, pagination=pagination(found, len(rows) > pageSize))


@app.put("/api/colors")
async def replace_colors(
    db: Connection, items: Annotated[list[ColorItem], Field(min_length=1, max_length=1000)]
) -> Answer[list[Color]]:
    ids = [item.id for item in items]
    if len(set(ids)) < len(ids):
        raise HTTPException(400, "An id stands twice.")
    groups = [(item.id, group) for item in items for group in item.colorGroupIds]
    languages = [(item.id, language) for item in items for language in item.languageIds]
    async with db.transaction():
        locked = await db.fetch(sql("lock_colors"), ORGANIZATION, ids)
        if len(locked) < len(ids):
            raise HTTPException(404, "There is no such color.")
        await check_references(db, {group for _, group in groups}, {one for _, one in languages})
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
            left, right = [one for one, _ in links], [other for _, other in links]
            await db.execute(sql(f"remove_{kind}"), ORGANIZATION, ids, left, right)
            await db.execute(sql(f"add_{kind}"), ORGANIZATION, left, right)
        rows = {row["id"]: row for row in await db.fetch(sql("colors_by_id"), ORGANIZATION, ids)}
        return Answer(data=await colors(db, [rows[id_] for id_ in ids]))


async def check_references(
    db: asyncpg.Connection, groups: set[int], languages: set[int]
) -> None:
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


def after(cursor: str | None) -> int:
    return int(base64.urlsafe_b64decode(cursor)) if cursor else 0


def pagination(found: list[StyleRelation] | list[Color], more: bool) -> Pagination:
    cursor = base64.urlsafe_b64encode(str(found[-1].id).encode()).decode() if more else None
    return Pagination(hasMore=more, cursor=cursor)
