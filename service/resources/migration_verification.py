"""Migration verification: counts and own keys of collections (contract, Migration verification)."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final

import orjson

from service.database.connections import Connection
from service.error_types import ErrorType
from service.errors import ErrorDetail, with_nearest
from service.listing.page_sql import column_of
from service.organizations.caller import Caller
from service.records.master_record import MasterRecord
from service.records.reference_targets import own_references
from service.records.resource import Resource
from service.schemas.extra_checks import duplicate_errors
from service.schemas.validation import Validator
from service.schemas.visible_text import VISIBLE_SQL

Row = dict[str, Any]
_CLAIMS: Final = ("count", "keyChecksum", "keys")
_LISTS: Final = ("missing", "unexpected", "shared")
_MOST: Final = 1000
"""Keys of each list."""


class MigrationVerification(Resource):
    """Counts of records by collection and state, and checksums of their own keys."""

    name = "migration-verification"
    is_in_feed = False

    def __init__(self, records: Iterable[MasterRecord]) -> None:
        super().__init__()
        self.collections = {record.name: record for record in records if record.own_key}
        self.validator = Validator(self.name, "comparisons", self._claim_errors)

    def duplicate_errors(self, comparisons: Iterable[tuple[int, Any]]) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for collections that an earlier comparison, with an index, has."""
        return duplicate_errors(comparisons, "collection")

    @cached_property
    def _records(self) -> dict[str, str]:
        """SQL of states and own keys by collection; keys that are references are the referred."""
        return {name: self._record(record) for name, record in self.collections.items()}

    def _record(self, record: MasterRecord) -> str:
        targets, joins, keys = own_references(record.name), "", list[str]()
        for field, alias in zip(record.key_fields, ("target", "parent"), strict=False):
            column = f"r.{column_of(field)}"
            if target := targets.get(field):
                part = {"table": target.table, "alias": alias, "column": column_of(field)}
                joins += self.statements["referred"].fill(**part) + "\n"
                column = f"{alias}.{column_of(target.key)}"
            keys.append(self.statements["key"].fill(column=column, visible=VISIBLE_SQL))
        key = keys[0]
        if keys[1:]:
            key = self.statements["key_within"].fill(parent=keys[1], key=key)
        state = record.stored_state
        return self.statements["record"].fill(
            state="r.state" if state == "state" else state,
            key=key,
            table=str(record.table),
            joins=joins,
        )

    def _text(self, statement: str, collection: str) -> str:
        """Return the text of a statement for a collection."""
        counted = self.statements["counted"].fill(record=self._records[collection])
        totals = self.statements["totals"].text
        return self.statements[statement].fill(counted=counted, totals=totals)

    async def counts(self, connection: Connection, caller: Caller, collection: str) -> Row:
        """Return the counts and the checksum of a collection."""
        row = await connection.fetchrow(self._text("counts", collection), caller.organization_id)
        return {
            "collection": collection,
            "active": row["active"],
            "inactive": row["inactive"],
            "deleted": row["deleted"],
            "withoutKey": row["without_key"],
            "sharedKeys": row["shared_keys"],
            "keyChecksum": _checksum(row),
        }

    async def compare(self, connection: Connection, caller: Caller, comparison: Row) -> Row:
        """Return what of a valid comparison differs from the collection's live records."""
        count, checksum, keys = map(comparison.get, _CLAIMS)
        text = self._text("comparison", comparison["collection"])
        sent = orjson.dumps(keys or []).decode()
        row = dict(await connection.fetchrow(text, caller.organization_id, sent, _MOST))
        if keys is None:
            row |= dict.fromkeys(("missing", "missing_count", "unexpected", "unexpected_count"))
        actual, stored = row["active"] + row["inactive"], _checksum(row)
        is_equal = count in (None, actual) and checksum in (None, stored)
        return {
            "collection": comparison["collection"],
            "isEqual": is_equal and not row["missing"] and not row["unexpected"],
            "expectedCount": count,
            "actualCount": actual,
            "withoutKey": row["without_key"],
            "keyChecksum": stored,
            **{name: row[name] for name in _LISTS},
            **{f"{name}Count": row[f"{name}_count"] for name in _LISTS},
        }

    def _claim_errors(self, comparison: Row) -> Iterator[ErrorDetail]:
        """Yield the errors of an unknown collection, and of a comparison without any claim."""
        name = comparison.get("collection")
        if isinstance(name, str) and name not in self.collections:
            message = with_nearest("No such collection has own keys.", name, self.collections)
            yield ErrorDetail(ErrorType.INVALID_VALUE, ("collection",), message)
        if all(comparison.get(claim) is None for claim in _CLAIMS):
            message = f"Give at least one of {', '.join(_CLAIMS)}."
            yield ErrorDetail(ErrorType.REQUIRED_FIELD, (_CLAIMS[0],), message)


def _checksum(row: Any) -> str:
    return f"{int(row['key_sum']) % 2**64:016x}"
