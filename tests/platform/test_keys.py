"""Tests of the API key format: one form, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.organizations import caller

pytestmark = pytest.mark.contract("Callers")

SECRET = "0123456789abcdef" * 4
LARGEST = 2**63 - 1


@given(st.integers(1, LARGEST), st.integers(1, LARGEST))
def test_a_composed_key_parses_into_its_parts(organization_id: int, key_id: int) -> None:
    secret = caller.new_secret()
    assert caller.parse(caller.compose(organization_id, key_id, secret)) == (
        organization_id,
        key_id,
        secret,
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "slv_1_1_",
        f"slv_1_{SECRET}",
        f"SLV_1_1_{SECRET}",
        f"slv_01_1_{SECRET}",
        f"slv_0_1_{SECRET}",
        f"slv_1_-1_{SECRET}",
        f"slv_1_\u0661_{SECRET}",
        f"slv_{LARGEST + 1}_1_{SECRET}",
        f"slv_1_{LARGEST + 1}_{SECRET}",
        f"slv_1_1_{SECRET.upper()}",
        f"slv_1_1_{SECRET}0",
        f"slv_1_1_{SECRET[:-1]}",
        f"slv_1_1_{SECRET}\n",
        f" slv_1_1_{SECRET}",
    ],
)
def test_anything_else_is_no_key(text: str) -> None:
    assert caller.parse(text) is None


def test_secrets_differ_and_only_their_digest_is_comparable() -> None:
    assert caller.new_secret() != caller.new_secret()
    assert len(caller.digest(SECRET)) == 32
    assert caller.digest(SECRET) == caller.digest(SECRET)
