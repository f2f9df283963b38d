"""The benchmarked routes with Litestar, msgspec and asyncpg, as their documentation shows them."""

import base64
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Generic, Literal, TypeVar

import asyncpg
from litestar import Litestar, get, put
from litestar.datastructures import State as AppState
from litestar.exceptions import ClientException, NotFoundException
from litestar.params import Parameter
from msgspec import UNSET, Meta, Struct, UnsetType
from statements import sql

ORGANIZATION = 1
T = TypeVar("T")
State = Literal["active", "inactive", "deleted"]
Id = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Text = Annotated[str, Meta(max_length=1000)]


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
    name: Annotated[str, Meta(min_length=1, max_length=1000)]
    state: State
    userDefinedId: Text | None = None
    userDefinedId2: Text | None = None
    colorReference: Text | None = None
    colorNote: Annotated[str, Meta(max_length=4000)] | None = None
    colorGroupIds: list[Id] = []
    languageIds: list[Id] = []


class Pagination(Struct):
    hasMore: bool
    cursor: str | UnsetType = UNSET


class Answer(Struct, Generic[T]):
    data: T
    status: Literal["success"] = "success"
    code: Literal["ok"] = "ok"


class Page(Struct, Generic[T]):
    data: T
    pagination: Pagination
    status: Literal["success"] = "success"
    code: Literal["ok"] = "ok"


@asynccontextmanager
async def lifespan(app: Litestar) -> AsyncIterator[None]:
    async with asyncpg.create_pool() as pool:
        app.state.pool = pool
        yield


PageSize = Annotated[int, Parameter(query="pageSize", ge=1, le=100)]


@get("/api/style-relations")
async def list_relations(
    state: AppState, page_size: PageSize = 30, cursor: str | None = None
) -> Page[list[StyleRelation]]:
    async with state.pool.acquire() as db:
        rows = await db.fetch(sql("relations"), ORGANIZATION, after(cursor), page_size + 1)
    found = [StyleRelation(**row) for row in rows[:page_size]]
    return Page(found, pagination(found, len(rows) > page_size))


@get("/api/colors")
async def list_colors(
    state: AppState, page_size: PageSize = 30, cursor: str | None = None
) -> Page[list[Color]]:
    async with state.pool.acquire() as db:
        rows = await db.fetch(sql("colors_page"), ORGANIZATION, after(cursor), page_size + 1)
        found = await colors(db, rows[:page_size])
    return Page(found, pagination(found, len(rows) > page_size))


@put("/api/colors")
async def replace_colors(
    state: AppState, data: Annotated[list[ColorItem], Meta(min_length=1, max_length=1000)]
) -> Answer[list[Color]]:
    ids = [item.id for item in data]
    if len(set(ids)) < len(ids):
        raise ClientException("An id stands twice.")
    groups = [(item.id, group) for item in data for group in item.colorGroupIds]
    languages = [(item.id, language) for item in data for language in item.languageIds]
    async with state.pool.acquire() as db, db.transaction():
        locked = await db.fetch(sql("lock_colors"), ORGANIZATION, ids)
        if len(locked) < len(ids):
            raise NotFoundException("There is no such color.")
        await check_references(db, {group for _, group in groups}, {one for _, one in languages})
        await db.execute(
            sql("update_colors"),
            ORGANIZATION,
            ids,
            [item.name for item in data],
            [item.userDefinedId for item in data],
            [item.userDefinedId2 for item in data],
            [item.colorReference for item in data],
            [item.colorNote for item in data],
            [item.state for item in data],
        )
        for kind, links in (("groups", groups), ("languages", languages)):
            left, right = [one for one, _ in links], [other for _, other in links]
            await db.execute(sql(f"remove_{kind}"), ORGANIZATION, ids, left, right)
            await db.execute(sql(f"add_{kind}"), ORGANIZATION, left, right)
        rows = {row["id"]: row for row in await db.fetch(sql("colors_by_id"), ORGANIZATION, ids)}
        return Answer(await colors(db, [rows[id_] for id_ in ids]))


async def check_references(
    db: asyncpg.Connection, groups: set[int], languages: set[int]
) -> None:
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


def after(cursor: str | None) -> int:
    return int(base64.urlsafe_b64decode(cursor)) if cursor else 0


def pagination(found: list[StyleRelation] | list[Color], more: bool) -> Pagination:
    if not more:
        return Pagination(hasMore=False)
    cursor = base64.urlsafe_b64encode(str(found[-1].id).encode()).decode()
    return Pagination(hasMore=True, cursor=cursor)


app = Litestar(
    [list_relations, list_colors, replace_colors], lifespan=[lifespan], openapi_config=None
)
