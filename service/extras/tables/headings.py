"""Headings of tables: names of fields, and their labels in all languages of the pages."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

from service import schemas
from service.extras.tables.fields import Field
from service.extras.tables.languages import LANGUAGES
from service.records.reference_targets import TARGETS
from service.schemas import vocabulary
from service.schemas.keyed_lists import BASE

Path = tuple[str | int, ...]
REASONS: Final = ("Why it was rejected", "Warum es abgelehnt wurde", "Pourquoi c'est refusé")
"""Headings of the column of rejected rows that says why, by the language of the page."""
_IN_WORDS: Final = ("{} in words", "{} in Worten", "{} en clair")
"""Headings of the columns of downloads that name the records of another column."""
LANGUAGE: Final = "@"
"""Sign before the id of a language in the path of its entry."""
_PLAIN: Final = re.compile(r"[\W_]+")
_PARTS: Final = re.compile("(?=[A-Z])")
_HUMP: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_ALIASES: Final = {"status": "state", "code": "", "key": ""}
"""Other words for a field; the empty one is the own key."""
_LANGUAGE_FIELDS: Final = ("languageId", "id")


PRICE: Final = "amount"
_LIST_ID: Final = "priceListId"


def _words_for(*names: str) -> list[str]:
    """Return the labels of fields in all languages of the pages."""
    files = map(vocabulary.words, vocabulary.LANGUAGES)
    return [words["fields"][name][0] for words in files for name in names]


_PRICE_HEADING: Final = re.compile(rf"(?:{'|'.join(_words_for(PRICE))})[\s:]+(\S.*)", re.I | re.S)


class Target(NamedTuple):
    """Field that a column can be of."""

    path: Path
    """Steps to the value, with the id of a language in place of an index: ``@8``."""
    field: Field
    each: str = ""
    """Member of the object that each value of a cell becomes: their own keys."""
    names: str = ""
    """Collection whose records are named: by cells, or of a price by the heading; else ""."""


class Headings:
    """Headings that mean fields of a collection, whatever language they are in.

    Without the name of a collection they are names of fields alone.
    """

    def __init__(self, collection: str, fields: Field) -> None:
        self.collection, self.fields = collection, fields

    def find(self, heading: str) -> Target | None:
        """Return the field that a heading means; None if it means none."""
        text = plain(heading)
        for names in self._by_language:
            if text in names:
                return names[text]
        return (self._short(text) or self._price(heading)) if self.collection else None

    def target_of(self, heading: str, path: Path, each: str) -> Target | None:
        """Return the field with a path that somebody chose for a heading, if headings mean it."""
        targets = (self.find(heading), *self._by_language[0].values())
        matches = (
            target for target in targets if target and (target.path, target.each) == (path, each)
        )
        return next(matches, None)

    def is_read(self, heading: str) -> bool:
        """Return whether a heading is of a column that downloads have and nobody reads."""
        return plain(heading) not in self._unread

    @cached_property
    def _by_language(self) -> list[dict[str, Target]]:
        languages = vocabulary.LANGUAGES if self.collection else ()
        return [Labels(self.collection, each).targets(self.fields) for each in languages]

    @cached_property
    def _unread(self) -> frozenset[str]:
        shown = self._shown | self.fields.set_by_service
        names = (*self.fields.members, *shown)
        labels = (
            Labels(self.collection, language).label(name)
            for language in vocabulary.LANGUAGES
            for name in shown
        )
        beside = (heading for name in names for heading in self._in_words(name))
        return frozenset(map(plain, (*REASONS, *beside, *labels, *shown)))

    def _in_words(self, name: str) -> Iterator[str]:
        """Yield the headings of a column with the names of the records that another one has."""
        yield f"{spelled(name)} {'names' if name.endswith('s') else 'name'}"
        for language in vocabulary.LANGUAGES:
            labels = Labels(self.collection, language)
            label = labels.label(name)
            yield f"{label}: {labels.label('name')}"
            yield from (text.format(label) for text in _IN_WORDS)

    @cached_property
    def by_name(self) -> dict[str, Target]:
        """References by the plain headings of their records' names, for tables without others."""
        return {
            plain(heading): target
            for name, field in self.fields.members.items()
            if (target := _reference_by_key(name, field))
            for heading in self._in_words(name)
        }

    @property
    def _shown(self) -> frozenset[str]:
        """Names of fields that documents have, and requests do not."""
        definitions = schemas.load()[self.collection]["$defs"] if self.collection else {}
        if "document" not in definitions:
            return frozenset()
        document = schemas.definition(self.collection, "document").properties
        return frozenset(document.keys() - self.fields.members.keys())

    def _price(self, heading: str) -> Target | None:
        """Return the base price in the list that stands after the word for a price."""
        match = _PRICE_HEADING.fullmatch(heading.strip())
        if not match or plain(heading) in _PRICE_LISTS:
            return None
        for name, field in self.fields.members.items():
            entry = field.items.members if field.items else {}
            if _LIST_ID in entry:
                amount = entry["prices"].items or Field()
                path = (name, match[1], "prices", BASE, PRICE)
                return Target(path, amount.members[PRICE], names=str(entry[_LIST_ID].refers_to))
        return None

    def _short(self, text: str) -> Target | None:
        """Return the only field that a heading means without the word for a record."""
        own = plain(re.sub("s$", "", re.sub("ies$", "y", self.collection)))
        short = text.removeprefix(own)
        if short in ("", "id"):
            return None
        if short in _ALIASES:
            name = _ALIASES[short] or next(iter(schemas.key_fields(self.collection)), "")
            field = self.fields.members.get(name)
            return Target((name,), field) if field else None
        names = self._by_language[0]
        matches = {
            target.path: target for name, target in names.items() if short == name.removeprefix(own)
        }
        return next(iter(matches.values())) if len(matches) == 1 else None


