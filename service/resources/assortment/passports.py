"""Passports of SKUs, a draft (contract, Passports)."""

from collections.abc import Mapping

from service.database.connections import Connection
from service.database.statements import Statement, load
from service.error_types import ErrorType
from service.errors import api_error
from service.organizations.caller import Caller
from service.records.path_keys import KeyLookup
from service.records.resource import Resource
from service.resources.assortment import effective_prices
from service.resources.assortment.products import CARE_TEXTS, MISSING


class Passports(Resource):
    """Passport of an SKU, below the path of its record or of its barcode."""

    name = _scope_name = "passports"
    below = "/passport"
    is_in_feed = False

    def __init__(self, segment: str, table: str) -> None:
        self.collection = self.segment = segment
        self.table = table
        super().__init__()
        self.key_lookups = {self.key: KeyLookup.of(segment, table, "state")}

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements of the SQL file, with their parts."""
        own = dict(super()._load_statements())
        text = own.pop("text")
        tables = {of: table for of, (table, _) in CARE_TEXTS.items()}
        texts = {f"{of}_text": text.fill(table=table, of=of) for of, table in tables.items()}
        by_process = load("products")["by_process"].text
        return own | {"documents": own["documents"].bind(**MISSING, **texts, by_process=by_process)}

    async def read(
        self, connection: Connection, caller: Caller, record_id: int, language: str | None
    ) -> bytes:
        """Return the passport of an SKU, in a language or the organization's.

        Raise ApiError for a language that does not exist, and for no SKU.
        """
        organization_id, language_id = caller.organization_id, None
        if language is not None:
            text = self.statements["language"].text
            language_id = await connection.fetchval(text, organization_id, language)
            if language_id is None:
                message = "There is no such language."
                raise api_error(ErrorType.UNKNOWN_REFERENCE, "language", message=message)
        sku_id: int | None = record_id
        if self.table == "barcode":
            text = self.statements["sku_of_barcode"].text
            sku_id = await connection.fetchval(text, organization_id, record_id)
        text, parameters = (
            self.statements["documents"].text,
            (None, effective_prices.today(), sku_id, language_id),
        )
        row = await connection.fetchrow(text, organization_id, *parameters) if sku_id else None
        if row is None:
            raise api_error(ErrorType.NOT_FOUND, self.key)
        document: bytes = row["document"]
        return document
