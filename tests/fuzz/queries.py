"""Query strings of lists: valid, or with one or two faults."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from service.listing.operators import names_of
from service.listing.properties import Properties, Property
from service.records.resource import Resource
from service.routes import Route
from tests.fuzz.cases import Case, Request

Pairs: TypeAlias = list[tuple[str, str]]

_WRONG: Final[Mapping[str, Sequence[str]]] = {
    "integer": ("", "abc", "1.0", "1e3", "+1", "01", " 1", f"{2**63}", "\u0661", "0x1", "null"),
    "number": ("", "abc", "1,5", "NaN", "Infinity", "1e999", ".5", "1.", "+1"),
    "boolean": ("", "True", "1", "yes", "null", "TRUE"),
    "date": ("", "2026", "2026-02-30", "2026-1-1", "20260101", "2026-01-01T00:00:00Z", "now"),
    "date-time": (
        "", "2026", "2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "now",
        "2026-01-01 00:00:00Z", "2026-02-30T00:00:00Z", "0001-01-01T00:00:00+23:59",
    ),
}  # fmt: skip
_RIGHT: Final[Mapping[str, Sequence[str]]] = {
    "integer": ("1", "0", "-5", f"{2**63 - 1}", f"{-(2**63)}"),
    "number": ("1", "0.5", "-1e3", "41.1844"),
    "boolean": ("true", "false"),
    "date": ("2026-01-01", "0001-01-01", "9999-12-31"),
    "date-time": ("2026-01-01T00:00:00Z", "2025-06-30T23:59:59.999999+05:30"),
    "string": ("x", "", "Navy", "é%_\\", "'; --", "漢𝄞", "a,b"),
}
_ORDERS: Final = ("asc", "desc", "ascending", "DESCENDING")


@dataclass(frozen=True, slots=True)
class Wrong:
    """Parameters that belong together, one of which is wrong, and the error that names it."""

    kind: str
    pairs: Pairs
    type: str
    field: str


def right_value(prop: Property, random: Random) -> str:
    """Return a value of the field, as a parameter has it."""
    if prop.stored_as_integer:
        return "7"
    return random.choice(sorted(prop.choices) if prop.choices else _RIGHT[prop.kind])


def wrong_value(prop: Property, random: Random) -> str | None:
    """Return a text that is no value of the field; None if every text is one."""
    if prop.choices:
        return random.choice(["", "unheard of", min(prop.choices).upper()])
    return random.choice(_WRONG[prop.kind]) if prop.kind in _WRONG else None


class _Maker:
    """Maker of groups of parameters for one list, each group once."""

    def __init__(self, properties: Properties, random: Random) -> None:
        self.properties = properties
        self.random = random
        self.names = [*properties]
        random.shuffle(self.names)
        self.numbers = random.sample(range(30), 12)

    def prop(self, fits: Callable[[Property], bool] = lambda _: True) -> Property | None:
        """Return a property that no other group has."""
        for name in self.names:
            if fits(self.properties[name]):
                self.names.remove(name)
                return self.properties[name]
        return None

    def right(self) -> Iterator[Pairs]:
        """Yield valid groups, from none to many."""
        random = self.random
        for _ in range(random.randrange(3)):
            if prop := self.prop():
                name = random.choice([prop.name, prop.name.upper()])
                values = [right_value(prop, random) for _ in range(random.choice([1, 1, 2]))]
                yield [(name, value) for value in values]
        for _ in range(random.randrange(3)):
            if prop := self.prop():
                yield self.filter(prop)
        for _ in range(random.randrange(3)):
            if prop := self.prop(lambda prop: prop.sortable):
                yield self.sort(prop)
        if random.random() < 0.5:
            yield [("pageSize", random.choice(["1", "30", "100", "007"]))]
        if random.random() < 0.3:
            yield [("pageNumber", random.choice(["1", "2", "100"]))]

    def filter(self, prop: Property, **other: str) -> Pairs:
        """Return a filter group."""
        operator = self.random.choice(names_of(prop))
        value = right_value(prop, self.random)
        if operator == "isNull":
            value = self.random.choice(["true", "false"])
        elif operator == "in":
            value = f"{value},{right_value(prop, self.random)}"
        members = {"property": prop.name, "operator": operator, "value": value} | other
        number = self.numbers.pop()
        return [(f"filter[{number}].{member}", text) for member, text in members.items()]

    def sort(self, prop: Property, **other: str) -> Pairs:
        """Return a sort group."""
        spelled = self.random.choice(["order", "direction"])
        members = {"property": prop.name, spelled: self.random.choice(_ORDERS)} | other
        number = self.numbers.pop()
        return [(f"sort[{number}].{member}", text) for member, text in members.items()]

    def wrong(self) -> Wrong | None:
        """Return a group with one fault; None if the collection has no property for it."""
        return self.random.choice(
            [
                self._plain,
                self._page,
                self._stray,
                self._filter,
                self._filter,
                self._sort,
                self._sort,
            ]
        )()

    def _plain(self) -> Wrong | None:
        prop = self.prop(lambda prop: wrong_value(prop, self.random) is not None)
        if prop is None:
            return None
        pairs = [(prop.name, str(wrong_value(prop, self.random)))]
        if self.random.random() < 0.3:
            pairs.insert(0, (prop.name, right_value(prop, self.random)))
        return Wrong("value of a wrong form", pairs, "invalid_value", prop.name)

    def _page(self) -> Wrong:
        random = self.random
        name = random.choice(["pageSize", "pageNumber"])
        high = "101" if name == "pageSize" else f"{2**31}"
        text = random.choice(["0", "-1", high, "9" * 40])
        if random.random() < 0.4:
            return Wrong("page out of range", [(name, text)], "out_of_range", name)
        if random.random() < 0.5:
            return Wrong("one-valued twice", [(name, "2"), (name, "2")], "duplicate", name)
        text = random.choice(["", "abc", "1.0", " 1", "1e1", "\u0661", "null"])
        return Wrong("value of a wrong form", [(name, text)], "invalid_value", name)

    def _stray(self) -> Wrong:
        random = self.random
        name = random.choice(
            ["colour", "page", "page_size", "limit", "", "filter[]", "filter[40]", "ids", "form",
             "sort[x].property", "sort.property", "filter[-1].value", "filter[41].value.x"]
        )  # fmt: skip
        if random.random() < 0.4:
            name = random.choice(["filter", "sort"])
            return Wrong("bare filter or sort", [(name, "name")], "invalid_value", name)
        if random.random() < 0.3:
            pairs = [("name", random.choice(["\0", "a\0b"]))]
            self.names = [other for other in self.names if other != "name"]
            return Wrong("U+0000 in a text", pairs, "invalid_value", "name")
        return Wrong("unknown parameter", [(name, "1")], "unknown_parameter", name)

    def _filter(self) -> Wrong | None:
        random = self.random
        prop = self.prop(lambda prop: wrong_value(prop, random) is not None)
        if prop is None:
            return None
        head = f"filter[{self.numbers[-1]}]"
        bad = str(wrong_value(prop, random))
        whole = self.filter(prop, operator="eq", value=right_value(prop, random))
        kind, field, pairs = random.choice(
            [
                ("required_field", "property", whole[1:]),
                ("required_field", "value", whole[:-1]),
                ("invalid_value", "property", [(f"{head}.property", "colour"), *whole[1:]]),
                ("invalid_value", "operator", [whole[0], (f"{head}.operator", "like"), whole[2]]),
                ("invalid_value", "value", [*whole[:2], (f"{head}.value", bad)]),
                ("duplicate", "value", [*whole, whole[-1]]),
                ("unknown_parameter", "order", [*whole, (f"{head}.order", "asc")]),
                (
                    "invalid_value",
                    "operator" if prop.within else "value",
                    [whole[0], (f"{head}.operator", "isNull"), (f"{head}.value", "maybe")],
                ),
            ]
        )
        return Wrong("filter", pairs, kind, f"{head}.{field}")

    def _sort(self) -> Wrong | None:
        random = self.random
        prop = self.prop(lambda prop: prop.sortable)
        if prop is None:
            return None
        head = f"sort[{self.numbers[-1]}]"
        whole = self.sort(prop)
        choices = [
            ("required_field", "property", whole[1:]),
            ("invalid_value", "property", [(f"{head}.property", "colour"), *whole[1:]]),
            ("invalid_value", "order", [whole[0], (f"{head}.order", random.choice(["", "up"]))]),
            ("invalid_value", "direction", [whole[0], (f"{head}.direction", "down")]),
            (
                "exclusive_parameters",
                "direction",
                [whole[0], (f"{head}.order", "asc"), (f"{head}.direction", "asc")],
            ),
            ("duplicate", "property", [*whole, whole[0]]),
            ("unknown_parameter", "value", [*whole, (f"{head}.value", "x")]),
        ]
        if counted := self.prop(lambda prop: not prop.sortable):
            choices.append(("invalid_value", "property", [(f"{head}.property", counted.name)]))
        kind, field, pairs = random.choice(choices)
        return Wrong("sort", pairs, kind, f"{head}.{field}")


def _heads(pairs: Pairs) -> set[str]:
    """Return the prefixes of the parameters: those of one filter or sort have one prefix."""
    return {name.partition(".")[0].lower() for name, _ in pairs}


def listed(route: Route, path: str, resource: Resource, random: Random, organization: int) -> Case:
    """Return a list's case: valid, with one fault, or with two in the order of the request."""
    maker = _Maker(resource.properties, random)
    faults = [maker.wrong() for _ in range(random.choice([0, 1, 1, 1, 1, 2]))]
    wrong = [fault for fault in faults if fault]
    if len(wrong) > 1 and _heads(wrong[0].pairs) & _heads(wrong[1].pairs):
        wrong = wrong[:1]
    taken = {head for fault in wrong for head in _heads(fault.pairs)}
    groups: list[Wrong | Pairs] = [pairs for pairs in maker.right() if not _heads(pairs) & taken]
    groups += wrong
    random.shuffle(groups)
    pairs = [
        pair for group in groups for pair in (group.pairs if isinstance(group, Wrong) else group)
    ]
    faulty = [group for group in groups if isinstance(group, Wrong)]
    rows = tuple((f"validation_error.{fault.type}", fault.field) for fault in faulty)
    kinds = tuple(f"query: {fault.kind}" for fault in faulty) or ("query: none",)
    request = Request("GET", path, params=pairs)
    return Case(route, organization, request, kinds, rows)
