"""Kinds of faults of references by own key: nobody's keys, foreign ones, and those of several."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from service import schemas
from service.records.master_record import MasterRecord
from tests.fuzz.inventory import Inventory
from tests.support.fault_kinds import FAR, Check, Fault, FaultKind
from tests.support.fault_sites import Site
from tests.support.generate import REFERRED

SINGLE: Final = ("itemCategoryId", "brandId", "styleCategoryId")
SETS: Final = ("colorGroupIds", "groupIds", "languageIds")
"""References to one record, and sets of them."""
TARGETS: Final = {REFERRED[name] for name in (*SINGLE, *SETS)}
TWINS: Final[dict[str, dict[str, Any]]] = {
    "color-groups": {"name": "Twin"},
    "item-categories": {},
    "brands": {"name": "Twin"},
}
"""Collections that get two records with one own key, and the records' other members."""
_TEXTS: Final = ("no such key", "%", "_", "null", "1", "\\", "\U0001f9f5")


@dataclass(frozen=True, slots=True)
class KeyFaults:
    """Faults of key objects that only stored data show."""

    inventory: Inventory
    sets: Sequence[str]
    """Names of the fields with sets of ids."""

    def kinds(self) -> Iterator[FaultKind]:
        """Yield the kinds."""
        yield FaultKind("unknown key", self._is_reference, self._unknown)
        yield FaultKind("ambiguous key", lambda site: bool(self._twins(site)), self._ambiguous)

    def of_items(self, resource: MasterRecord) -> Iterator[FaultKind]:
        """Yield the kinds of whole items of a bulk create."""
        if resource.name.endswith("custom-fields"):
            yield FaultKind(
                "own parent by key", lambda site: not site.path, _own_parent, Check.DATA
            )

    def _is_reference(self, site: Site) -> bool:
        return site.name in (*SINGLE, *self.sets)

    def _unknown(self, site: Site, random: Random) -> Fault:
        target = REFERRED[str(site.name)]
        own = self.inventory.own_keys[target]
        foreign = self.inventory.foreign.own_keys[target] if self.inventory.foreign else own
        texts = [random.choice(_TEXTS) + str(FAR), *sorted(foreign.keys() - own.keys())[:3]]
        return _fault(site, random.choice(texts), "validation_error.unknown_reference")

    def _ambiguous(self, site: Site, random: Random) -> Fault:
        return _fault(site, random.choice(self._twins(site)), "conflict.ambiguous_key")

    def _twins(self, site: Site) -> list[str]:
        """Return the own keys that several live records have, to which the site can refer."""
        if not self._is_reference(site):
            return []
        keys = self.inventory.own_keys[REFERRED[str(site.name)]]
        return [key for key, number in keys.items() if number > 1]


def _own_parent(site: Site, random: Random) -> Fault:
    """Return one more custom field, whose parent is the field itself."""
    end, key = len(site.value), f"{random.choice(_TEXTS)} {random.randrange(FAR)}"
    item = {
        "name": key,
        "type": "nestedAllowedValue",
        "userDefinedId": key,
        "parentCustomFieldId": {"userDefinedId": key},
    }
    row = (end, "parentCustomFieldId")
    return Fault((end,), item, "validation_error.invalid_value", row, adds_item=True)


def key_field(target: str) -> str:
    """Return the member of the key object of a collection; languages have a code."""
    return next(iter(schemas.key_fields(target)), "code")


def _fault(site: Site, key: str, error_type: str) -> Fault:
    """Return a reference by that key, or one more of them."""
    value: Any = {key_field(REFERRED[str(site.name)]): key}
    if site.name in SINGLE:
        return Fault(site.path, value, error_type, site.path)
    entries = site.value if isinstance(site.value, list) else []
    return Fault(site.path, [*entries, value], error_type, (*site.path, len(entries)))
