"""Tests of the operations that parts have (contract, Parts)."""

import pytest

from service.records.resource import Resource
from service.resources.registry import PARTS
from service.routes import routes

pytestmark = pytest.mark.contract("Parts")


def surface(resource: Resource) -> set[tuple[str, str]]:
    return {(route.method, route.path) for route in routes() if route.resource is resource}


def test_the_operations_of_every_part() -> None:
    """Contract, Parts: each is read and replaced; charts and measured values are patched."""
    measured = "/api/styles/{styleId}/sample-requests/{sampleRequestId}/measurements"
    operations = set[tuple[str, str]]().union(*map(surface, PARTS))
    assert operations == {
        ("GET", "/api/size-ranges/{id}/sizes"),
        ("PUT", "/api/size-ranges/{id}/sizes"),
        ("GET", "/api/colors/{id}/translations"),
        ("PUT", "/api/colors/{id}/translations"),
        ("GET", "/api/styles/{id}/translations"),
        ("PUT", "/api/styles/{id}/translations"),
        ("GET", "/api/styles/{id}/contacts"),
        ("PUT", "/api/styles/{id}/contacts"),
        ("GET", "/api/styles/{id}/supplier-facilities"),
        ("PUT", "/api/styles/{id}/supplier-facilities"),
        ("GET", "/api/colors/{id}/swatch"),
        ("PUT", "/api/colors/{id}/swatch"),
        ("PATCH", "/api/colors/{id}/swatch"),
        ("GET", "/api/styles/{id}/measurement-chart"),
        ("PUT", "/api/styles/{id}/measurement-chart"),
        ("PATCH", "/api/styles/{id}/measurement-chart"),
        ("GET", "/api/styles/{id}/custom-field-values"),
        ("PUT", "/api/styles/{id}/custom-field-values"),
        ("GET", "/api/styles/{styleId}/prices"),
        *((m, "/api/styles/{styleId}/prices/{priceListId}") for m in ("GET", "PUT", "PATCH")),
        ("GET", "/api/styles/{id}/items"),
        ("PUT", "/api/styles/{id}/items"),
        ("GET", "/api/styles/{id}/care-instructions"),
        ("PUT", "/api/styles/{id}/care-instructions"),
        ("GET", measured),
        *((method, f"{measured}/{{sizeRangeSizeId}}") for method in ("GET", "PUT", "PATCH")),
    }
