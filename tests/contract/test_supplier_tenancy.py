"""A supplier's key of one organization against the records of another one (contract, Tenancy)."""

import pytest

from tests.contract.test_tenancy import UNKNOWN
from tests.contract.test_tenancy import tenant_pair as tenant_pair  # a fixture
from tests.support.api import Api, issue_key
from tests.support.tenant_attack import TenantPair, same

pytestmark = pytest.mark.contract("Tenancy", "Scopes")

LISTS = ("styles", "style-colors", "style-skus", "sample-requests", "style-items", "measurements")


async def test_suppliers_are_those_of_the_organization(tenant_pair: TenantPair) -> None:
    """A key that names the other organization's supplier, by its id, opens nothing."""
    styles = (await tenant_pair.victim.get("/api/styles", {"pageSize": "100"})).data
    style = next(each for each in styles if each["supplierId"])
    scope = f"styles[supplierId={style['supplierId']}]:read"
    organization = 3 - tenant_pair.victim_id
    for owner in (organization, tenant_pair.victim_id):
        key = await issue_key(tenant_pair.dsn, owner, scope)
        supplier = Api(tenant_pair.attacker.client, key)
        is_own = owner == tenant_pair.victim_id
        pages = {name: await supplier.get(f"/api/{name}") for name in LISTS}
        assert {page.status for page in pages.values()} == {200}
        shown = [name for name, page in pages.items() if page.data]
        assert ("styles" in shown) if is_own else not shown
        for below in ("", "/sample-requests", "/measurement-chart", "/items"):
            paths = [f"/api/styles/{each}{below}" for each in (style["id"], UNKNOWN)]
            theirs, nobodys = [await supplier.get(path) for path in paths]
            assert theirs.status == (200 if is_own else 404), theirs.raw
            assert same(theirs, nobodys) is not is_own
        feed = await supplier.get("/api/changes", {"from": "oldest"})
        assert feed.status == 200
        assert is_own or not feed.data
