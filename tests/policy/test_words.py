"""Policy for words of people: fields, collections and texts of pages have them in all languages."""

import re
from collections.abc import Iterator
from typing import Any, Final

import orjson
import pytest

from service import schemas
from service.error_types import ErrorType
from service.extras.pages.page import module_names, read_file
from service.openapi import operations
from service.schemas.vocabulary import LANGUAGES, words

_PROTOCOL: Final = {"common/envelope", "common/json-patch", "common/scalars"}
"""Schema files without fields of records."""
_MACHINE: Final = {"audit", "changes", "export", "me", "migration-verification", "transaction"}
"""Schema files of what programs exchange, and no list on a page shows."""
_COMPUTED: Final = {"sku-generation", "barcode-allocations", "style-sample-requests"}
_STRING: Final = r'"((?:[^"\\]|\\.)*)"'
_JOINED: Final = re.compile(r'"\s*\+\s*"')
"""Ends of the parts of a text that is written on several lines."""
_CALLS: Final = (
    re.compile(rf"(?<![\w.#])t\(\s*{_STRING}"),
    re.compile(rf"(?<![\w.#])t\([^\"]*?\? {_STRING} : {_STRING}"),
    re.compile(rf"(?<![\w.#])counted\([^\"]*?{_STRING},\s*{_STRING}"),
)
_MARKED: Final = re.compile(r'(?:data-t>|aria-label=")([^<"]+)[<"]')
_LABEL, _HINT = 34, 90


def _fields(node: Any, home: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each field below a schema, by file and name."""
    if isinstance(node, dict):
        properties = node.get("properties")
        if isinstance(properties, dict) and not isinstance(properties.get("type"), str):
            for name, field in properties.items():
                if isinstance(field, dict):
                    yield f"{home}.{name}", field
        for keyword, part in node.items():
            if keyword not in ("examples", "x-operations"):
                yield from _fields(part, home)
    elif isinstance(node, list):
        for part in node:
            yield from _fields(part, home)


FIELDS: Final = [
    field
    for file, schema in schemas.load().items()
    if file not in _PROTOCOL
    for field in _fields(schema["$defs"], file)
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_has_a_label_and_a_hint(language: str) -> None:
    entries = words(language)["fields"]
    missing = {key for key, _ in FIELDS if not {key, key.partition(".")[2]} & entries.keys()}
    assert missing == set()
    names = {key.partition(".")[2] for key, _ in FIELDS}
    assert entries.keys() <= names | {key for key, _ in FIELDS}, "an entry is of no field"
    for name, (label, hint) in entries.items():
        assert 0 < len(label) <= _LABEL, name
        assert 0 < len(hint) <= _HINT, name
        assert label == label.strip(), name
        assert hint.endswith("."), name


def test_all_languages_have_the_same_entries() -> None:
    english = words()
    for language in LANGUAGES:
        other = words(language)
        assert [*other] == [*english]
        for part in ("parts", "collections", "fields", "values"):
            assert [*other[part]] == [*english[part]], (language, part)
        assert [*other["groups"].values()] == [*english["groups"].values()]


def test_fields_of_one_name_mean_the_same_unless_they_say_more() -> None:
    for language in LANGUAGES:
        entries = words(language)["fields"]
        own = {key: entries.get(key.partition(".")[2]) for key in entries if "." in key}
        assert [key for key, common in own.items() if entries[key] == common] == []


def test_every_collection_is_in_one_group() -> None:
    grouped = [name for names in words()["groups"].values() for name in names]
    assert len(grouped) == len({*grouped})
    described = {operation.resource.name.removesuffix("-by-owner") for operation in operations()}
    assert {*grouped} == described
    assert words()["collections"].keys() == described - _MACHINE - _COMPUTED
    assert [*words()["groups"]][-1] == "Settings"


def test_every_value_of_an_enumeration_has_a_word() -> None:
    values = {
        value
        for key, field in _enumerations()
        if key.partition(".")[0] not in _MACHINE | {"webhooks", "keys"}
        for value in field
        if isinstance(value, str)
    }
    entries = words()["values"]
    assert values - entries.keys() == set()
    outcomes = {"absent", "created", "failed", "unchanged", "updated", "paused"}
    assert entries.keys() - values - outcomes == set()


def _enumerations() -> Iterator[tuple[str, list[Any]]]:
    for file, schema in schemas.load().items():
        if file in _PROTOCOL - {"common/scalars"}:
            continue
        pending: list[Any] = [schema["$defs"]]
        while pending:
            node = pending.pop()
            if isinstance(node, dict):
                if isinstance(node.get("enum"), list):
                    yield f"{file}.", node["enum"]
                pending += [part for name, part in node.items() if name != "examples"]
            elif isinstance(node, list):
                pending += node


def _texts() -> set[str]:
    """Return the texts of the pages: those that scripts name, and those that are marked."""
    scripts = [*(f"data/{name}" for name in module_names("data")), "front.js", "docs/start.js"]
    named = [
        orjson.loads(f'"{text}"')
        for script in scripts
        for call in _CALLS
        for match in call.findall(_JOINED.sub("", read_file(script)))
        for text in ([match] if isinstance(match, str) else match)
    ]
    pages = "".join(read_file(f"{name}.html") for name in ("data", "front", "docs"))
    marked = [re.sub(r"\s+", " ", text) for text in _MARKED.findall(pages)]
    return {*named, *marked, "Data", "Guides", "Try it"}


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_every_text_of_a_page_is_translated(language: str) -> None:
    file = orjson.loads(read_file(f"words/{language}.json"))
    assert file["texts"].keys() == _texts()
    for text, translation in file["texts"].items():
        places = [sorted(set(re.findall(r"\{\d\}", each))) for each in (text, translation)]
        assert places[0] == places[1], text
        assert text[0].isspace() == translation[0].isspace(), text
        assert text[-1].isspace() == translation[-1].isspace(), text
    assert file["errors"].keys() == {*ErrorType}
    assert orjson.loads(read_file("words/en.json")) == {"texts": {}, "errors": {}}
