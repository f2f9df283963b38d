"""The words of the demo data, kept beside the code as CSV and JSON."""

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
    """What makes one demo organization unlike the other."""

    name: str
    prefix: str
    """Leads the organization's own references, such as style numbers."""
    multiple_language: bool
    pro: bool
    first: int
    """Where shared lists begin for this organization."""
    color_skip: int
    """Of four base colors in a row, the one its palette lacks."""
    default_size_range: str
    supplier_name: str
    supplier_from: int
    color_modifiers: list[list[str]]
    """In English, German, French and Spanish."""
    brands: list[str]
    seasons: list[str]
    collections: list[str]
    palettes: list[str]
    models: list[str]
    garments: dict[str, str]
    """Style category to the garment's name in a style name."""


def profiles() -> list[Profile]:
    """Return the organizations in the order of their ids."""
    text = (_DATA / "organizations.json").read_text(encoding="utf-8")
    return [Profile(**entry) for entry in json.loads(text)]


@cache
def table(name: str) -> list[dict[str, str]]:
    """Return the rows of one CSV file by column name."""
    with (_DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rotated(words: list[_Word], first: int) -> list[_Word]:
    """Return the same words beginning with another one."""
    return words[first:] + words[:first]


def capitalized(text: str) -> str:
    """Return the text with its first letter, and no other, made upper case."""
    return text[:1].upper() + text[1:]
