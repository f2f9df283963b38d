"""Overrides: members of resource classes that nothing inherits and nothing reads are misspelled."""

import re
from collections.abc import Iterator

from service.records.resource import Resource
from service.resources.registry import MASTER_RECORDS
from tests.policy.sources import ROOT
from tests.support.offenders import in_each

_SOURCES = "".join(path.read_text() for path in (ROOT / "service").rglob("*.py"))


def subclasses(parent: type[Resource]) -> Iterator[type[Resource]]:
    for child in parent.__subclasses__():
        yield child
        yield from subclasses(child)


def dead_members(resource: type[Resource]) -> list[str]:
    """Return the public members that override nothing and are read nowhere."""
    inherited = {name for parent in resource.__mro__[1:] for name in dir(parent)}
    declared = {
        name for parent in resource.__mro__[1:] for name in vars(parent).get("__annotations__", ())
    }
    own = [name for name in vars(resource) if not name.startswith("_")]
    return [
        name
        for name in own
        if name not in inherited | declared and not re.search(rf"\.{name}\b", _SOURCES)
    ]


@in_each("resource", dict.fromkeys(subclasses(Resource)))
def test_members_of_resources_override_or_are_used(resource: type[Resource]) -> None:
    """A renamed hook whose override keeps the old name would silently lose its rule."""
    assert MASTER_RECORDS
    assert dead_members(resource) == []


def test_no_constructor_is_bypassed() -> None:
    """A class that calls a grandparent's constructor has the wrong parent."""
    assert re.findall(r"\b[A-Z]\w*\.__init__\(self", _SOURCES) == []
    assert re.findall(r"\b[A-Z]\w*\.__init__\(self", "Resource.__init__(self)")
