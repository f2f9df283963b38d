"""Generated parts of documents and sources: made from the one table that has their facts.

Each part stands between two marks of its file. ``python -m tests.support.generated_parts``
(``make docs``) writes all of them anew; ``tests/policy/test_generated_parts.py`` compares them.
"""

import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from service import schemas
from service.openapi.components import plural
from service.openapi.error_responses import STATUSES
from service.resources.registry import CHANGES, MASTER_RECORDS, PART_COLLECTIONS
from service.routes import routes
from service.schemas.write_forms import BULK_ITEMS
from tests.support import (
    contract_index,
    fault_effects,
    field_tables,
    module_index,
    operator_pages,
    record_types,
    relation_index,
)
from tests.support.reports import with_section

GROUPS: Final = (
    *("Barcodes", "Brands", "CareInstructionIcons", "CareInstructionLayers"),
    *("CareInstructionMaterials", "CareInstructions", "Color Groups", "Colors"),
    *("ComplianceCategories", "ComplianceCustomFields", "Facilities", "Groups", "ItemCategories"),
    *("Items", "MeasurementCharts", "MigrationVerification", "Organizations", "SampleRequests"),
    *("SampleTypes", "Seasons", "SizeRanges", "Style Prices", "StyleCareInstructions"),
    *("StyleCategories", "StyleColors", "StyleContacts", "StyleCustomFields", "StyleFiles"),
    *("StyleItems", "StyleRelations", "Styles", "StyleSkus", "StyleSupplierFacilities"),
    *("SubSuppliers", "Suppliers"),
)
"""Names of the External API for its groups of resources."""
COMMAND: Final = "make docs"
_ROOT: Final = Path(__file__).parents[2]
_CLIENT_ERRORS: Final = {
    400: "InvalidError",
    401: "UnauthorizedError",
    403: "ForbiddenError",
    404: "NotFoundError",
    409: "ConflictError",
    410: "GoneError",
    412: "PreconditionFailedError",
    422: "UnprocessableError",
    429: "TooManyRequestsError",
    503: "UnavailableError",
}
"""Exception of the client by status. Other statuses raise their base class."""


@dataclass(frozen=True, slots=True)
class GeneratedPart:
    """Part of a file, with the function that returns its text."""

    file: Path
    render: Callable[[], str]
    around: tuple[str, str] | None = None
    """Texts before and after the part, in files that have no marks."""

    def current(self, text: str) -> str:
        """Return the file's text with a current part; raise ValueError if it has no marks."""
        if self.around:
            start, end = self.around
            before, _, rest = text.partition(start)
            return "".join((before, start, self.render(), end, rest.partition(end)[2]))
        is_python = self.file.suffix == ".py"
        section = f"\n\n{self.render()}\n\n\n" if is_python else f"\n{self.render()}\n\n"
        return with_section(text, COMMAND, section, prefix="# " if is_python else "")


def client_errors() -> str:
    """Return the client's exceptions as source, with the table of them by status."""
    classes = [
        f"class {name}(FailureError):\n{_docstring(f'{status}: {STATUSES[status]}')}"
        for status, name in _CLIENT_ERRORS.items()
    ]
    rows = "".join(f"    {status}: {name},\n" for status, name in _CLIENT_ERRORS.items())
    table = f"_BY_STATUS: dict[int, type[FailureError]] = {{\n{rows}}}"
    return "\n\n\n".join([*classes, table])


def _docstring(text: str) -> str:
    text = text.replace("`", "``")
    if len(text) <= 90:
        return f'    """{text}"""'
    summary, _, rest = text.partition(". ")
    lines = textwrap.fill(rest, 100, initial_indent="    ", subsequent_indent="    ")
    return f'    """{summary}.\n\n{lines}\n    """'


