"""Fuzz tests: random requests get the responses of the OpenAPI document and the contract.

The short version of `make fuzz`. The seed is the same for everybody, so that a change that passes
for one passes for all; FUZZ_SEED chooses another one, as `make fuzz` does each time. The operations
are those of the run's collections.
"""

import os
import re
from pathlib import Path

import pytest

from service.routes import routes
from tests.fuzz import campaign, documented, scopes
from tests.fuzz.stage import serving
from tests.support.api import issue_key
from tests.support.sampling import collections, examples

pytestmark = pytest.mark.contract("Errors", "OpenAPI document", "Bad input", "Scopes")

SEED = int(os.environ.get("FUZZ_SEED") or "1")
CASES = examples(100, 500)
COLLECTIONS = {*collections()}
PATHS = sorted(
    {route.path for route in routes() if not route.resource or route.resource.name in COLLECTIONS}
)
#: Those of collections are in the OpenAPI document.
DOCUMENTED = {route.path for route in routes() if route.resource and route.path in PATHS}
_CHOSEN = f"^({'|'.join(map(re.escape, PATHS))})$"


def test_responses_name_the_injected_faults_and_nothing_else(demo_dsn: str) -> None:
    print(f"FUZZ_SEED={SEED}")
    tally = campaign.run(demo_dsn, cases=CASES, start=SEED)
    assert not tally.failures, "\n\n".join(tally.failures.values())
    assert tally.cases == CASES
    assert tally.kinds[scopes.FEWER]


@pytest.mark.parametrize(
    ("phases", "operations", "fewest"),
    [
        ("fuzzing", _CHOSEN, len(DOCUMENTED)),
        pytest.param(
            "coverage",
            r"^/api/(colors|style-relations)(/\{id\}(/translations)?)?$",
            500,
            marks=pytest.mark.thorough,
        ),
    ],
)
async def test_no_made_up_request_surprises(
    phases: str, operations: str, fewest: int, demo_dsn: str, tmp_path: Path
) -> None:
    """Send every operation a few times, and to some every case that follows from their schemas."""
    key = await issue_key(demo_dsn, 1)
    async with serving(demo_dsn) as server:
        outcome = await documented.run(
            server, key, tmp_path, seed=SEED, examples=1, phases=phases, operations=operations
        )
    print(f"FUZZ_SEED={SEED}: {outcome.cases} cases")
    assert outcome.passed, outcome.output
    assert outcome.cases >= fewest, outcome.output
