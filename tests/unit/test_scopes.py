"""Tests of scopes: their texts, and what includes what (contract, Scopes)."""

import pytest

from service.organizations.scopes import Scopes, parse
from service.resources.scope_names import scope_problem

pytestmark = pytest.mark.contract("Scopes")


@pytest.mark.parametrize(
    ("own", "others", "beyond"),
    [
        ("write", "write read styles:delete measurements:write[newMeasurement]", "keys:manage"),
        ("read", "styles:read", "styles:write write audit:read"),
        ("styles:delete", "styles:write styles:read", "colors:read *:read"),
        ("styles:write", "styles:read", "styles:delete"),
        ("keys:manage", "keys:manage", "audit:read colors:read read"),
        (
            "measurements:write[newMeasurement] measurements:write[supplierMeasurement]",
            "measurements:read measurements:write[supplierMeasurement,newMeasurement]",
            "measurements:write measurements:delete measurements:write[companyMeasurement]",
        ),
    ],
)
def test_scopes_include_what_allows_nothing_more(own: str, others: str, beyond: str) -> None:
    scopes = Scopes.of(own.split())
    assert all(map(scopes.includes, (*own.split(), *others.split())))
    assert not any(map(scopes.includes, beyond.split()))


def test_every_access_includes_the_ones_before() -> None:
    scopes = Scopes.of(["styles:write", "colors:read"])
    assert scopes.allows("styles:read")
    assert scopes.allows("any:write")
    assert not scopes.allows("styles:delete")
    assert not scopes.allows("colors:write")
    assert not scopes.allows("any:delete")
    assert Scopes.of(["write"]).allows("colors:delete")
    assert not Scopes.of(["write"]).allows("keys:manage")
    assert not Scopes.of(["write"]).allows("audit:read")


def test_short_names_are_those_of_the_keys_of_before() -> None:
    """They are shown as they were given."""
    for texts, name in (
        (["read"], "read"),
        (["write"], "write"),
        (["write", "keys:manage"], "write"),
        (["*:read"], "read"),
        (["*:delete", "keys:manage"], "write"),
        (["*:write"], None),
        (["*:read", "styles:write"], None),
        (["keys:manage"], None),
    ):
        assert Scopes.of(texts).name == name
        assert Scopes.of(texts).texts == (*texts,)


def test_fields_restrict_writes_unless_another_scope_has_them_all() -> None:
    fields = "measurements:write[newMeasurement]"
    assert Scopes.of([fields]).field_scopes == {"measurements": {"newMeasurement"}}
    assert Scopes.of([fields, "measurements:read"]).field_scopes
    for whole in ("write", "measurements:delete", "measurements:write"):
        assert not Scopes.of([fields, whole]).field_scopes


def test_fields_of_one_supplier_are_not_those_of_another() -> None:
    def field_scopes(*scopes: str) -> dict[str, set[str]]:
        return {name: {*each} for name, each in Scopes.of(scopes).field_scopes.items()}

    old, new = "companyMeasurement", "newMeasurement"
    first, second = f"measurements[supplierId=1]:write[{old}]", "measurements[supplierId=2]:write"
    for both in (first, f"measurements:write[{old}]"):
        assert field_scopes(both, f"{second}[{new}]") == {"measurements": set()}
        assert field_scopes(both, f"{second}[{new},{old}]") == {"measurements": {old}}
    assert field_scopes(first, first.replace(old, new)) == {"measurements": {old, new}}
    assert field_scopes(first, second) == {"measurements": {old}}
    # Those of one supplier add up, as those of all do.
    whole = "measurements[supplierId=1]:write"
    assert field_scopes(first, whole) == {}
    assert field_scopes(first, whole, f"{second}[{new}]") == {"measurements": {new}}
    assert field_scopes(first, "measurements[supplierId=1]:read") == {"measurements": {old}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("stiles:read", "There is no such collection. Did you mean styles?"),
        ("products:write", "Use products:read: it is only read."),
        ("brands[supplierId=1]:read", "supplierId"),
        ("styles[supplierId=1]:write", "supplierId"),
        ("style-colors[supplierId=1]:delete", "supplierId"),
        ("*[supplierId=1]:read", "supplierId"),
        ("styles[supplierId=0]:read", "Use "),
        ("styles[brandId=1]:read", "Use "),
        ("measurements:write[unit]", "unit"),
        ("styles:write[name]", "name"),
        ("measurements:read[newMeasurement]", "Use "),
        ("measurements:write[]", "Use "),
        ("any:read", "no such collection"),
        ("languages:read", "no such collection"),
        ("styles", "Use "),
        ("styles:read ", "Use "),
        ("styles:READ", "Use "),
        ("s" * 300 + ":read", "Use "),
        ("", "Use "),
    ],
)
def test_texts_that_are_no_scopes_are_refused(text: str, problem: str) -> None:
    assert problem in str(scope_problem(text))


@pytest.mark.parametrize(
    "text",
    [
        *("read", "write", "*:write", "keys:manage", "audit:read", "products:read"),
        *("style-prices:delete", "measurements:write[newMeasurement]", "organizations:write"),
    ],
)
def test_texts_of_scopes_are_accepted(text: str) -> None:
    assert scope_problem(text) is None


def test_unknown_scopes_of_another_release_allow_nothing() -> None:
    assert parse("styles[brandId=1]:read") is None
    assert not Scopes.of(["styles[brandId=1]:read"]).allows("styles:read")


def test_a_supplier_s_scope_opens_what_belongs_to_styles() -> None:
    scopes = Scopes.of(["styles[supplierId=12]:read", "style-skus[supplierId=13]:read"])
    assert scopes.suppliers("measurements:read") == (12,)
    assert scopes.suppliers("style-skus:read") == (12, 13)
    assert not scopes.allows("styles:read")
    assert scopes.opens("styles:read")
    assert not scopes.opens("style-prices:read")
    assert not scopes.opens("styles:write")
    assert scopes.includes("style-colors[supplierId=12]:read")
    for beyond in ("style-colors[supplierId=13]:read", "style-colors:read", "styles:read"):
        assert not scopes.includes(beyond)
    # It opens more than the styles themselves.
    assert not Scopes.of(["styles:read"]).includes("styles[supplierId=12]:read")
    assert Scopes.of(["read"]).includes("styles[supplierId=12]:read")
    both = Scopes.of(["styles[supplierId=12]:read", "styles:read"])
    assert both.suppliers("styles:read") == ()
    assert both.suppliers("style-colors:read") == (12,)
