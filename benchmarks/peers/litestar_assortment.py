"""The routes of SKUs, effective prices and products with Litestar."""

from datetime import UTC, date, datetime
from typing import Annotated

from litestar import get
from litestar.datastructures import State as AppState
from litestar.exceptions import ClientException
from litestar.params import Parameter
from litestar_shared import ORGANIZATION, Page, PageSize, State, after, pagination
from msgspec import Struct
from msgspec.json import Decoder
from statements import sql


class Named(Struct):
    id: int
    userDefinedId: str | None
    name: str


class Partner(Struct):
    id: int
    customId: str | None
    name: str


class ProductStyle(Struct):
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


class StyleText(Struct):
    languageId: int
    languageCode: str
    name: str | None
    description: str | None


class ColorText(Struct):
    languageId: int
    languageCode: str
    name: str


class Swatch(Struct):
    hex: str | None
    imageUrl: str | None


class File(Struct):
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


class Tier(Struct):
    minimumQuantity: int
    amount: float


class Price(Struct):
    priceListId: int
    currencyCode: str
    amount: float
    compareAtAmount: float | None
    lowestAmount30Days: float | None
    validTo: date | None
    tiers: list[Tier]


class ProductSku(Struct):
    styleSkuId: int
    sku: str
    gtin: str | None
    sizeRangeSizeId: int
    sizeName: str
    netWeight: float | None
    prices: list[Price]


class ProductColor(Struct):
    styleColorId: int
    colorId: int
    colorUserDefinedId: str | None
    name: str
    translations: list[ColorText]
    swatch: Swatch | None
    files: list[File]
    skus: list[ProductSku]


class CareText(Struct):
    languageId: int
    languageCode: str
    text: str


class Icon(Struct):
    careInstructionIconId: int
    userDefinedId: str | None
    symbol: str | None
    process: str | None
    text: str | None
    translations: list[CareText]


class Instruction(Struct):
    careInstructionId: int
    userDefinedId: str | None
    text: str
    translations: list[CareText]


class Care(Struct):
    styleColorId: int | None
    icons: list[Icon]
    instructions: list[Instruction]


class Material(Struct):
    careInstructionMaterialId: int
    userDefinedId: str | None
    text: str
    translations: list[CareText]
    percentage: float
    recycledPercentage: float | None


class Layer(Struct):
    careInstructionLayerId: int
    userDefinedId: str | None
    text: str
    translations: list[CareText]
    materials: list[Material]


class Composition(Struct):
    styleColorId: int | None
    layers: list[Layer]


class FieldValue(Struct):
    customFieldId: int
    userDefinedId: str | None
    name: str
    styleColorId: int | None
    sizeRangeSizeId: int | None
    text: str | None
    number: float | None
    allowedValueId: int | None
    value: str | None


class Product(Struct):
    style: ProductStyle
    translations: list[StyleText]
    colors: list[ProductColor]
    files: list[File]
    care: list[Care]
    composition: list[Composition]
    customFieldValues: list[FieldValue]
    isComplete: bool


class Sku(Struct):
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


class EffectivePrice(Struct):
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


# PostgreSQL makes the JSON of products, and of lists within records.
PRODUCT, TIERS = Decoder(Product), Decoder(list[Tier])


@get("/api/style-skus")
async def list_skus(
    state: AppState, page_size: PageSize = 30, cursor: str | None = None
) -> Page[list[Sku]]:
    async with state.pool.acquire() as db:
        rows = await db.fetch(sql("skus_page"), ORGANIZATION, after(cursor), page_size + 1)
    records = [Sku(*row) for row in rows[:page_size]]
    return Page(records, pagination(rows, page_size))


@get("/api/effective-prices")
async def list_effective_prices(
    state: AppState,
    price_list_id: Annotated[int, Parameter(query="priceListId", ge=1)],
    day: Annotated[date | None, Parameter(query="date")] = None,
    page_size: PageSize = 30,
    cursor: str | None = None,
) -> Page[list[EffectivePrice]]:
    async with state.pool.acquire() as db:
        if not await db.fetchval(sql("price_list"), ORGANIZATION, price_list_id):
            raise ClientException("There is no such price list.")
        rows = await db.fetch(
            sql("effective_prices"),
            ORGANIZATION,
            price_list_id,
            day or datetime.now(UTC).date(),
            after(cursor),
            page_size + 1,
        )
    records = [
        EffectivePrice(*columns, TIERS.decode(tiers)) for *columns, tiers in rows[:page_size]
    ]
    return Page(records, pagination(rows, page_size))


@get("/api/products")
async def list_products(
    state: AppState,
    channel_id: Annotated[int, Parameter(query="channelId", ge=1)],
    page_size: PageSize = 30,
    cursor: str | None = None,
) -> Page[list[Product]]:
    async with state.pool.acquire() as db:
        if not await db.fetchval(sql("channel"), ORGANIZATION, channel_id):
            raise ClientException("There is no such channel.")
        rows = await db.fetch(
            sql("products"),
            ORGANIZATION,
            channel_id,
            datetime.now(UTC).date(),
            after(cursor),
            page_size + 1,
        )
    records = [PRODUCT.decode(row["document"]) for row in rows[:page_size]]
    return Page(records, pagination(rows, page_size))
