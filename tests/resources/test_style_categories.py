"""Tests of style categories (contract, Style categories); ``test_styles.py`` tests their use."""

import pytest

from tests.support import plain_records, restriction_checks
from tests.support.api import Api

pytestmark = pytest.mark.contract("Style categories")

PATH = "/api/style-categories"


async def test_fields(api: Api) -> None:
    """``userDefinedId``, ``name`` and ``state``."""
    await plain_records.has_key_name_and_state(api, PATH, "userDefinedId")


async def test_a_deleted_one_leaves_the_restrictions(api: Api) -> None:
    """For good: restoring it does not bring it back into custom fields."""
    await restriction_checks.assert_removed_from_restrictions(
        api, PATH, "associatedStyleCategories"
    )
