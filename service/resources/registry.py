"""Registry: one instance of each resource of the API.

The order within a tuple is that of the routes and of the paths in the OpenAPI document. Importing
it reads the schemas and SQL files and compiles validators. It needs no database.
"""

from service.queries.change_feed import ChangeFeed
from service.queries.master_record import MasterRecord
from service.queries.part_collections import PartCollection
from service.queries.parts import RecordPart
from service.queries.resource import Resource
from service.resources.brands import Brands
from service.resources.care_instruction_materials import CareInstructionMaterials
from service.resources.care_instructions import CareInstructions
from service.resources.color_groups import ColorGroups
from service.resources.color_translations import ColorTranslations
from service.resources.colors import Colors
from service.resources.compliance_custom_fields import ComplianceCustomFields
from service.resources.facilities import Facilities
from service.resources.groups import Groups
from service.resources.item_categories import ItemCategories
from service.resources.items import Items
from service.resources.languages import Languages
from service.resources.measurement_charts import MeasurementCharts
from service.resources.measurements import Measurements
from service.resources.sample_requests import SampleRequests, StyleSampleRequests
from service.resources.size_range_sizes import SizeRangeSizes
from service.resources.size_ranges import SizeRanges
from service.resources.style_categories import StyleCategories
from service.resources.style_custom_fields import StyleCustomFields
from service.resources.style_relations import StyleRelations
from service.resources.styles import Styles
from service.resources.sub_suppliers import SubSuppliers
from service.resources.webhooks import Webhooks

STYLE_RELATIONS = StyleRelations()

MASTER_RECORDS: tuple[MasterRecord, ...] = (
    ComplianceCustomFields(),
    StyleCustomFields(),
    CareInstructions(),
    CareInstructionMaterials(),
    Groups(),
    Colors(),
    SizeRanges(),
    ItemCategories(),
    SubSuppliers(),
    Facilities(),
    Brands(),
    ColorGroups(),
    StyleCategories(),
    Items(),
    Styles(),
    STYLE_RELATIONS,
    SampleRequests(),
)
"""Master records, each with all operations of ``OF_MASTER_RECORDS`` (contract, Surface)."""

REFERENCE_LISTS: tuple[Resource, ...] = (
    Languages(),
    StyleSampleRequests(),
)
"""Read-only lists: languages, and the sample requests below a style (contract, Reference lists).

Sample requests are written by ``SampleRequests``.
"""

MEASUREMENTS = Measurements()
"""Measured values, one of PARTS: the path names a sample request and one of its sizes."""

PARTS: tuple[RecordPart, ...] = (
    SizeRangeSizes(),
    ColorTranslations(),
    MeasurementCharts(),
    MEASUREMENTS,
)
"""Parts of records, read and written below their record's path (contract, Parts)."""

PART_COLLECTIONS: tuple[PartCollection, ...] = tuple(map(PartCollection, PARTS))
"""Collection of each part, listed and written in bulk (contract, Part collections)."""

ME = Resource("me")
"""Identity of the caller's API key (contract, Callers)."""

CHANGES = ChangeFeed(
    (
        resource
        for resource in (*MASTER_RECORDS, *REFERENCE_LISTS, *PART_COLLECTIONS)
        if resource.name != "languages" and not resource.parents
    ),
    parts=PARTS,
)
"""Change feed of master records and part collections.

It has no REFERENCE_LISTS: languages never change, and sample requests are master records.
"""

EXPORTED: dict[str, Resource] = {
    resource.collection: resource
    for resource in (*CHANGES.resources.values(), *REFERENCE_LISTS)
    if not resource.parents
}
"""Collections that are exported, by name: those of the change feed, and languages."""

EXPORT = Resource("export")
"""Export of collections (contract, Exports)."""

WEBHOOKS = Webhooks()
"""Subscriptions to the change feed (contract, Webhooks)."""
