"""Failing requests that name records by own keys in the query or in the path."""

from typing import TYPE_CHECKING, Final

from tests.support.api import Answer
from tests.support.inserted_rows import TWINS, execute
from tests.support.wrong_bodies import COLORS

if TYPE_CHECKING:
    from tests.support.failing_requests import FailureSetup, Provoke


def deleted_by_key(*keys: str, **more: str) -> "Provoke":
    """Delete colors by their own keys, after some have become twins."""

    async def provoke(on: "FailureSetup") -> Answer:
        await execute(on.dsn, TWINS)
        params = [("match", "userDefinedId"), *(("keys", key) for key in keys), *more.items()]
        return await on.api.delete(COLORS, params)

    return provoke


def named_in_path(method: str, key: str) -> "Provoke":
    """Name a color by its own key in the path, after some have become twins."""

    async def provoke(on: "FailureSetup") -> Answer:
        await execute(on.dsn, TWINS)
        return await on.api.call(method, f"{COLORS}/userDefinedId={key}")

    return provoke


FAILING_KEYS: "Final[dict[str, Provoke]]" = {
    "bulk_delete.validation_error.too_short": deleted_by_key("A", "B", "C", ""),
    "bulk_delete.validation_error.too_long": deleted_by_key("A", "B", "C", "x" * 501),
    "bulk_delete.validation_error.exclusive_parameters": deleted_by_key("A", ids="1"),
    "bulk_delete.conflict.ambiguous_key": deleted_by_key("A", "B", "C", "C-TWIN"),
    **{
        f"{name}.{error_type}": named_in_path(method, key)
        for name, method in (("read", "GET"), ("delete", "DELETE"))
        for error_type, key in (
            ("validation_error.too_short", ""),
            ("validation_error.too_long", "x" * 501),
            ("conflict.ambiguous_key", "C-TWIN"),
        )
    },
}
"""How each example is provoked, by its name."""
