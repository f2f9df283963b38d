"""Parametrize marks: a test of every resource, of every list, of every route."""

import pytest

from service.resources.registry import MASTER_RECORDS
from service.routes import Route, routes
from service.schemas.write_forms import FIXED
from service.writing import unique_keys

ROUTES = [*routes()]
CALLERS_ROUTES = [route for route in ROUTES if route.needs_key and route.resource is not None]
"""Routes of the interface; the reader of tables, which needs a key, is one of the pages."""
_OF_WEBHOOKS = ("add", "update", "rewind", "rotate")
_BODIES = ("create", "replace", "bulk_replace", "bulk_patch", "patch", *_OF_WEBHOOKS)
_WRITES = (*_BODIES, "delete", "bulk_delete", "remove", "test")

WITH_OWN_KEY = [
    resource
    for resource in MASTER_RECORDS
    if unique_keys.have_text_keys(resource)
    and resource.stored_fields.get(str(resource.own_key)) != FIXED
]
"""Records with a text as own key that may change."""
#: Without those of records that change by themselves.
_LISTS = [
    route
    for route in ROUTES
    if route.operation.name == "list" and route.resource and route.resource.is_in_feed
]

of_each_resource = pytest.mark.parametrize(
    "resource", MASTER_RECORDS, ids=[resource.name for resource in MASTER_RECORDS]
)
of_each_with_own_key = pytest.mark.parametrize(
    "resource", WITH_OWN_KEY, ids=[resource.name for resource in WITH_OWN_KEY]
)
WITH_SIMPLE_KEY = [resource for resource in WITH_OWN_KEY if not resource.own_key_within]
of_each_with_simple_key = pytest.mark.parametrize(
    "resource", WITH_SIMPLE_KEY, ids=[resource.name for resource in WITH_SIMPLE_KEY]
)
of_each_list = pytest.mark.parametrize("route", _LISTS, ids=[route.path for route in _LISTS])


def of_each(chosen: list[Route]) -> pytest.MarkDecorator:
    """Run a test of each of these routes."""
    ids = [f"{route.method} {route.path}" for route in chosen]
    return pytest.mark.parametrize("route", chosen, ids=ids)


of_each_route = of_each(CALLERS_ROUTES)
of_each_write = of_each([route for route in ROUTES if route.operation.name in _WRITES])
of_each_body = of_each([route for route in ROUTES if route.operation.name in _BODIES])
of_each_record = of_each([route for route in CALLERS_ROUTES if "{" in route.path])
