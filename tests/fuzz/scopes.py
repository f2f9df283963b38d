"""Cases of keys with fewer scopes: refused as the model has it, or as the whole key's would be."""

from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

import orjson

from tests.fuzz.cases import Case
from tests.support.api import Api, issue_key
from tests.support.scope_model import grants

_SHARE: Final = 0.1
"""Share of the cases that a key with fewer scopes sends; half of them, if any may."""
_SUPPLIER: Final = "styles[supplierId={}]:read"
_SCOPES: Final = (
    *("*:read", "*:write", "styles:write", "colors:read"),
    "measurements:write[supplierMeasurement]",
)
_OF_STYLES: Final = ("style-colors", "style-skus", "style-files", "sample-requests")
_PARSED_FIRST: Final = {"unsupported_media_type", "validation_error.malformed_json"}
"""Errors that hide those of items."""
FEWER: Final = "key with fewer scopes"
FORBIDDEN: Final = "forbidden.scope"


@dataclass(frozen=True)
class Callers:
    """Callers of an organization, by their only scope, and what the supplier's may know of."""

    apis: dict[str, Api]
    opened: set[tuple[str, str]]
    """Collections and ids, as paths have them."""

    @classmethod
    async def of(cls, whole: Api, dsn: str, organization: int) -> "Callers":
        """Make the keys; the supplier is that of one of the first styles."""
        styles = (await whole.get("/api/styles", {"pageSize": 100})).data
        supplier_id = next(each["supplierId"] for each in styles if each["supplierId"])
        own = {each["id"] for each in styles if each["supplierId"] == supplier_id}
        opened = {("styles", str(id_)) for id_ in own}
        for name in _OF_STYLES:
            records = (await whole.get(f"/api/{name}", {"pageSize": 100})).data
            opened |= {(name, str(each["id"])) for each in records if each["styleId"] in own}
        apis = {
            scope: Api(whole.client, await issue_key(dsn, organization, scope))
            for scope in (*_SCOPES, _SUPPLIER.format(supplier_id))
        }
        return cls(apis, opened)


def maybe(case: Case, callers: Callers, random: Random) -> Case:
    """Return the case, or sometimes that of another key with the errors that this one gets."""
    if random.random() > _SHARE:
        return case
    scopes = [*callers.apis]
    allowing = [scope for scope in scopes if grants(scope, case.route)]
    scope = random.choice(allowing if allowing and random.random() < 0.5 else scopes)
    sent = replace(case, scope=scope, kinds=(*case.kinds, FEWER))
    if scope not in allowing:
        return replace(sent, rows=((FORBIDDEN, None),), bulk=None, skips=False)
    if "supplierId" in scope and (parameter := _hidden(case, callers)):
        return replace(sent, rows=(("not_found", parameter),))
    if "delete" not in scope and case.bulk and (deleted := _deleted(case)):
        return replace(sent, rows=tuple((FORBIDDEN, f"[{n}].state") for n in deleted), skips=False)
    return sent


def _hidden(case: Case, callers: Callers) -> str | None:
    """Return the parameter of a record that the supplier's key does not open, if that is told."""
    parameters = case.route.path.split("/")[3:]
    ids = tuple(case.request.path.split("/")[2:4])
    is_told = bool(parameters) and case.status in (200, 404) and ids not in callers.opened
    return parameters[0].strip("{}") if is_told else None


def _deleted(case: Case) -> list[int]:
    """Return the indexes of the items that delete, if the body is read."""
    if not _PARSED_FIRST.isdisjoint(kind for kind, _ in case.rows):
        return []
    items: Any = orjson.loads(case.request.body or b"[]")
    objects = enumerate(items if isinstance(items, list) else ())
    return [n for n, item in objects if isinstance(item, dict) and item.get("state") == "deleted"]
