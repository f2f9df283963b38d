"""Size of the structure: counts, with the values of today as limits.

A limit goes down with its count, and goes up only with a decision in docs/decisions.
"""

from collections import Counter

from service.records.master_record import MasterRecord
from tests.policy.sources import modules

LIMITS = {
    "modules in the largest package": 30,
    "noqa: ARG002 in service/": 9,
    "public names of MasterRecord": 51,
}


def public_names(of_class: type) -> set[str]:
    """Return the public members and attributes of a class and its bases, as the code binds them."""
    names = set[str]()
    for base in of_class.__mro__[:-1]:
        names |= {*vars(base), *vars(base).get("__annotations__", ())}
    return {name for name in names if not name.startswith("_")}


def test_the_structure_is_no_larger() -> None:
    files = modules()
    counts = {
        "modules in the largest package": max(Counter(path.parent for path in files).values()),
        "noqa: ARG002 in service/": sum(
            path.read_text(encoding="utf-8").count("noqa: ARG002") for path in files
        ),
        "public names of MasterRecord": len(public_names(MasterRecord)),
    }
    assert not {label: count for label, count in counts.items() if count > LIMITS[label]}
