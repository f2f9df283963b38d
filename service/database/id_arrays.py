"""Id arrays: many ids as one parameter of a statement."""

from collections.abc import Iterable

import orjson


def id_array(ids: Iterable[int]) -> str:
    """Return the text of a PostgreSQL array, which asyncpg encodes 10 times as fast as a list.

    Statements read it as ``(select $2::text::bigint[])::bigint[]``, which is evaluated once instead
    of once per row.
    """
    return "{" + orjson.dumps([*ids])[1:-1].decode() + "}"
