"""Tests of the operations that parts have (contract, Part collections)."""

import re

import pytest

from service.records.resource import Resource
from service.resources.registry import PARTS
from service.routes import routes
from tests.policy.documents import contract

pytestmark = pytest.mark.contract("Parts")


def surface(resource: Resource) -> set[tuple[str, str]]:
    return {(route.method, route.path) for route in routes() if route.resource is resource}


def test_the_operations_of_every_part() -> None:
    """Those of the contract: its table has them, but for the paths of two parts."""
    measured = "/api/styles/{styleId}/sample-requests/{sampleRequestId}/measurements"
    table = contract()["Part collections"]
    operations = set[tuple[str, str]]().union(*map(surface, PARTS))
    assert operations == {
        *(
            (method, path)
            for path, is_object in re.findall(
                r"(?m)^\| [^|]+ \| `(/api/\S+)`(, an object)? \|", table
            )
            for method in ("GET", "PUT", *(["PATCH"] if is_object else []))
        ),
        ("GET", "/api/styles/{styleId}/prices"),
        *((m, "/api/styles/{styleId}/prices/{priceListId}") for m in ("GET", "PUT", "PATCH")),
        ("GET", measured),
        *((method, f"{measured}/{{sizeRangeSizeId}}") for method in ("GET", "PUT", "PATCH")),
    }
