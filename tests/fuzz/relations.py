"""Faults that lie between fields and records: values twice, and what only the database knows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from service.queries.records import MasterRecord
from tests.fuzz.plants import FAR, Kind, Plant, Planter
from tests.fuzz.sites import Path, Site, filler

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
        others = self.foreign.references.get(collection, ()) if self.foreign else ()
        own = self.references.get(collection, ())
        foreign = [id_ for id_ in others if id_ not in own]
        return random.choice([FAR + random.randrange(1000), 2**63 - 1, *foreign[:2]])


def _invalid(at: Path, value: Any, kind: str, row: Path, *needs: Path) -> Plant:
    return Plant(at, value, f"validation_error.{kind}", row, needs)


def _listed(site: Site) -> list[Any]:
    return site.value if isinstance(site.value, list) else []


def _next(site: Site, members: int = 1) -> int:
    return len(_listed(site)) + members - 1


def _member(site: Site, number: int, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = filler(site.located.items(), number) | more
    return made


def _key(site: Site) -> str | None:
    """What tells the members of a list in a request apart."""
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


def beyond_request(resource: MasterRecord, known: Known, *, stored: bool) -> Iterator[Kind]:
    """What only the database shows, in a body that is right by itself.

    ``stored`` says that the body is for records that are there.
    """

    def far(collection: str, random: Random) -> int:
        return known.unknown(collection, random)

    def unknown_in_set(site: Site, random: Random) -> Plant:
        collection = "color-groups" if site.name == "colorGroupIds" else "languages"
        row = (*site.path, _next(site))
        value = [*_listed(site), far(collection, random)]
        return _invalid(site.path, value, "unknown_reference", row)

    def unknown_member(key: str) -> Planter:
        def plant(site: Site, random: Random) -> Plant:
            id_: Any = far("languages" if key == "languageId" else "", random)
            if key == "customId":
                id_ = random.choice(["no such reference", "", "%"])
            member = _member(site, 1) | {key: id_}
            if key == "customId":
                del member["id"]
            row = (*site.path, _next(site), key)
            return _invalid(site.path, [*_listed(site), member], "unknown_reference", row)

        return plant

    def same_association(site: Site, random: Random) -> Plant:
        id_ = random.choice(site.value)["id"]
        row = (*site.path, _next(site), "id")
        return _invalid(site.path, [*site.value, {"id": id_}], "duplicate", row)

    def unknown_parent(site: Site, random: Random) -> Plant:
        fixed = stored and getattr(resource, "parent_is_fixed", False)
        kind = "read_only_field" if fixed else "unknown_reference"
        return _invalid(site.path, far(resource.name, random), kind, site.path)

    def of_lists(*names: str) -> Callable[[Site], bool]:
        return lambda site: site.name in names

    sets = _SETS if known.multiple_language else _SETS[:1]
    yield Kind("unknown reference", of_lists(*sets), unknown_in_set)
    yield Kind("unknown reference", of_lists("languages"), unknown_member("languageId"))
    yield Kind("unknown reference", of_lists(*_ASSOCIATIONS), unknown_member("id"))
    yield Kind("unknown reference", of_lists(*_ASSOCIATIONS), unknown_member("customId"))
    yield Kind("another's child", of_lists(*_CHILDREN), unknown_member("id"))
    yield Kind(
        "reference twice", lambda s: s.name in _ASSOCIATIONS and bool(_listed(s)), same_association
    )
    yield Kind("unknown parent", lambda site: site.name == "parentCustomFieldId", unknown_parent)
    if resource.name == "style-custom-fields":
        yield Kind(
            "unknown parent", of_lists("allowedValues"), unknown_member("parentAllowedValueId")
        )
    if not known.multiple_language:
        yield Kind("feature off", of_lists("languageIds"), _without_feature(known))
    if stored:
        yield Kind("other type", lambda site: site.name == "type", _other_type)
    if resource.name == "care-instruction-materials":
        yield _taken(known.writables[resource.name])


def _without_feature(known: Known) -> Planter:
    def plant(site: Site, random: Random) -> Plant:
        value = random.sample(known.references["languages"], 2)
        return _invalid(site.path, value, "feature_disabled", site.path)

    return plant


def _other_type(site: Site, random: Random) -> Plant:
    return _invalid(
        site.path, random.choice(["no type", "Numeric", ""]), "read_only_field", site.path
    )


def _taken(writables: Mapping[Any, Mapping[str, Any]]) -> Kind:
    """A material's reference that another live material holds, which no batch here touches."""
    holders = list(writables.values())[-5:]

    def plant(site: Site, random: Random) -> Plant:
        value = random.choice(holders)["userDefinedId"]
        return Plant(site.path, value, "conflict.duplicate", site.path)

    return Kind("reference that another holds", lambda site: site.name == "userDefinedId", plant)


def of_items(resource: MasterRecord, known: Known) -> Iterator[Kind]:
    """What only the database shows of whole items of a bulk replace."""
    used: Sequence[Any] = known.used.get(resource.name, ())

    def is_root(site: Site) -> bool:
        return not site.path

    def nobodys(site: Site, random: Random) -> Plant:
        end, id_ = len(site.value), FAR + random.randrange(1000)
        item = _member(site, 1) | {"id": str(id_) if resource.string_ids else id_}
        return Plant((end,), item, "not_found", (end, "id"))

    def foreign(site: Site, random: Random) -> Plant:
        assert known.foreign is not None
        end, id_ = len(site.value), random.choice(list(known.foreign.writables[resource.name]))
        kind = "forbidden.organization" if resource.foreign_is_forbidden else "not_found"
        return Plant((end,), _member(site, 1) | {"id": id_}, kind, (end, "id"))

    def in_use(site: Site, random: Random) -> Plant:
        end, id_ = len(site.value), random.choice(used)
        item = _member(site, 1) | {"id": id_, "state": "deleted"}
        users = [(place, "parentCustomFieldId") for place in range(end)]
        return Plant((end,), item, "conflict.in_use", (end, "id"), tuple(users))

    def unused(site: Site) -> bool:
        return is_root(site) and not {item["id"] for item in site.value} & {*used} and bool(used)

    yield Kind("unknown record", is_root, nobodys)
    yield Kind("another organization's record", is_root, foreign)
    yield Kind("record in use", unused, in_use)
