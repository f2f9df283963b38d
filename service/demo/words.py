"""Source words of the demo data, read from CSV and JSON files beside the code."""

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

_DATA: Final = Path(__file__).parent / "data"
_Word = TypeVar("_Word")


@dataclass(frozen=True, slots=True)
class Profile:
    """Properties of a demo organization, in which it differs from the other one."""

    name: str
    prefix: str
    """Prefix of the organization's own references, such as style numbers."""
    multiple_language: bool
    """Whether the organization has the feature of several languages."""
    pro: bool
    """Whether the organization has the feature ``pro``."""
    first: int
    """Index at which shared lists begin for this organization: see ``rotated``."""
    color_skip: int
    """Index, in each run of four base colors, of the one that the organization does not have."""
    default_size_range: str
    """Code of a size range."""
    supplier_name: str
    """Format of sub-suppliers' names, with columns of ``places.csv`` in braces."""
    supplier_from: int
    """Index of the first sub-supplier's town in ``places.csv``."""
    color_modifiers: list[list[str]]
    """Words put beside a color's name, each in English, German, French and Spanish.

    The English word comes before the name, the others after it; all are "" for the plain color.
    """
    brands: list[str]
    seasons: list[str]
    collections: list[str]
    palettes: list[str]
    models: list[str]
    garments: dict[str, str]
    """Garment's name in style names, by name of the style category."""


def profiles() -> list[Profile]:
    """Return the profiles of the organizations in the order of their ids."""
    text = (_DATA / "organizations.json").read_text(encoding="utf-8")
    return [Profile(**entry) for entry in json.loads(text)]


@cache
def table(name: str) -> list[dict[str, str]]:
    """Return the rows of ``data/<name>.csv``, each by column name, without the header line.

    The list is cached and shared: do not change it.
    """
    with (_DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rotated(words: list[_Word], first: int) -> list[_Word]:
    """Return the words rotated, so that the one at index ``first`` comes first."""
    return words[first:] + words[:first]


def capitalized(text: str) -> str:
    """Return the text with its first letter in upper case and the others unchanged."""
    return text[:1].upper() + text[1:]
