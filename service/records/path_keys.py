"""Path keys: records that a path names by their own key instead of an id (contract, Own keys)."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from service import schemas
from service.database.connections import Connection
from service.database.statements import SHARED
from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.listing.page_sql import column_of
from service.schemas.extra_checks import key_errors
from service.schemas.visible_text import normal_forms

Visible: TypeAlias = Callable[[Collection[int]], Awaitable[set[int]]]
"""Returns those of the ids that a caller may know of."""
_MAX_LISTED_IDS: Final = 5
"""Maximum number of ids in the message about an ambiguous key."""


@dataclass(frozen=True, slots=True)
class KeyLookup:
    """Lookup of live records by own key, for paths."""

    field: str
    """Field with the own key, which paths name."""
    text: str
    """Statement that takes organization, normal forms of the key and the ids of the parents.

    It returns the ids of up to 5 live records, sorted.
    """

    @classmethod
    def of(cls, name: str, table: str, state: str) -> "KeyLookup":
        """Return the lookup of a collection's records, within their parent if keys are."""
        field, *within = schemas.key_fields(name)
        columns = {"table": table, "key": column_of(field), "state": state}
        if within:
            text = SHARED["live_by_key_within"].fill(**columns, within=column_of(within[0]))
        else:
            text = SHARED["live_by_key"].fill(**columns)
        return cls(field, text)


class PathKey(NamedTuple):
    """Own key of a record in a path."""

    lookup: KeyLookup
    parameter: str
    """Name of the path parameter."""
    key: str

    async def find(
        self,
        connection: Connection,
        organization_id: int,
        parents: Sequence[int],
        visible: Visible | None,
    ) -> int:
        """Return the id of the live record with the key, below ``parents``; it is not locked.

        ``visible`` filters the records, if it is given.

        Raise ``not_found`` or ``conflict.ambiguous_key`` at the path parameter.
        """
        rows = await connection.fetch(
            self.lookup.text, organization_id, normal_forms([self.key]), *parents
        )
        ids = [row["id"] for row in rows]
        if visible is not None:
            ids = sorted(await visible(ids))
        if not ids:
            message = f"There is no record with the {self.lookup.field} {self.key}."
            raise api_error(ErrorType.NOT_FOUND, self.parameter, message=message)
        if len(ids) > 1:
            type_, message = ErrorType.CONFLICT_AMBIGUOUS_KEY, ambiguous_message(ids)
            raise api_error(type_, self.parameter, message=message)
        record_id: int = ids[0]
        return record_id


PathId: TypeAlias = int | PathKey
"""Stored id of a path, or the own key that stands in its place."""


def parse_key(lookup: KeyLookup | None, parameter: str, text: str) -> PathKey:
    """Return the own key of a decoded path value such as ``customId=ACME``; the first ``=`` splits.

    Raise ValueError for a field that is not the own key and for a path without ``lookup``, and
    ApiError for a malformed key.
    """
    field, _, key = text.partition("=")
    if lookup is None or field != lookup.field:
        raise ValueError(f"Use an id, or {lookup.field}=…." if lookup else "Use an id.")
    if details := [*key_errors(key, parameter)]:
        raise ApiError(details)
    return PathKey(lookup, parameter, key)


async def resolve(
    connection: Connection,
    organization_id: int,
    path: Sequence[PathId],
    visible: Visible | None = None,
) -> list[int]:
    """Return the ids of a path, those of the parents first.

    Look own keys up, one statement each; return ids as they are, unchecked, but 0 for a first one
    that is not ``visible``. Raise ``not_found`` or ``conflict.ambiguous_key`` for a key.
    """
    ids: list[int] = []
    for path_id in path:
        if not isinstance(path_id, int):
            path_id = await path_id.find(connection, organization_id, ids, None if ids else visible)
        elif visible is not None and not ids and not await visible([path_id]):
            path_id = 0
        ids.append(path_id)
    return ids


def ambiguous_message(ids: Sequence[int]) -> str:
    """Return the message about a key that several live records have."""
    return f"Records {listed_ids(ids)} have this key."


def listed_ids(record_ids: Iterable[int | str]) -> str:
    """Return the first 5 ids of records that share an own key, as a text for messages."""
    return ", ".join(map(str, islice(record_ids, _MAX_LISTED_IDS)))
