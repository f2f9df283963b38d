"""What the stage knows to be stored, for cases to refer to."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.fuzz.plants import FAR

_BYSTANDERS: Final = 5


@dataclass
class Known:
    """What is stored for one organization, and what of it another one cannot use."""

    references: dict[str, list[int]]
    multiple_language: bool
    writables: dict[str, dict[Any, dict[str, Any]]] = field(default_factory=dict)
    """By collection, the writable forms of live records by id."""
    used: dict[str, list[Any]] = field(default_factory=dict)
    """By collection, the ids of records that others need."""
    used_by_peers: dict[str, set[Any]] = field(default_factory=dict)
    """By collection, the ids of records that can be in use, depending on what else is deleted."""
    parents: dict[str, dict[Any, Any]] = field(default_factory=dict)
    """By collection, the parents of records by the ids of these; those without have None."""
    foreign: "Known | None" = None

    def unknown(self, collection: str, random: Random) -> int:
        """An id that is none of the organization's, though maybe another one's."""
        foreign = {*self._ids(self.foreign, collection)} - {*self._ids(self, collection)}
        unknown: int = random.choice(
            [FAR + random.randrange(1000), 2**63 - 1, *sorted(foreign)[:2]]
        )
        return unknown

    def others_child(self, collection: str, field: str, random: Random) -> int:
        """The id of a member of another record's list, maybe of another organization's."""
        children: list[int] = [
            member["id"]
            for known in (self, self.foreign)
            if known is not None
            for id_ in known.bystanders(collection)
            for member in known.writables[collection][id_][field]
        ]
        return random.choice([FAR, *children])

    def in_use(self, collection: str, going: Iterable[Any]) -> list[Any]:
        """The ids of records that others need, which are not those of ``going``."""
        if not collection.endswith("custom-fields"):
            return self.used[collection]
        gone = {*going}
        parents = {parent for id_, parent in self.parents[collection].items() if id_ not in gone}
        return [id_ for id_ in self.used[collection] if id_ in parents]

    def bystanders(self, collection: str) -> list[Any]:
        """The ids of a few records that no request is for."""
        return [*self.writables[collection]][-_BYSTANDERS:]

    @staticmethod
    def _ids(known: "Known | None", collection: str) -> Iterable[Any]:
        if known is None:
            return ()
        return known.references.get(collection) or known.writables.get(collection, {})
