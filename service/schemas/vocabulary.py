"""Vocabulary: groups of collections, and labels and hints of fields, by language.

A field has one entry for all schemas, and an own one, ``styles.number``, where it means more.
"""

from functools import cache
from typing import Any, Final

import orjson

from service.files import SCHEMAS

LANGUAGES: Final = {"en": "English", "de": "Deutsch", "fr": "Français"}
"""Languages of the pages, with their own names."""
FOLDER: Final = SCHEMAS / "common" / "words"
"""Folder with a file for each language, and the groups. They are no schemas."""


@cache
def words(language: str = "en") -> dict[str, Any]:
    """Return the words of a language, with its groups of collections by their titles."""
    file: dict[str, Any] = orjson.loads((FOLDER / f"{language}.json").read_bytes())
    groups = orjson.loads((FOLDER / "groups.json").read_bytes())
    return file | {"groups": {file["groups"][name]: groups[name] for name in groups}}


def labeled(file: str, name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a field of a file with ``x-label``, if its words are not those of all its name."""
    key = f"{file}.{name}"
    return schema | {"x-label": key} if key in words()["fields"] else schema


def hint(file: str, name: str) -> str:
    """Return the English hint of a field of a file; "" if it has none."""
    fields = words()["fields"]
    _, text = fields.get(f"{file}.{name}") or fields.get(name) or ("", "")
    return str(text)


def labels() -> dict[str, str]:
    """Return the English labels by field, or by file and field."""
    return {key: label for key, (label, _) in words()["fields"].items()}
