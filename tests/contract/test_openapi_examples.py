"""Tests of the OpenAPI document's failure examples: each is a real response."""

import re
from typing import Final

import pytest

from service.errors import ErrorDetail
from service.handlers.operations import Operation
from service.records.resource import Resource
from service.resources.registry import MEASUREMENTS
from service.routes import collection_path
from tests.support import error_examples as examples
from tests.support.api import Api
from tests.support.failing_requests import FailureSetup, provoke_failure

pytestmark = pytest.mark.contract("Error types")

EXAMPLES: Final[list[tuple[Operation | None, str]]] = [
    *((None, name) for name in examples.EXAMPLES),
    *((kind, name) for kind, own in examples.OF_KIND.items() for name in own),
]


@pytest.fixture
def failure_setup(
    shared_api: Api,
    shared_reader: Api,
    shared_other: Api,
    shared_dsn: str,
    monkeypatch: pytest.MonkeyPatch,
) -> FailureSetup:
    """Setup in which every failure can be provoked."""
    return FailureSetup(shared_api, shared_reader, shared_other, shared_dsn, monkeypatch)


@pytest.mark.parametrize(
    ("kind", "error_type"),
    EXAMPLES,
    ids=[f"{kind.name}.{name}" if kind else name for kind, name in EXAMPLES],
)
async def test_the_example_is_what_is_answered(
    kind: Operation | None, error_type: str, failure_setup: FailureSetup
) -> None:
    """Type, place and message; of several items the example shows the fourth, as wrong as any."""
    answer = await provoke_failure(
        failure_setup, f"{kind.name}.{error_type}" if kind else error_type
    )
    [expected] = examples.example(error_type, kind)["error"]["details"]
    rows = answer.json["error"]["details"]
    if kind is not None:
        for row in rows:
            row["field"] = row["field"] and re.sub(r"^(ids)?\[\d+\]", r"\1[3]", row["field"])
    assert expected in rows
    if len(rows) == 1:
        assert (answer.status, answer.json["code"]) == (ErrorDetail(error_type).status, error_type)


@pytest.mark.contract("Measurement read")
@pytest.mark.parametrize("error_type", ["unauthorized", "server_error"])
async def test_the_example_of_problem_details_is_what_is_answered(
    error_type: str, failure_setup: FailureSetup, stored: dict[str, int]
) -> None:
    failure_setup.patch.setattr(Resource, "render", None)
    key = failure_setup.api.key if error_type == "server_error" else ""
    path = f"{collection_path(MEASUREMENTS)}/{{{MEASUREMENTS.key}}}".format(**stored)
    answer = await Api(failure_setup.api.client, key).get(path)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json == examples.problem(error_type)
