"""Products for shops, and what styles lack in a channel (contract, Products, Completeness)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.feed import changed_since
from service.listing.list_request import ListRequest
from service.listing.properties import Properties, Property
from service.organizations.caller import Caller
from service.records.path_keys import KeyLookup, ambiguous_message
from service.records.resource import DocumentPage, ListQuery, Resource
from service.records.scalar_columns import document_sql
from service.resources.assortment import effective_prices
from service.resources.assortment.product_changes import changed
from service.resources.styles import Styles
from service.schemas.visible_text import normal_forms

CHANNEL_ID: Final = "channelId"
CHANNEL_KEY: Final = "channel.userDefinedId"
CHANNEL: Final = (CHANNEL_ID, CHANNEL_KEY)
"""Parameters of which one names the channel."""
_COMPLETE: Final = "isComplete"
_COMPARED: Final = Statement.read("products.compared", "{{condition}}")
_PROPERTIES: Final = (
    Property(CHANNEL_ID, "integer", nullable=False, sortable=False, within=_COMPARED),
    Property(CHANNEL_KEY, "string", nullable=False, sortable=False, within=_COMPARED),
    Property("style.id", "integer", nullable=False, sortable=True, column="record.id"),
    Property("style.number", "string", nullable=False, sortable=False, column="record.number"),
    Property(
        _COMPLETE,
        "boolean",
        nullable=False,
        sortable=False,
        column="record.is_complete",
        within=_COMPARED,
    ),
)
_SQL: Final = load("style_completeness")
_PARTS: Final = ("active_colors", "active_skus", "choosable", "labels", "values")
MISSING: Final = {
    "missing": _SQL["missing"].fill(
        prices=_SQL["prices"].fill(is_effective=load("effective_prices")["is_effective"].text),
        **{name: _SQL[name].text for name in _PARTS},
    ),
    **{name: _SQL[name].text for name in ("mandatory", "lists", "spoken", "rows", "order")},
}
"""Parts of statements that tell what styles lack."""
CARE_TEXTS: Final = {
    "icon": ("care_instruction_icon", "icon"),
    "instruction": ("care_instruction", "text"),
    "layer": ("care_instruction_layer", "layer"),
    "material": ("care_instruction_material", "material"),
}
"""Tables and rows of what care labels name."""
_CHANNEL_BY_KEY: Final = KeyLookup.of("channels", "channel", "state").text


Channel: TypeAlias = tuple[str, Any]
"""Parameter that names a channel, and its value: an id or an own key."""


async def _find_channel(connection: Connection, caller: Caller, channel: Channel) -> int:
    """Return the id of a live channel.

    Raise ``unknown_reference`` or ``conflict.ambiguous_key``.
    """
    name, value = channel
    is_id = name == CHANNEL_ID
    text = _SQL["live_channel"].text if is_id else _CHANNEL_BY_KEY
    sought = value if is_id else normal_forms([value])
    rows = await connection.fetch(text, caller.organization_id, sought)
    if len(rows) > 1:
        message = ambiguous_message([row["id"] for row in rows])
        raise api_error(ErrorType.CONFLICT_AMBIGUOUS_KEY, name, message=message)
    if not rows:
        raise _unknown_channel(name)
    return int(rows[0]["id"])


def _unknown_channel(name: str) -> ApiError:
    return api_error(ErrorType.UNKNOWN_REFERENCE, name, message="There is no such channel.")


class Completeness(Resource):
    """What a style lacks in a channel."""

    name = _scope_name = "style-completeness"
    collection = Styles.name
    segment = Styles.name
    below = "/completeness"
    is_in_feed = False
    key_lookups: Mapping[str, KeyLookup] = {"id": KeyLookup.of(Styles.name, "style", "state")}

    async def read(
        self, connection: Connection, caller: Caller, style_id: int, channel: Channel
    ) -> bytes:
        """Return the document of a style, deleted or not; raise ApiError for unknown ids."""
        channel_id = channel[1]
        if channel[0] == CHANNEL_KEY:
            channel_id = await _find_channel(connection, caller, channel)
        text = self.statements["complete"].fill(**MISSING)
        row = await connection.fetchrow(
            text, caller.organization_id, channel_id, effective_prices.today(), style_id
        )
        if row is None:
            raise api_error(ErrorType.NOT_FOUND, self.key)
        document: bytes | None = row["document"]
        if document is None:
            raise _unknown_channel(CHANNEL_ID)
        return document


class Products(Resource):
    """Styles that shops sell: active ones that are published or delivered.

    Parameters of statements before a page's are the organization, the channel and the day.
    """

    name = "products"
    listed = "record.is_product"
    _leading = 3

    def __init__(self) -> None:
        super().__init__()
        self.properties = Properties(self.name, _PROPERTIES)
        self.properties.key, self.properties.required = "style.id", CHANNEL

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements, whose slots are those of pages and of the changes."""
        own = super()._load_statements()
        files, skus = (
            own["files"],
            own["skus"].fill(
                priced=effective_prices.priced("own", "list"),
                sku=document_sql(self.name, "sku"),
                sku_price=document_sql(self.name, "price"),
            ),
        )
        texts = {
            f"{of}_texts": own["care_texts"].fill(table=table, of=alias)
            for of, (table, alias) in CARE_TEXTS.items()
        }
        product = own["product"].fill(
            color_files=files.fill(of=own["color_files"].text),
            style_files=files.fill(of=own["own_files"].text),
            skus=skus,
            by_process=own["by_process"].text,
            care_sets=own["care_sets"].text,
            **texts,
        )
        record = own["record"].fill(missing=MISSING["missing"])
        documents = own["documents"].bind(**MISSING, record=record, product=product)
        return {"documents": documents, "changed": changed()}

    def _selection(self, list_request: ListRequest) -> tuple[ListRequest, str, Statement]:
        """Return the selection without the channel, which is a parameter of the statement.

        With ``changedSince`` all changed styles are selected: those that are none of the products
        of the request, or no longer, are shown as removed.
        """
        conditions = [c for c in list_request.conditions if c.property.name not in CHANNEL]
        listed, shown, changed = self.listed, "true", list_request.changed
        since = list_request.changed_since
        if since is not None:
            complete = [c for c in conditions if c.property.name == _COMPLETE]
            conditions = [c for c in conditions if c not in complete]
            asked_for = [f"page.is_complete in ({', '.join(map(str, c.values))})" for c in complete]
            listed, shown = "", " and ".join(["page.is_product", *asked_for])
            if changed is not None and changed.condition:
                # A price that begins on the day of the time itself was in effect then.
                day = (max(since, changed_since.EARLIEST) - changed_since.MARGIN).date()
                text = Statement.read("products.changed", changed.condition)
                condition = text.fill(since=f"date '{day}'", n="{{n}}")
                changed = replace(changed, condition=condition)
        rest = replace(list_request, conditions=tuple(conditions), changed=changed)
        return rest, listed, self.statements["documents"].bind(shown=shown)

    async def page(
        self,
        connection: Connection,
        caller: Caller,
        list_query: ListQuery,
        parents: Sequence[Any] = (),
        *,
        counts: bool = False,
    ) -> DocumentPage:
        """Return one page of the channel's products; raise ApiError for an unknown channel."""
        assert not parents
        conditions = list_query.list_request.conditions
        [channel] = [c for c in conditions if c.property.name in CHANNEL]
        named = channel.property.name, channel.values[0]
        channel_id = await _find_channel(connection, caller, named)
        parents = [channel_id, effective_prices.today()]
        return await super().page(connection, caller, list_query, parents, counts=counts)

    async def require_parents(
        self, connection: Connection, caller: Caller, parents: Sequence[Any]
    ) -> None:
        """Return: ``page`` has looked the channel up."""