def named(field: Field) -> str:
    """Return the collection that a reference names by an own key or name; "" if by neither."""
    target = TARGETS.get(field.refers_to or "")
    is_simple = target and target.name in schemas.load() and not target.within
    has_names = (
        is_simple and "name" in schemas.definition(str(field.refers_to), "document").properties
    )
    return str(field.refers_to) if has_names else ""


def plain(text: str) -> str:
    """Return the letters and digits of a heading in lowercase."""
    return _PLAIN.sub("", text.lower())


_PRICE_LISTS: Final = frozenset(map(plain, _words_for(_LIST_ID, "priceLists")))
"""Headings of price lists, which are none of prices in a list."""


def _reference_by_key(name: str, field: Field) -> Target | None:
    """Return the reference that cells name by own keys or names; None for another field."""
    if collection := named(field):
        return Target((name, TARGETS[collection].key), TEXTS, names=collection)
    if field.items and (collection := named(field.items)):
        return Target((name,), TEXTS, TARGETS[collection].key, collection)
    return None


def spelled(name: str) -> str:
    """Return a name as words: ``userDefinedId`` is "User defined id", ``brandId`` "Brand"."""
    bare = re.sub("Ids$", "s", re.sub("Id$", "", name)) or name
    words = _HUMP.sub(" ", bare).lower()
    return words[:1].upper() + words[1:]


