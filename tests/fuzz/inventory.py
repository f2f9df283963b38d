"""Inventory of stored records, for cases to refer to."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.support.fault_kinds import FAR

_BYSTANDERS: Final = 5


@dataclass
class Inventory:
    """Records of one organization, and through ``foreign`` those of another one."""

    references: dict[str, list[int]]
    multiple_language: bool
    writables: dict[str, dict[Any, dict[str, Any]]] = field(default_factory=dict)
    """Writable forms of live records by collection and id."""
    used: dict[str, list[Any]] = field(default_factory=dict)
    """Ids of records in use, by collection."""
    used_in_styles: dict[str, set[Any]] = field(default_factory=dict)
    """Ids of records that styles use, by collection."""
    used_by_peers: dict[str, set[Any]] = field(default_factory=dict)
    """Ids of records whose use depends on the other records that are deleted, by collection."""
    parents: dict[str, dict[Any, Any]] = field(default_factory=dict)
    """Parents of records, or None, by collection and id."""
    own_keys: dict[str, Counter[str]] = field(default_factory=dict)
    """Numbers of live records by own key, by collection that others refer to."""
    foreign: "Inventory | None" = None

    def unknown(self, collection: str, random: Random) -> int:
        """Return an id that is not the organization's; another organization may have it."""
        foreign = {*self._ids(self.foreign, collection)} - {*self._ids(self, collection)}
        unknown: int = random.choice(
            [FAR + random.randrange(1000), 2**63 - 1, *sorted(foreign)[:2]]
        )
        return unknown

    def others_child(self, collection: str, field: str, random: Random) -> int:
        """Return the id of a member of another record's list, maybe of another organization's."""
        children: list[int] = [
            member["id"]
            for inventory in (self, self.foreign)
            if inventory is not None
            for id_ in inventory.bystanders(collection)
            for member in inventory.writables[collection][id_][field]
        ]
        return random.choice([FAR, *children])

    def in_use(self, collection: str, going: Iterable[Any]) -> list[Any]:
        """Return the ids of records that are in use by others than ``going``."""
        if not collection.endswith("custom-fields"):
            return self.used[collection]
        gone = {*going}
        parents = {parent for id_, parent in self.parents[collection].items() if id_ not in gone}
        parents |= self.used_in_styles[collection]
        return [id_ for id_ in self.used[collection] if id_ in parents]

    def bystanders(self, collection: str) -> list[Any]:
        """Return the ids of a few records that no request names."""
        return [*self.writables[collection]][-_BYSTANDERS:]

    @staticmethod
    def _ids(inventory: "Inventory | None", collection: str) -> Iterable[Any]:
        if inventory is None:
            return ()
        return inventory.references.get(collection) or inventory.writables.get(collection, {})
