"""Registry: every resource of the API, in the order of its documentation."""

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

#: Master records, with the operations ``OF_MASTER_RECORDS`` (contract, Surface).
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

#: Lists without writes of their own.
REFERENCE_LISTS: tuple[Resource, ...] = (
    Languages(),
    StyleSampleRequests(),
)

MEASUREMENTS = Measurements()

#: Parts of records, read and written below their record's path (contract, Parts).
PARTS: tuple[RecordPart, ...] = (
    SizeRangeSizes(),
    ColorTranslations(),
    MeasurementCharts(),
    MEASUREMENTS,
)

#: Collections of parts, listed and written in bulk (contract, Part collections).
PART_COLLECTIONS: tuple[PartCollection, ...] = tuple(map(PartCollection, PARTS))

#: Identity of the caller's API key (contract, Callers).
ME = Resource("me")

#: Change feed of master records and part collections: not of languages, which never change, and
#: not of lists below another record.
CHANGES = ChangeFeed(
    (
        resource
        for resource in (*MASTER_RECORDS, *REFERENCE_LISTS, *PART_COLLECTIONS)
        if resource.name != "languages" and not resource.parents
    ),
    parts=PARTS,
)

#: Collections that are exported: those of the change feed, and languages.
EXPORTED: dict[str, Resource] = {
    resource.collection: resource
    for resource in (*CHANGES.resources.values(), *REFERENCE_LISTS)
    if not resource.parents
}

#: Export of collections (contract, Exports).
EXPORT = Resource("export")

#: Subscriptions to the change feed (contract, Webhooks).
WEBHOOKS = Webhooks()
