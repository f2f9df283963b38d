"""Prices of styles in price lists: a part of styles (contract, Prices of styles)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import asyncpg
import orjson

from service import schemas
from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement, WritePlan
from service.batches.entry import Item
from service.database.new_ids import next_ids
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.limits import MAX_CHILDREN
from service.listing.related import Related
from service.records import scalar_columns
from service.records.parts import RecordPart
from service.records.path_keys import KeyLookup
from service.records.relation_statements import IS_SHOWN
from service.resources.assortment import sent_prices
from service.resources.assortment.style_entries import COLOR, StyleNames
from service.resources.styles import PRICED, Styles
from service.schemas.extra_checks import duplicate_errors

_ORDER: Final = (
    "style_color_id nulls first, size_range_size_id nulls first, minimum_quantity,"
    " valid_from nulls first"
)
_IN_CURRENCY: Final = ("retail", "wholesale")
"""Types of price lists whose amounts have the decimals of their currency."""


class StylePrices(RecordPart):
    """Prices of a style in one price list, which a write replaces as a whole.

    An item of the part collection has a style and ``priceLists``, and replaces the price lists that
    it names. Prices of deleted style colors are hidden and stay. Prices that equal stored ones are
    not checked.
    """

    name = "style-prices"
    owner = Styles
    segment = "prices"
    parents: ClassVar[Mapping[str, str]] = {"styleId": Styles.name}
    key = sent_prices.LIST
    key_lookups = {  # noqa: RUF012
        "styleId": KeyLookup.of(Styles.name, Styles.table, Styles.stored_state),
        sent_prices.LIST: KeyLookup(
            "userDefinedId", load("style_prices")["price_list_by_key"].text
        ),
    }
    is_patched = compares_patched = has_several_parts = True
    missing_form: ClassVar[str | None] = '{"prices":[]}'
    scope_field = "id"
    sizes_of = "size_ranges_of_style"
    related = (
        Related(
            "priceList",
            PRICED,
            "style_id",
            {"id": "price_list_id"},
            {"userDefinedId": "user_defined_id"},
            "price_list",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self.listed = self.statements["listed"].text

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements; prices of deleted style colors are hidden."""
        names = ("filled", "listed", "lists_of", "stored")
        loaded = dict(super()._load_statements())
        return loaded | {name: loaded[name].bind(is_shown=IS_SHOWN) for name in names}

    def forms(self, owner_field: str = "") -> Mapping[str, Statement]:
        """Return the statements of documents and writables: of one price list of a style.

        With any ``owner_field``, they are those of the part collection.
        """
        documents = load("style_prices")["documents_by_owner" if owner_field else "documents"]
        openings = {
            "documents": "'{\"priceListId\":' || page.id || ',\"prices\":['",
            "writables": "'{\"prices\":['",
        }
        entries = {"documents": "price", "writables": "priceWritable"}
        return {
            name: documents.bind(
                price=_price(entry),
                order=_ORDER,
                is_shown=IS_SHOWN,
                **({} if owner_field else {"opening": openings[name]}),
            )
            for name, entry in entries.items()
        }

    def images(self, ids: str) -> str:
        """Return the SQL of the forms of the price lists of styles."""
        return load("style_prices")["images"].fill(
            ids=ids,
            price=_price("priceWritable"),
            order=_ORDER,
            is_shown=IS_SHOWN,
        )

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield the errors of repeated price lists, and of prices that the request alone shows."""
        lists = item.get("priceLists")
        if isinstance(lists, list):
            yield from duplicate_errors(enumerate(lists), sent_prices.LIST, "priceLists")
        for path, prices in sent_prices.prices_of(item):
            for index, price in enumerate(prices):
                for name, message in sent_prices.price_errors(price):
                    yield ErrorDetail(ErrorType.OUT_OF_RANGE, (*path, index, name), message)
            for later, _, message in sent_prices.overlaps(prices):
                yield ErrorDetail(ErrorType.DUPLICATE, (*path, later, sent_prices.FROM), message)

    def patched_errors(
        self, stored: Item, patched: Item, details: Iterable[ErrorDetail]
    ) -> list[ErrorDetail]:
        """Return the details, with ``conflict.overlap`` for overlaps with stored prices."""
        kept_prices = [price for _, prices in sent_prices.prices_of(stored) for price in prices]
        conflicts = {
            (*path, later, sent_prices.FROM)
            for path, prices in sent_prices.prices_of(patched)
            for later, earlier, _ in sent_prices.overlaps(prices)
            if prices[later] in kept_prices or prices[earlier] in kept_prices
        }
        overlap, duplicate = ErrorType.CONFLICT_OVERLAP, ErrorType.DUPLICATE
        return [
            ErrorDetail(overlap, detail.path, detail.message)
            if detail.type == duplicate and detail.path in conflicts
            else detail
            for detail in details
        ]

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the writes of prices that differ; report those that stored data do not allow."""
        lists = [*sent_prices.price_lists(batch)]
        await self._match_stored(batch, lists)
        await self._check(batch, lists)
        await self._note_filled(batch, lists)
        new = [row for price_list in lists for row in price_list.new_rows]
        ids = await next_ids(batch.connection, "style_price", len(new))
        rows = [row | {"id": price_id} for row, price_id in zip(new, ids, strict=True)]
        removed = sorted(id_ for price_list in lists for id_ in price_list.removed_ids)
        turned = [each.pair for each in lists if each.was_filled != bool(each.prices)]
        return [
            *([self.bound("remove", removed)] if removed else ()),
            *([self._insertion(rows)] if rows else ()),
            *([self.bound("tell_price_lists", orjson.dumps(turned).decode())] if turned else ()),
        ]

    def _insertion(self, rows: Sequence[Item]) -> BoundStatement:
        """Return the statement that inserts prices."""
        text, parameters, _ = self.bound("insert", orjson.dumps(rows).decode())
        return BoundStatement(text, parameters, self.statements["priced"].text)

    async def _match_stored(self, batch: Batch, lists: Collection[sent_prices.SentPrices]) -> None:
        """Match the prices to stored ones; report lists with too many, hidden ones included."""
        pairs = [each.style_id for each in lists], [each.list_id for each in lists]
        stored = defaultdict[tuple[int, int], list[asyncpg.Record]](list)
        for row in await self._fetch(batch, "stored", *pairs):
            stored[row["style_id"], row["price_list_id"]].append(row)
        for each in lists:
            each.match(stored[each.pair])
            if len(each.prices) + each.hidden > MAX_CHILDREN:
                message = f"Use at most {MAX_CHILDREN:,} prices, those of deleted colors included."
                each.fail(batch, ErrorType.TOO_MANY_ITEMS, "prices", message=message)

    async def _check(self, batch: Batch, lists: Collection[sent_prices.SentPrices]) -> None:
        """Report unknown price lists, and errors of prices that differ from stored ones.

        A deleted price list can be emptied.
        """
        list_ids = sorted({each.list_id for each in lists})
        stored = {row["id"]: row for row in await self._fetch(batch, "price_lists", list_ids)}
        style_ids = sorted({each.style_id for each in lists})
        prices = [price for each in lists for price in each.changed.values()]
        names = await StyleNames.find(batch, prices, style_ids)
        for each in lists:
            price_list = stored.get(each.list_id)
            if price_list is None or (each.prices and price_list["state"] == "deleted"):
                message = "There is no such price list."
                each.fail(batch, ErrorType.UNKNOWN_REFERENCE, sent_prices.LIST, message=message)
                continue
            for index, price in each.changed.items():
                details = [
                    *_amount_errors(each.prices[index], price_list),
                    *names.errors(each.style_id, price),
                ]
                if price[COLOR] is not None and price[COLOR] not in names.colors:
                    message = "There is no such style color."
                    details.append(ErrorDetail(ErrorType.UNKNOWN_REFERENCE, (COLOR,), message))
                for detail in details:
                    path = ("prices", index, *detail.path)
                    each.fail(batch, detail.type, *path, message=detail.message or "")

    async def _note_filled(self, batch: Batch, lists: Collection[sent_prices.SentPrices]) -> None:
        """Note which styles get their first prices and lose their last."""
        style_ids = sorted({each.style_id for each in lists})
        rows = await self._fetch(batch, "lists_of", style_ids)
        before = {row["style_id"]: {*row["price_list_ids"]} for row in rows}
        for style_id in style_ids:
            written = [each for each in lists if each.style_id == style_id]
            after = before.get(style_id, set()) - {each.list_id for each in written}
            is_filled = bool(after) or any(each.prices for each in written)
            was_filled = style_id in before
            batch.note_part(self.name, style_id, was_filled=was_filled, is_filled=is_filled)


def _price(form: str) -> str:
    """Return the SQL of a price in documents or writable forms."""
    shape = schemas.definition(StylePrices.name, form)
    return scalar_columns.braced(scalar_columns.members_sql(shape))


def _amount_errors(price: Item, price_list: asyncpg.Record) -> Iterator[ErrorDetail]:
    """Yield the errors of amounts with more decimals than the currency of a list has."""
    most, code = price_list["minor_units"], price_list["currency_code"]
    for name in sent_prices.AMOUNTS if price_list["type"] in _IN_CURRENCY else ():
        if scalar_columns.digits_after_point(price.get(name)) > most:
            message = f"{code} has {f'at most {most}' if most else 'no'} decimals."
            yield ErrorDetail(ErrorType.INVALID_VALUE, (name,), message)
