"""Marks that run a test of every resource, or of every list that the route table has."""

import pytest

from service.resources.registry import MASTER_RECORDS
from service.routes import routes

WITH_OWN_KEY = [resource for resource in MASTER_RECORDS if resource.own_key]
_LISTS = [route for route in routes() if route.operation == "list"]

of_each_resource = pytest.mark.parametrize(
    "resource", MASTER_RECORDS, ids=[resource.name for resource in MASTER_RECORDS]
)
of_each_with_own_key = pytest.mark.parametrize(
    "resource", WITH_OWN_KEY, ids=[resource.name for resource in WITH_OWN_KEY]
)
of_each_list = pytest.mark.parametrize("route", _LISTS, ids=[route.path for route in _LISTS])
