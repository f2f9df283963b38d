"""Schema faults: bodies with one injected fault each, and the error that each must cause."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, Final

import orjson

from service import schemas
from service.resources.registry import MASTER_RECORDS
from service.schemas.definitions import ResolvedSchema
from tests.support import generate
from tests.support.fault_kinds import KINDS, field_name, inject
from tests.support.fault_sites import filler, form, sites

_RESOURCES: Final = {resource.name: resource for resource in MASTER_RECORDS}
#: Ids of the demo data, for required fields.
_IDS: Final = {
    "id": 1,
    "languageId": 1,
    "subSupplierId": "1",
    "styleId": 59,
    **dict.fromkeys((*generate.PAIRS, "sizeRangeSizeId"), 1),
}
_REFERENCES: Final = {
    "styles": range(1, 101),
    "colors": range(1, 16),
    # Without SKUs, and not deleted.
    "style-colors": [number for number in range(105, 239) if number % 20 != 16],
    "sizes": range(31, 36),
}
_NUMBERS: Final = count()
#: Kinds that no general validator of JSON Schema reports.
_NOT_IN_SCHEMAS: Final = ("integer in disguise", "beyond 64 bits", "U+0000 in a text")
_DRAWS: Final = 2
"""Number of random values that are tried of each kind at each site."""


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """Body with one fault; ``kind`` is the last part of the error's type."""

    field: str
    kind: str
    body: dict[str, Any]


def minimal(collection: str, name: str) -> dict[str, Any]:
    """Return a body with only the fields that the form requires, and as few references."""
    located = schemas.definition(collection, name)
    required = located.schema.get("required", ())
    body = {
        field: _IDS[field] if field in _IDS else generate.value(field, prop, {}, Random(0))
        for field, prop in located.properties.items()
        if field in required
    }
    for field in getattr(_RESOURCES.get(collection), "key_fields", ())[:1]:
        if isinstance(key := body.get(field), str):
            body[field] = generate.visible(key)
    if "sku" in body:
        body["sku"] = f"MINIMAL-{next(_NUMBERS)}"
    if {*required} & generate.PAIRS:
        body |= generate.pair(collection, _REFERENCES)
    return body


def injected_faults(collection: str, name: str) -> Iterator[SchemaFault]:
    """Yield bodies with each fault of each field of the form, members of lists included."""
    located = form(_RESOURCES[collection], name)
    body = minimal(collection, name) | dict(_lists(located))
    seen = set()
    for site in sites(located, body):
        for kind in KINDS:
            for draw in range(_DRAWS if kind.fits(site) else 0):
                fault = kind.make(site, Random(f"{kind.name} {site.path} {draw}"))
                if not fault.row or kind.name in _NOT_IN_SCHEMAS:
                    continue
                text = orjson.dumps(inject(deepcopy(body), fault))
                if text not in seen:
                    error = fault.type.removeprefix("validation_error.")
                    yield SchemaFault(str(field_name(fault.row)), error, orjson.loads(text))
                seen.add(text)


def _lists(located: ResolvedSchema) -> Iterator[tuple[str, list[Any]]]:
    """Yield each list of the form with two members."""
    for name, prop in located.properties.items():
        if "array" in prop.types and not prop.schema.get("readOnly"):
            yield name, [filler(prop.items, number) for number in (1, 2)]
