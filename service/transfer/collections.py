"""What travels: the collections whose records callers write, in the order of their references."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter

from service import schemas
from service.resources.registry import MASTER_RECORDS
from service.schemas.derived_forms import OWN_KEY, WITHIN
from service.transfer.errors import TransferError
from service.transfer.fields import Field, line_fields, record_fields, with_shown_lists
from service.transfer.parts import TransferPart, parts_of


@dataclass(frozen=True, eq=False)
class TransferCollection:
    """A collection as files have it."""

    name: str
    parts: tuple[TransferPart, ...] = ()

    @cached_property
    def fields(self) -> Field:
        """Every field that creating takes."""
        return self._fields("create")

    @cached_property
    def replaced(self) -> Field:
        """Every field that a replace takes."""
        return self._fields("replace")

    @cached_property
    def written(self) -> Field:
        """Every field that an exported line has and an import reads, parts included."""
        return line_fields(self.fields, {part.member: part.fields for part in self.parts})

    @cached_property
    def columns(self) -> Field:
        """Every field that a CSV file can have a column for: also lists as documents show them."""
        return with_shown_lists(self.written, schemas.definition(self.name, "document"))

    def _fields(self, form: str) -> Field:
        parts = (part.member for part in self.parts)
        return record_fields(schemas.definition(self.name, form), self.name, parts)

    @property
    def referred(self) -> set[str]:
        """The collections that its records refer to, with their parts."""
        return self.fields.referred().union(*(part.fields.referred() for part in self.parts))

    @cached_property
    def key_fields(self) -> tuple[str, ...]:
        """The own key of records, and what it is within; none where they have no own key."""
        said = schemas.load()[self.name]
        return tuple(said[name] for name in (OWN_KEY, WITHIN) if name in said)

    @cached_property
    def most(self) -> int:
        """How many records one request takes."""
        return int(schemas.definition(self.name, "bulkCreate").schema["maxItems"])

    @cached_property
    def has_position(self) -> bool:
        """Whether creating gives records their place in an order."""
        return "position" in schemas.definition(self.name, "document").properties

    @cached_property
    def has_state(self) -> bool:
        """Whether a replace has to say the state, which creating need not."""
        return "state" in schemas.definition(self.name, "item").schema.get(
            "required", ()
        ) or "state" in schemas.definition(self.name, "item").otherwise.schema.get("required", ())

    @cached_property
    def in_order(self) -> bool:
        """Whether records have to come one request after the other, as the file has them."""
        return self.has_position or self.name in self.fields.referred()

    @cached_property
    def has_hidden(self) -> bool:
        """Whether only the writable form shows some of what was sent, down in the lists too."""
        document = schemas.definition(self.name, "document")
        return _hides(document.properties, self.fields, schemas.definition(self.name, "writable"))


def _hides(
    shown: dict[str, schemas.ResolvedSchema], sent: Field, writable: schemas.ResolvedSchema
) -> bool:
    for name, part in writable.properties.items():
        found = sent.members.get(name, Field())
        if name not in shown:
            if not found.shown_as:
                return True
        elif found.items and _hides(shown[name].items.properties, found.items, part.items):
            return True
    return False


def travelling() -> dict[str, TransferCollection]:
    """By name: those that are written, what they refer to first."""
    found = {
        resource.name: TransferCollection(resource.name, (*parts_of(resource.name),))
        for resource in MASTER_RECORDS
    }
    # Lists, unlike sets, make the order the same in every process.
    order = TopologicalSorter(
        {
            name: [other for other in found if other in one.referred and other != name]
            for name, one in found.items()
        }
    )
    return {name: found[name] for name in order.static_order()}


def chosen(names: Iterable[str]) -> list[TransferCollection]:
    """Those of the given names, or all; TransferError for a name that is none."""
    known = travelling()
    for name in names:
        require(name, known)
    wanted = set(names) or known.keys()
    return [one for name, one in known.items() if name in wanted]


def require(name: str, known: Iterable[str]) -> None:
    """Raise TransferError where there is no such collection to write."""
    if name not in known:
        raise TransferError(f"{name} is no collection; use {', '.join(sorted(known))}")
