"""Policy for citations: cited files and sections exist, and agree with the schemas."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from service import schemas
from service.openapi.components import plural
from tests.policy import documents
from tests.policy.sources import ROOT, written
from tests.support.offenders import in_each

CONTRACT = documents.contract()
FIELDS = documents.sections(documents.DOCS / "fields.md")
_PROMISES = {
    "contract": CONTRACT,
    **{name: documents.sections(documents.DOCS / f"{name}.md") for name in ("operating", "tools")},
}
RULES = set(re.findall(r"^(\d+)\. ", documents.text(ROOT / "docs" / "scaling.md"), re.MULTILINE))
_FOLDERS = ("service", "tests", "benchmarks", "sql", "migrations", "schemas")
_SUFFIXES = (".py", ".sql", ".json")
#: Headings that say nothing unless one knows of which page.
_BARE = "Authentication|Endpoints|Errors|Field table|Limits|List endpoints|States|Write items"

#: Sections that say what several resources share.
_FAMILIES = {
    "care-instruction-icons": ("Care instructions",),
    "care-instruction-layers": ("Care instructions",),
    "suppliers": ("Sub-suppliers",),
    "care-instruction-materials": ("Care instructions",),
    "compliance-custom-fields": ("Custom fields", "Allowed values"),
    "style-custom-fields": ("Custom fields", "Allowed values"),
    "measurements": ("Measured values",),
    "style-sample-requests": ("Sample requests",),
    "transaction": ("Outcomes", "Dry runs", "Errors"),
    "barcode-allocations": ("Outcomes", "Errors"),
}
#: Sections by another name than the resource's.
_NAMED = {
    "audit": "Audit",
    "keys": "Keys",
    "barcode-allocations": "Allocation of barcodes",
    "export": "Exports",
    "transaction": "Transactions over collections",
    "color-swatches": "Swatches",
    "color-translations": "Translations",
    "style-completeness": "Completeness",
    "measurements": "Measurement read",
    "size-range-sizes": "Sizes",
}


def cited(text: str) -> Iterator[str]:
    """Return the files and sections that a text cites and that do not exist."""
    flat = re.sub(r"\s*\n\s*(?:--|#:?)?\s*", " ", text)
    citation = r"(\bcontract|\boperating|(?<=\()tools|(?<=[;:] )tools),\s+([^.);:,]+)"
    for page, heading in re.findall(citation, flat, re.IGNORECASE):
        if heading not in _PROMISES[page.lower()]:
            yield heading
    for numbers in re.findall(
        r"\bscaling,\s+rules?\s+((?:\d+|, | and | to )+)", flat, re.IGNORECASE
    ):
        yield from (f"rule {number}" for number in set(re.findall(r"\d+", numbers)) - RULES)
    yield from re.findall(r"\bspecification\b", flat, re.IGNORECASE)
    yield from re.findall(r"(?<!RFC \d{4}, )\bsections? \d+", flat)
    yield from re.findall(rf'"""({_BARE})[,:;]', flat)


def sources() -> list[Path]:
    """Return every file that may cite."""
    paths = (path for folder in _FOLDERS for path in written(ROOT / folder))
    return [path for path in paths if path.suffix in _SUFFIXES and path != Path(__file__)]


def test_everything_cited_is_there() -> None:
    wrong = {
        path.relative_to(ROOT).as_posix(): missing
        for path in sources()
        if (missing := [*cited(path.read_text(encoding="utf-8"))])
    }
    assert not wrong


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('"""Pages (contract, Cursors; contract, Sorts)."""', []),
        ("-- Colors (contract,\n-- Care\n-- instructions).", []),
        ("Contract, Bulk: 200 items. Scaling, rules 1 and 7; scaling, rule 5.", []),
        ("(RFC 9110, section 10.1.1)", []),
        ("(contract, Nothing; operating, Health)", ["Nothing"]),
        ("(contract, Health)", ["Health"]),
        ("(contract, section 4)", ["section 4", "section 4"]),
        ("(scaling, rules 1 and 99)", ["rule 99"]),
        ("(section 2)", ["section 2"]),
        ("Source: specification, Colors.", ["specification"]),
        ('"""Limits, rule 1: one at most."""', ["Limits"]),
    ],
)
def test_missing_files_and_sections_are_found(text: str, missing: list[str]) -> None:
    assert [*cited(text)] == missing


@pytest.mark.contract("Error types")
def test_every_error_type_is_documented() -> None:
    documented = documents.column(CONTRACT["Error types"], "type")
    assert len(set(documented)) == len(documented)
    assert set(documented) == set(schemas.load()["common/envelope"]["$defs"]["errorType"]["enum"])


def fields(located: schemas.ResolvedSchema) -> set[str]:
    """Return the names of a schema's properties, and of those within them.

    Members of key objects are not fields of the schema.
    """
    parts = [part for part in located.properties.values() if "anyOf" not in part.schema]
    if "array" in located.types and "anyOf" not in located.items.schema:
        parts.append(located.items)
    return set(located.properties).union(*map(fields, parts))


def sections_of(collection: str) -> list[str]:
    """Return the headings about a resource, its own first: its plural, or Sizes of trims.

    A part collection has those of its part, after the common ones.
    """
    part = collection.removesuffix("-by-owner")
    if part != collection:
        return ["Part collections", *sections_of(part)]
    title = RESOURCES[collection]["title"]
    several = title if title.endswith("s") else re.sub(r"y$", "ie", title) + "s"
    owner, _, entries = several.partition(" ")
    headings = (
        _NAMED.get(collection),
        several,
        title,
        f"{entries.capitalize()} of {owner.lower()}s",
    )
    own = next((each for each in headings if each in CONTRACT), "Reference lists")
    return [own, "Common fields", *_FAMILIES.get(collection, ())]


RESOURCES = {name: file for name, file in schemas.load().items() if not name.startswith("common/")}


@pytest.mark.contract("Common fields")
@in_each("collection", RESOURCES)
def test_documented_fields_are_those_of_the_schemas(collection: str) -> None:
    """Fields of documents and of write bodies."""
    file = RESOURCES[collection]
    forms = {"document", "fields"} & file["$defs"].keys()
    actual = set[str]().union(*(fields(schemas.definition(collection, form)) for form in forms))
    own, *shared = sections_of(collection)
    titles = (own, *shared, plural(file["title"]))
    texts = [page[title] for page in (CONTRACT, FIELDS) for title in titles if title in page]
    documented = {name for text in texts for name in documents.spans(text)}
    assert not actual - documented
    assert not set(documents.column(CONTRACT[own], "field")) - actual
