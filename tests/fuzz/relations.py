"""Kinds of faults between fields and records: repeated values, and conflicts with stored data."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import replace as replace_in
from random import Random
from typing import Any, Final

from service.records.master_record import MasterRecord
from tests.fuzz.inventory import Inventory
from tests.fuzz.keys import SETS, SINGLE, KeyFaults
from tests.support.fault_kinds import FAR, Check, Fault, FaultKind, Injector
from tests.support.fault_sites import Path, Site, filler
from tests.support.generate import REFERRED

_ASSOCIATIONS: Final = ("associatedBrands", "associatedGroups", "associatedStyleCategories")
_CHILDREN: Final = ("allowedValues", "contacts")
#: Ids from here on are those of single items.
_FARTHER: Final = FAR + 10**6


def _invalid(at: Path, value: Any, kind: str, row: Path, *needs: Path) -> Fault:
    return Fault(at, value, f"validation_error.{kind}", row, needs)


def _listed(site: Site) -> list[Any]:
    return site.value if isinstance(site.value, list) else []


def _next(site: Site, members: int = 1) -> int:
    return len(_listed(site)) + members - 1


def _member(site: Site, number: int, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = filler(site.located.items, number) | more
    return made


def _key(site: Site) -> str | None:
    """Return the key by which a list's members differ in a request."""
    if site.name == "languages":
        return "languageId"
    return "id" if site.name in _CHILDREN else None


def _same_key(site: Site, random: Random) -> Fault:
    key = str(_key(site))
    own = [member[key] for member in _listed(site) if member.get(key)]
    id_ = random.choice(own or [random.randint(1, 99)])
    more = [_member(site, n, **{key: id_}) for n in range(1 if own else 2)]
    row = (*site.path, _next(site, len(more)), key)
    return _invalid(site.path, [*_listed(site), *more], "duplicate", row, _state(site))


def _state(site: Site) -> Path:
    """Return the path of the state that an item needs for its lists to be read."""
    return (*site.path[:-1], "state")


def _second_default(site: Site, _: Random) -> Fault:
    has = any(member.get("isDefaultValue") for member in _listed(site))
    more = [_member(site, n, isDefaultValue=True) for n in range(1 if has else 2)]
    row = (*site.path, _next(site, len(more)), "isDefaultValue")
    return _invalid(site.path, [*_listed(site), *more], "duplicate", row, _state(site))


def between_fields(resource: MasterRecord) -> Iterator[FaultKind]:
    """Yield the kinds of repeated values that a request alone shows."""
    yield FaultKind("one key twice", lambda site: _key(site) is not None, _same_key)
    yield FaultKind("two defaults", _named("allowedValues"), _second_default)
    for name in ("id", *resource.unique_fields):
        yield _item_twice(name)


def _item_twice(name: str) -> FaultKind:
    """Return the kind of two bulk items with one value."""

    def holders(site: Site) -> list[int]:
        if site.path or not isinstance(site.value, list):
            return []
        return [
            index
            for index, item in enumerate(site.value)
            if isinstance(item, dict) and isinstance(item.get(name), int | str) and item[name]
        ]

    def make(site: Site, random: Random) -> Fault:
        index, end = random.choice(holders(site)), len(site.value)
        needs = ((index, name), (index, "state"), (end, "state"))
        same = {name: site.value[index][name]}
        return _item(site, same, "validation_error.duplicate", name, *needs)

    return FaultKind(f"{name} twice", lambda site: bool(holders(site)), make)


