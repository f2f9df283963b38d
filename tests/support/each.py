"""Marks that run a test of every resource, or of every list that the route table has."""

import pytest

from service.resources.registry import MASTER_RECORDS
from service.routes import routes

_LISTS = [route for route in routes() if route.operation == "list"]

of_each_resource = pytest.mark.parametrize(
    "resource", MASTER_RECORDS, ids=[resource.name for resource in MASTER_RECORDS]
)
of_each_list = pytest.mark.parametrize("route", _LISTS, ids=[route.path for route in _LISTS])
