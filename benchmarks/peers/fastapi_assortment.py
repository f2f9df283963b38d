"""The routes of SKUs, effective prices and products with FastAPI."""

from datetime import UTC, date, datetime
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi_shared import (
    ORGANIZATION,
    Connection,
    Id,
    Page,
    PageSize,
    State,
    after,
    pagination,
)
from pydantic import BaseModel, TypeAdapter
from statements import sql


class Named(BaseModel):
    id: int
    userDefinedId: str | None
    name: str


class Partner(BaseModel):
    id: int
    customId: str | None
    name: str


class ProductStyle(BaseModel):
    id: int
    number: str
    name: str
    description: str | None
    status: str
    gender: str | None
    ageGroup: str | None
    countryOfOriginCode: str | None
    hsCode: str | None
    netWeight: float | None
    brand: Partner | None
    season: Named | None
    styleCategory: Named | None
    supplier: Partner | None
    groups: list[Named]


class StyleText(BaseModel):
    languageId: int
    languageCode: str
    name: str | None
    description: str | None


class ColorText(BaseModel):
    languageId: int
    languageCode: str
    name: str


class Swatch(BaseModel):
    hex: str | None
    imageUrl: str | None


class File(BaseModel):
    styleFileId: int
    fileName: str
    category: str
    url: str
    mimeType: str | None
    sizeBytes: int | None
    width: int | None
    height: int | None
    altText: str | None
    sha256: str | None
    isMain: bool


class Tier(BaseModel):
    minimumQuantity: int
    amount: float


class Price(BaseModel):
    priceListId: int
    currencyCode: str
    amount: float
    compareAtAmount: float | None
    lowestAmount30Days: float | None
    validTo: date | None
    tiers: list[Tier]


class ProductSku(BaseModel):
    styleSkuId: int
    sku: str
    gtin: str | None
    sizeRangeSizeId: int
    sizeName: str
    netWeight: float | None
    prices: list[Price]


class ProductColor(BaseModel):
    styleColorId: int
    colorId: int
    colorUserDefinedId: str | None
    name: str
    translations: list[ColorText]
    swatch: Swatch | None
    files: list[File]
    skus: list[ProductSku]


class CareText(BaseModel):
    languageId: int
    languageCode: str
    text: str


class Icon(BaseModel):
    careInstructionIconId: int
    userDefinedId: str | None
    symbol: str | None
    process: str | None
    text: str | None
    translations: list[CareText]


class Instruction(BaseModel):
    careInstructionId: int
    userDefinedId: str | None
    text: str
    translations: list[CareText]


class Care(BaseModel):
    styleColorId: int | None
    icons: list[Icon]
    instructions: list[Instruction]


class Material(BaseModel):
    careInstructionMaterialId: int
    userDefinedId: str | None
    text: str
    translations: list[CareText]
    percentage: float
    recycledPercentage: float | None


class Layer(BaseModel):
    careInstructionLayerId: int
    userDefinedId: str | None
    text: str
    translations: list[CareText]
    materials: list[Material]


class Composition(BaseModel):
    styleColorId: int | None
    layers: list[Layer]


class FieldValue(BaseModel):
    customFieldId: int
    userDefinedId: str | None
    name: str
    styleColorId: int | None
    sizeRangeSizeId: int | None
    text: str | None
    number: float | None
    allowedValueId: int | None
    value: str | None


class Product(BaseModel):
    style: ProductStyle
    translations: list[StyleText]
    colors: list[ProductColor]
    files: list[File]
    care: list[Care]
    composition: list[Composition]
    customFieldValues: list[FieldValue]
    isComplete: bool


class Sku(BaseModel):
    id: int
    sku: str
    styleColorId: int
    sizeRangeSizeId: int
    netWeight: float | None
    state: State
    styleId: int
    styleNumber: str
    colorId: int
    colorName: str
    sizeName: str
    gtin: str | None


class EffectivePrice(BaseModel):
    styleSkuId: int
    sku: str
    gtin: str | None
    styleId: int
    priceListId: int
    currencyCode: str
    amount: float
    compareAtAmount: float | None
    lowestAmount30Days: float | None
    validTo: date | None
    tiers: list[Tier]


router = APIRouter()
# PostgreSQL makes the JSON of lists within records.
TIERS = TypeAdapter(list[Tier])


@router.get("/api/style-skus")
async def list_skus(
    db: Connection, pageSize: PageSize = 30, cursor: str | None = None
) -> Page[list[Sku]]:
    rows = await db.fetch(sql("skus_page"), ORGANIZATION, after(cursor), pageSize + 1)
    records = [Sku(**row) for row in rows[:pageSize]]
    return Page(data=records, pagination=pagination(rows, pageSize))


@router.get("/api/effective-prices")
async def list_effective_prices(
    db: Connection,
    priceListId: Id,
    day: Annotated[date | None, Query(alias="date")] = None,
    pageSize: PageSize = 30,
    cursor: str | None = None,
) -> Page[list[EffectivePrice]]:
    if not await db.fetchval(sql("price_list"), ORGANIZATION, priceListId):
        raise HTTPException(400, "There is no such price list.")
    rows = await db.fetch(
        sql("effective_prices"),
        ORGANIZATION,
        priceListId,
        day or datetime.now(UTC).date(),
        after(cursor),
        pageSize + 1,
    )
    records = [
        EffectivePrice(**{**row, "tiers": TIERS.validate_json(row["tiers"])})
        for row in rows[:pageSize]
    ]
    return Page(data=records, pagination=pagination(rows, pageSize))


@router.get("/api/products")
async def list_products(
    db: Connection, channelId: Id, pageSize: PageSize = 30, cursor: str | None = None
) -> Page[list[Product]]:
    if not await db.fetchval(sql("channel"), ORGANIZATION, channelId):
        raise HTTPException(400, "There is no such channel.")
    rows = await db.fetch(
        sql("products"),
        ORGANIZATION,
        channelId,
        datetime.now(UTC).date(),
        after(cursor),
        pageSize + 1,
    )
    records = [Product.model_validate_json(row["document"]) for row in rows[:pageSize]]
    return Page(data=records, pagination=pagination(rows, pageSize))