@dataclass(frozen=True, slots=True)
class Beyond:
    """Kinds of faults that only stored data show, in a body that is valid by itself.

    ``stored`` says that the body is for stored records.
    """

    resource: MasterRecord
    inventory: Inventory
    stored: bool

    def kinds(self) -> Iterator[FaultKind]:
        """Yield the kinds of faults of fields."""
        for kind in self._of_fields():
            yield replace_in(kind, check=Check.DATA)

    def _of_fields(self) -> Iterator[FaultKind]:
        sets = SETS[:2] if self._lacks_languages else SETS
        yield FaultKind("unknown reference", _named(*sets), self._unknown_in_set)
        yield FaultKind("unknown reference", _named(*SINGLE), self._unknown_single)
        yield from KeyFaults(self.inventory, sets).kinds()
        unknown = self._unknown_member
        yield FaultKind("unknown reference", _named("languages"), unknown("languageId"))
        yield FaultKind("unknown reference", _named(*_ASSOCIATIONS), unknown("id"))
        yield FaultKind("unknown customId", _named(*_ASSOCIATIONS), self._unknown_custom_id)
        yield FaultKind(
            "reference twice", _named(*_ASSOCIATIONS, filled=True), self._same_association
        )
        yield FaultKind("another's child", _named(*_CHILDREN), self._others_child)
        yield FaultKind("unknown parent", _named("parentCustomFieldId"), self._unknown_parent)
        if self.resource.name == "style-custom-fields":
            values = unknown("parentAllowedValueId")
            yield FaultKind("unknown value of the parent", _named("allowedValues"), values)
        if self._lacks_languages:
            yield FaultKind("feature off", _named("languageIds"), self._without_feature)
        if self.stored:
            yield FaultKind("other type", _is_stored_type, self._other_type)
        if self.resource.name == "care-instruction-materials":
            yield FaultKind("reference that another holds", self._could_be_taken, self._taken)

    @property
    def _lacks_languages(self) -> bool:
        """Return whether the records have no languages without the feature."""
        return not self.inventory.multiple_language and self.resource.name == "colors"

    def of_items(self, operation: str | None) -> Iterator[FaultKind]:
        """Yield the kinds of faults of whole items of a bulk create or replace."""
        if operation == "bulk_create":
            yield from KeyFaults(self.inventory, ()).of_items(self.resource)
        if operation != "bulk_replace":
            return
        yield FaultKind("unknown record", _is_root, self._nobodys, Check.RECORD)
        yield FaultKind("another organization's record", _is_root, self._foreign, Check.RECORD)
        yield FaultKind(
            "record in use", lambda site: bool(self._used(site)), self._in_use, Check.DATA
        )

    def _unknown_in_set(self, site: Site, random: Random) -> Fault:
        id_ = self.inventory.unknown(REFERRED[str(site.name)], random)
        row = (*site.path, _next(site))
        return _invalid(site.path, [*_listed(site), id_], "unknown_reference", row)

    def _unknown_single(self, site: Site, random: Random) -> Fault:
        id_ = self.inventory.unknown(REFERRED[str(site.name)], random)
        return _invalid(site.path, id_, "unknown_reference", site.path)

    def _unknown_member(self, key: str) -> Injector:
        def make(site: Site, random: Random) -> Fault:
            id_ = self.inventory.unknown(
                REFERRED.get(str(site.name), REFERRED.get(key, "")), random
            )
            return self._with_member(site, key, _member(site, 1) | {key: id_})

        return make

    def _unknown_custom_id(self, site: Site, random: Random) -> Fault:
        text = random.choice(["no such reference", "%"])
        return self._with_member(site, "customId", {"customId": text})

    def _others_child(self, site: Site, random: Random) -> Fault:
        id_ = self.inventory.others_child(self.resource.name, str(site.name), random)
        return self._with_member(site, "id", _member(site, 1) | {"id": id_})

    @staticmethod
    def _with_member(site: Site, key: str, member: dict[str, Any]) -> Fault:
        row = (*site.path, _next(site), key)
        return _invalid(site.path, [*_listed(site), member], "unknown_reference", row)

    def _same_association(self, site: Site, random: Random) -> Fault:
        id_ = random.choice(site.value)["id"]
        row = (*site.path, _next(site), "id")
        return _invalid(site.path, [*site.value, {"id": id_}], "duplicate", row)

    def _unknown_parent(self, site: Site, random: Random) -> Fault:
        fixed = self.stored and getattr(self.resource, "parent_is_fixed", False)
        kind = "read_only_field" if fixed else "unknown_reference"
        id_ = self.inventory.unknown(self.resource.name, random)
        return _invalid(site.path, id_, kind, site.path)

    def _without_feature(self, site: Site, random: Random) -> Fault:
        value = random.sample(self.inventory.references["languages"], 2)
        return _invalid(site.path, value, "feature_disabled", site.path)

    def _other_type(self, site: Site, random: Random) -> Fault:
        value = random.choice(["no type", "Numeric", ""])
        return _invalid(site.path, value, "read_only_field", site.path)

    def _could_be_taken(self, site: Site) -> bool:
        return site.name == "userDefinedId" and _place(site) < len(self._bystanders)

    def _taken(self, site: Site, _: Random) -> Fault:
        """Return a reference of another live material, a different one for each item."""
        holder = self._bystanders[_place(site)]
        value = self.inventory.writables[self.resource.name][holder]["userDefinedId"]
        return Fault(site.path, value, "conflict.duplicate", site.path)

    @property
    def _bystanders(self) -> list[Any]:
        """Return the ids of records that no other fault deletes, which would free their keys."""
        name = self.resource.name
        used = {*self.inventory.used.get(name, ())}
        return [id_ for id_ in self.inventory.bystanders(name) if id_ not in used]

    def _nobodys(self, site: Site, _: Random) -> Fault:
        id_ = _FARTHER + len(site.value)
        own = {"id": str(id_) if self.resource.string_ids else id_}
        return _item(site, own, "not_found", "id")

    def _foreign(self, site: Site, random: Random) -> Fault:
        assert self.inventory.foreign is not None
        ids = {*self.inventory.foreign.writables[self.resource.name]} - {*_ids(site)}
        forbidden = self.resource.foreign_is_forbidden
        own = {"id": random.choice(sorted(ids))}
        return _item(site, own, "forbidden.organization" if forbidden else "not_found", "id")

    def _used(self, site: Site) -> list[Any]:
        """Return the ids of records that a bulk replace fails to delete."""
        if not _is_root(site) or not isinstance(site.value, list):
            return []
        items = [item for item in site.value if isinstance(item, dict)]
        deletes = any(item.get("state") == "deleted" for item in items)
        if deletes and hasattr(self.resource, "parent_is_fixed"):
            # A deleted record could be the one that uses the next.
            return []
        return [
            record_id
            for record_id in self.inventory.used[self.resource.name]
            if record_id not in {*_ids(site)}
        ]

    def _in_use(self, site: Site, random: Random) -> Fault:
        id_ = random.choice(self._used(site))
        # It stays in use while it is the parent of other fields.
        users = [(index, "parentCustomFieldId") for index in range(len(site.value))]
        own = {"id": id_, "state": "deleted"}
        return _item(site, own, "conflict.in_use", "id", (len(site.value), "state"), *users)


def _named(*names: str, filled: bool = False) -> Callable[[Site], bool]:
    return lambda site: site.name in names and (not filled or bool(_listed(site)))


def _is_stored_type(site: Site) -> bool:
    """Return whether any text but the stored one is a change; a choice must be allowed first."""
    return site.name == "type" and "enum" not in site.schema


def _is_root(site: Site) -> bool:
    return not site.path


def _ids(site: Site) -> Iterator[Any]:
    """Yield the ids of a bulk replace's items that have one."""
    for item in site.value:
        if isinstance(item, dict) and isinstance(item.get("id"), int | str):
            yield item["id"]


def _place(site: Site) -> int:
    """Return the index of the item that the site is in; 0 if there is no list of items."""
    first = site.path[0]
    return first if isinstance(first, int) else 0


def _item(site: Site, own: dict[str, Any], kind: str, name: str, *needs: Path) -> Fault:
    """Return a fault that is one more item, whose member of that name is wrong."""
    end = len(site.value)
    value = _member(site, _FARTHER + end) | own
    return Fault((end,), value, kind, (end, name), needs, adds_item=True)
