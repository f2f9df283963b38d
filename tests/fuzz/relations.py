"""Faults that lie between fields and records: values twice, and what only the database knows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from service.queries.master_record import MasterRecord
from tests.fuzz.plants import FAR, Kind, Plant, Planter
from tests.fuzz.sites import Path, Site, filler
from tests.support.generate import REFERRED

_BYSTANDERS: Final = 5
_SETS: Final = ("colorGroupIds", "languageIds")
_ASSOCIATIONS: Final = ("associatedBrands", "associatedGroups", "associatedStyleCategories")
_CHILDREN: Final = ("allowedValues", "contacts")


@dataclass
class Known:
    """What is stored for one organization, and what of it another one cannot use."""

    references: dict[str, list[int]]
    multiple_language: bool
    writables: dict[str, dict[Any, dict[str, Any]]] = field(default_factory=dict)
    """By collection, the writable forms of live records by id."""
    used: dict[str, list[Any]] = field(default_factory=dict)
    """By collection, the ids of records that others need."""
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

    def bystanders(self, collection: str) -> list[Any]:
        """The ids of a few records that no request is for."""
        return [*self.writables[collection]][-_BYSTANDERS:]

    @staticmethod
    def _ids(known: "Known | None", collection: str) -> Iterable[Any]:
        if known is None:
            return ()
        return known.references.get(collection) or known.writables.get(collection, {})


def _invalid(at: Path, value: Any, kind: str, row: Path, *needs: Path) -> Plant:
    return Plant(at, value, f"validation_error.{kind}", row, needs)


def _listed(site: Site) -> list[Any]:
    return site.value if isinstance(site.value, list) else []


def _next(site: Site, members: int = 1) -> int:
    return len(_listed(site)) + members - 1


def _member(site: Site, number: int, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = filler(site.located.items, number) | more
    return made


def _key(site: Site) -> str | None:
    """What tells the members of a list in a request written_separately."""
    if site.name == "languages":
        return "languageId"
    return "id" if site.name in _CHILDREN else None


def _same_key(site: Site, random: Random) -> Plant:
    key = str(_key(site))
    own = [member[key] for member in _listed(site) if member.get(key)]
    id_ = random.choice(own or [random.randint(1, 99)])
    more = [_member(site, n, **{key: id_}) for n in range(1 if own else 2)]
    row = (*site.path, _next(site, len(more)), key)
    return _invalid(site.path, [*_listed(site), *more], "duplicate", row, _state(site))


def _state(site: Site) -> Path:
    """The state that an item needs for its lists to be read."""
    return (*site.path[:-1], "state")


def _second_default(site: Site, _: Random) -> Plant:
    has = any(member.get("isDefaultValue") for member in _listed(site))
    more = [_member(site, n, isDefaultValue=True) for n in range(1 if has else 2)]
    row = (*site.path, _next(site, len(more)), "isDefaultValue")
    return _invalid(site.path, [*_listed(site), *more], "duplicate", row, _state(site))


def _takes_default(site: Site) -> bool:
    return site.name == "allowedValues"


def between_fields(resource: MasterRecord) -> Iterator[Kind]:
    """What a request alone shows to be there twice."""
    yield Kind("one key twice", lambda site: _key(site) is not None, _same_key)
    yield Kind("two defaults", _takes_default, _second_default)
    for name in ("id", *resource.unique):
        yield _item_twice(name)


def _item_twice(name: str) -> Kind:
    """Two items of a bulk replace, or create, with one value."""

    def holders(site: Site) -> list[int]:
        if site.path or not isinstance(site.value, list):
            return []
        return [place for place, item in enumerate(site.value) if item.get(name)]

    def plant(site: Site, random: Random) -> Plant:
        place, end = random.choice(holders(site)), len(site.value)
        same = _member(site, FAR) | {name: site.value[place][name]}
        return _invalid((end,), same, "duplicate", (end, name), (place, name), (place, "state"))

    return Kind(f"{name} twice", lambda site: bool(holders(site)), plant)


@dataclass(frozen=True, slots=True)
class Beyond:
    """What only the database shows, in a body that is right by itself.

    ``stored`` says that the body is for records that are there.
    """

    resource: MasterRecord
    known: Known
    stored: bool

    def kinds(self) -> Iterator[Kind]:
        """What can be wrong with fields."""
        sets = _SETS if self.known.multiple_language else _SETS[:1]
        yield Kind("unknown reference", _named(*sets), self._unknown_in_set)
        unknown = self._unknown_member
        yield Kind("unknown reference", _named("languages"), unknown("languageId"))
        yield Kind("unknown reference", _named(*_ASSOCIATIONS), unknown("id"))
        yield Kind("unknown customId", _named(*_ASSOCIATIONS), self._unknown_custom_id)
        yield Kind("reference twice", _named_and_there(*_ASSOCIATIONS), self._same_association)
        yield Kind("another's child", _named(*_CHILDREN), self._others_child)
        yield Kind("unknown parent", _named("parentCustomFieldId"), self._unknown_parent)
        if self.resource.name == "style-custom-fields":
            values = unknown("parentAllowedValueId")
            yield Kind("unknown value of the parent", _named("allowedValues"), values)
        if not self.known.multiple_language:
            yield Kind("feature off", _named("languageIds"), self._without_feature)
        if self.stored:
            yield Kind("other type", _named("type"), self._other_type)
        if self.resource.name == "care-instruction-materials":
            yield Kind("reference that another holds", _named("userDefinedId"), self._taken)

    def of_items(self) -> Iterator[Kind]:
        """What can be wrong with whole items of a bulk replace."""
        used = self.known.used[self.resource.name]
        yield Kind("unknown record", _is_root, self._nobodys)
        yield Kind("another organization's record", _is_root, self._foreign)
        yield Kind(
            "record in use",
            lambda site: _is_root(site) and bool(used) and not {*used} & {*_ids(site)},
            self._in_use,
        )

    def _unknown_in_set(self, site: Site, random: Random) -> Plant:
        id_ = self.known.unknown(REFERRED[str(site.name)], random)
        row = (*site.path, _next(site))
        return _invalid(site.path, [*_listed(site), id_], "unknown_reference", row)

    def _unknown_member(self, key: str) -> Planter:
        def plant(site: Site, random: Random) -> Plant:
            id_ = self.known.unknown(REFERRED.get(str(site.name), REFERRED.get(key, "")), random)
            return self._with_member(site, key, _member(site, 1) | {key: id_})

        return plant

    def _unknown_custom_id(self, site: Site, random: Random) -> Plant:
        text = random.choice(["no such reference", "", "%"])
        return self._with_member(site, "customId", {"customId": text})

    def _others_child(self, site: Site, random: Random) -> Plant:
        id_ = self.known.others_child(self.resource.name, str(site.name), random)
        return self._with_member(site, "id", _member(site, 1) | {"id": id_})

    @staticmethod
    def _with_member(site: Site, key: str, member: dict[str, Any]) -> Plant:
        row = (*site.path, _next(site), key)
        return _invalid(site.path, [*_listed(site), member], "unknown_reference", row)

    def _same_association(self, site: Site, random: Random) -> Plant:
        id_ = random.choice(site.value)["id"]
        row = (*site.path, _next(site), "id")
        return _invalid(site.path, [*site.value, {"id": id_}], "duplicate", row)

    def _unknown_parent(self, site: Site, random: Random) -> Plant:
        fixed = self.stored and getattr(self.resource, "parent_is_fixed", False)
        kind = "read_only_field" if fixed else "unknown_reference"
        id_ = self.known.unknown(self.resource.name, random)
        return _invalid(site.path, id_, kind, site.path)

    def _without_feature(self, site: Site, random: Random) -> Plant:
        value = random.sample(self.known.references["languages"], 2)
        return _invalid(site.path, value, "feature_disabled", site.path)

    def _other_type(self, site: Site, random: Random) -> Plant:
        value = random.choice(["no type", "Numeric", ""])
        return _invalid(site.path, value, "read_only_field", site.path)

    def _taken(self, site: Site, random: Random) -> Plant:
        """A material's reference that another live material holds."""
        holder = random.choice(self.known.bystanders(self.resource.name))
        value = self.known.writables[self.resource.name][holder]["userDefinedId"]
        return Plant(site.path, value, "conflict.duplicate", site.path)

    def _nobodys(self, site: Site, random: Random) -> Plant:
        id_ = FAR + random.randrange(1000)
        return _item(site, str(id_) if self.resource.string_ids else id_, "not_found")

    def _foreign(self, site: Site, random: Random) -> Plant:
        assert self.known.foreign is not None
        id_ = random.choice([*self.known.foreign.writables[self.resource.name]])
        forbidden = self.resource.foreign_is_forbidden
        return _item(site, id_, "forbidden.organization" if forbidden else "not_found")

    def _in_use(self, site: Site, random: Random) -> Plant:
        id_ = random.choice(self.known.used[self.resource.name])
        # It stays in use while the fields whose parent it is keep it.
        users = [(place, "parentCustomFieldId") for place in range(len(site.value))]
        return _item(site, id_, "conflict.in_use", *users, state="deleted")


def _named(*names: str) -> Callable[[Site], bool]:
    return lambda site: site.name in names


def _named_and_there(*names: str) -> Callable[[Site], bool]:
    return lambda site: site.name in names and bool(_listed(site))


def _is_root(site: Site) -> bool:
    return not site.path


def _ids(site: Site) -> Iterator[Any]:
    return (item["id"] for item in site.value)


def _item(site: Site, id_: Any, kind: str, *needs: Path, **more: Any) -> Plant:
    """One more item of a bulk replace, that its id makes wrong."""
    end = len(site.value)
    return Plant((end,), _member(site, 1) | {"id": id_, **more}, kind, (end, "id"), needs)
