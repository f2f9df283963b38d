"""Tests of brands (contract, Brands); ``test_styles.py`` tests their use by styles."""

import pytest

from tests.support import plain_records, restriction_checks
from tests.support.api import Api

pytestmark = pytest.mark.contract("Brands")

PATH = "/api/brands"


async def test_fields(api: Api) -> None:
    """``customId``, ``name`` and ``state``."""
    await plain_records.has_key_name_and_state(api, PATH, "customId")


async def test_a_deleted_one_leaves_the_restrictions(api: Api) -> None:
    """For good: restoring it does not bring it back into custom fields."""
    await restriction_checks.assert_removed_from_restrictions(api, PATH, "associatedBrands")