def singer_streams() -> str:
    """Return the lists that a Singer tap reads, each as a JSON object."""
    streams = list[dict[str, Any]]()
    for name, resource in CHANGES.resources.items():
        own = {} if resource.properties.key == "id" else {"primary_keys": [resource.properties.key]}
        streams.append({"name": name, "path": f"/api/{name}", "schema": "record.schema.json"} | own)
    return ",\n".join(f"    {json.dumps(stream)}" for stream in streams)


def airbyte_collections() -> str:
    """Return the names of the collections, as the items of a YAML list."""
    names, indent = ", ".join(CHANGES.resources), " " * 11
    return textwrap.fill(
        names, 119, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def resources() -> str:
    """Return the resources of the interface with all their paths, as a table.

    A group of the External API is the resource whose name has the same letters.
    """
    paths = defaultdict[str, set[str]](set)
    for route in routes():
        if route.resource:
            paths[route.resource.name.removesuffix("-by-owner")].add(route.path)
    rows, groups = list[str](), {re.sub(r"\W", "", name).lower(): name for name in GROUPS}
    for name, of_resource in paths.items():
        file = schemas.load()[name]
        shown = "`, `".join(sorted(of_resource, key=lambda path: (len(path), path)))
        contents = file["description"].partition(". ")[0].removesuffix(".")
        group = groups.get(name.replace("-", ""), "")
        rows.append(f"| {plural(file['title'])} | {group} | `{shown}` | {contents} |")
    header = "| resource | group of the External API | paths | contents |"
    return "\n".join([header, "|---|---|---|---|", *sorted(rows)])


def names_by_bulk_items() -> dict[int, list[str]]:
    """Return the collections by the maximum number of items of their bulk writes."""
    names = defaultdict[int, list[str]](list)
    for resource in (*MASTER_RECORDS, *PART_COLLECTIONS):
        names[schemas.load()[resource.name][BULK_ITEMS]].append(resource.collection)
    return names


def bulk_items() -> str:
    """Return the highest of these numbers, and the lower ones with their collections."""
    *lower, most = sorted(names_by_bulk_items().items())
    rows = (f"{size:,} of `{'`, `'.join(sorted(names))}`" for size, names in lower)
    return "; ".join((f"{most[0]:,}", *rows))


_CLIENT: Final = _ROOT / "client" / "selvedge_client"
_DOCS: Final = _ROOT / "docs"
PARTS: Final = (
    GeneratedPart(_DOCS / "architecture.md", relation_index.relation_table),
    GeneratedPart(_DOCS / "resources.md", resources),
    GeneratedPart(_DOCS / "contract.md", contract_index.contract_pages),
    GeneratedPart(_DOCS / "fields.md", field_tables.tables),
    GeneratedPart(
        _DOCS / "contract/basics.md", bulk_items, ("\n| items of other bulk writes | ", " |\n")
    ),
    GeneratedPart(_DOCS / "testing.md", contract_index.index),
    GeneratedPart(_DOCS / "tests-by-module.md", module_index.index),
    GeneratedPart(_DOCS / "operating.md", fault_effects.effects),
    GeneratedPart(_CLIENT / "errors.py", client_errors),
    GeneratedPart(_CLIENT / "documents.py", record_types.documents),
    GeneratedPart(_CLIENT / "create_forms.py", record_types.create_forms),
    GeneratedPart(_DOCS / "settings.md", operator_pages.settings_table),
    GeneratedPart(_DOCS / "commands.md", operator_pages.commands),
    GeneratedPart(
        _DOCS / "connectors/singer/lists.json", singer_streams, ('"streams": [\n', "\n]}")
    ),
    GeneratedPart(
        _DOCS / "connectors/airbyte/manifest.yaml", airbyte_collections, ("values: [\n", "]}}}")
    ),
)


def main() -> None:
    """Write every part anew."""
    for part in PARTS:
        text = part.file.read_text(encoding="utf-8")
        part.file.write_text(part.current(text), encoding="utf-8")


if __name__ == "__main__":
    main()
