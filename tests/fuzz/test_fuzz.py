"""Fuzz tests: random requests get the responses of the OpenAPI document and the contract.

The short version of `make fuzz`. The seed is the same for everybody, so that a change that passes
for one passes for all; FUZZ_SEED chooses another one, as `make fuzz` does each time.
"""

import os
from pathlib import Path

import pytest

from tests.fuzz import campaign, documented
from tests.fuzz.stage import serving
from tests.support.api import issue_key

pytestmark = pytest.mark.contract("Errors", "OpenAPI document", "Bad input")

SEED = int(os.environ.get("FUZZ_SEED") or "1")
CASES = 500
PARTS = 2
_MOST = "^(?!.*/(many|outcomes|writable)$)|^/api/colors/"
"""Pattern of paths; those that fix the form of the answer share their handlers."""


@pytest.mark.parametrize("part", range(PARTS))
def test_responses_name_the_injected_faults_and_nothing_else(part: int, demo_dsn: str) -> None:
    print(f"FUZZ_SEED={SEED}")
    tally = campaign.run(demo_dsn, cases=CASES, start=f"{SEED}.{part}")
    assert not tally.failures, "\n\n".join(tally.failures.values())
    assert tally.cases == CASES


@pytest.mark.parametrize(
    ("phases", "operations", "fewest"),
    [
        ("fuzzing", _MOST, 150),
        ("coverage", r"^/api/(colors|style-relations)(/\{id\}(/translations)?)?$", 500),
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