class Labels:
    """Labels of the fields of a collection in a language."""

    def __init__(self, collection: str, language: str) -> None:
        self._collection = collection
        words = vocabulary.words(language)
        self._fields: dict[str, Any] = words["fields"]
        self._parts: dict[str, str] = words["parts"]

    def label(self, name: str) -> str:
        """Return the label of a field."""
        entry = self._fields.get(f"{self._collection}.{name}") or self._fields.get(name)
        return str(entry[0]) if entry else _HUMP.sub(" ", name).capitalize()

    def targets(self, fields: Field) -> dict[str, Target]:
        """Return the targets by their plain names; of two with one name, the first."""
        targets = dict[str, Target]()
        for name, field in fields.members.items():
            for target, names in self.visit(name, field):
                for each in (*names, spelled_path(target)):
                    targets.setdefault(plain(each), target)
        return targets

    def visit(self, name: str, field: Field) -> Iterator[tuple[Target, list[str]]]:
        """Yield the targets of a member, each with its names, of which the first is its label."""
        part = _PARTS.sub("-", name).lower()
        yield from self._visit(name, field, (name,), self._parts.get(part) or self.label(name))

    def _visit(
        self, name: str, field: Field, path: Path, title: str
    ) -> Iterator[tuple[Target, list[str]]]:
        own = [name] if len(path) == 1 else []
        items = field.items
        if field.members:
            for member, inner in field.members.items():
                yield from self._visit(
                    member, inner, (*path, member), f"{title}: {self.label(member)}"
                )
        elif items and "languageId" in items.members:
            yield from self._languages(name, items, path, title)
        elif items and items.members:
            for member, inner in items.members.items():
                label = f"{title} 1: {self.label(member)}"
                yield from self._visit(member, inner, (*path, 0, member), label)
        elif field.refers_to in TARGETS:
            yield from self._reference(name, field, path, title)
        elif items and items.refers_to in TARGETS:
            yield from self._references(name, field, path, title)
        else:
            yield Target(path, field), [title, *own]

    def _reference(
        self, name: str, field: Field, path: Path, title: str
    ) -> Iterator[tuple[Target, list[str]]]:
        target = TARGETS[str(field.refers_to)]
        label = self.label(target.key)
        names = [f"{title}: {label}"]
        if not target.within and not target.key_of:
            names += [title, spelled(name), f"{name} {target.key}"]
        yield Target((*path, target.key), TEXTS, names=named(field)), names
        yield Target(path, field), [f"{title}: id", *([name] if len(path) == 1 else [])]

    def _references(
        self, name: str, field: Field, path: Path, title: str
    ) -> Iterator[tuple[Target, list[str]]]:
        target = TARGETS[str(field.items and field.items.refers_to)]
        if not target.within and not target.key_of:
            names = [f"{title}: {self.label(target.key)}", title, spelled(name)]
            items = field.items or Field()
            yield Target(path, TEXTS, target.key, named(items)), [*names, f"{name} {target.key}"]
        yield Target(path, field), [f"{title}: ids", *([name] if len(path) == 1 else [])]

    def _languages(
        self, name: str, items: Field, path: Path, title: str
    ) -> Iterator[tuple[Target, list[str]]]:
        texts = {
            each: items.members[each] for each in items.members if each not in _LANGUAGE_FIELDS
        }
        for language in LANGUAGES:
            for member, field in texts.items():
                lists = [name, title, self.label(member), spelled(member), "translations"]
                words = [language.name, language.code]
                names = [each for word in words for each in _of_language(word, lists, member)]
                ending = f": {self.label(member)}" if len(texts) > 1 else ""
                target = Target((*path, f"{LANGUAGE}{language.id}", member), field)
                yield target, [f"{title}: {language.name}{ending}", *names]


TEXTS: Final = Field(frozenset({"string"}))
"""Field of an own key."""


def _of_language(language: str, lists: list[str], member: str) -> Iterator[str]:
    """Yield names of a language's column: "German", "Translation German", "German color name"."""
    yield language
    for name in (*lists, *(each.removesuffix("s") for each in lists)):
        yield from (f"{name} {language}", f"{language} {name}")
        yield from (f"{name} {language} {member}", f"{name} {member} {language}")


def spelled_path(target: Target) -> str:
    """Return the English heading of a column: "Lines 1 Item id"."""
    steps = [step + 1 if isinstance(step, int) else step for step in target.path]
    return " ".join(map(str, [*steps, target.each]))
