"""Registry: one instance of each resource of the API.

The order within a tuple is that of the routes and of the paths in the OpenAPI document. Importing
it reads the schemas and SQL files and compiles validators. It needs no database.
"""

from service.feed.change_feed import ChangeFeed
from service.organizations.scopes import ANY, AUDIT_READ
from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.records.resource import Resource
from service.resources.assortment.barcode_allocations import BarcodeAllocations
from service.resources.assortment.barcode_ranges import BarcodeRanges
from service.resources.assortment.barcodes import Barcodes
from service.resources.assortment.channels import Channels, PriceLists
from service.resources.assortment.effective_prices import EffectivePrices
from service.resources.assortment.passports import Passports
from service.resources.assortment.products import Completeness, Products
from service.resources.assortment.sku_generation import SkuGeneration
from service.resources.assortment.style_care_instructions import StyleCareInstructions
from service.resources.assortment.style_colors import StyleColors
from service.resources.assortment.style_files import StyleFiles
from service.resources.assortment.style_items import StyleItems
from service.resources.assortment.style_prices import StylePrices
from service.resources.assortment.style_skus import StyleSkus
from service.resources.care_texts import (
    CareInstructionIcons,
    CareInstructionLayers,
    CareInstructionMaterials,
    CareInstructions,
)
from service.resources.color_swatches import ColorSwatches
from service.resources.colors import Colors
from service.resources.custom_field_values import CustomFieldValues
from service.resources.measurement_charts import MeasurementCharts
from service.resources.measurements import Measurements
from service.resources.migration_verification import MigrationVerification
from service.resources.plain_collections import (
    Brands,
    ColorGroups,
    ComplianceCategories,
    ComplianceCustomFields,
    Facilities,
    Groups,
    ItemCategories,
    Items,
    Organizations,
    SampleTypes,
    Seasons,
    SharedList,
    StyleCategories,
)
from service.resources.sample_requests import SampleRequests, StyleSampleRequests
from service.resources.size_range_sizes import SizeRangeSizes
from service.resources.size_ranges import SizeRanges
from service.resources.style_custom_fields import StyleCustomFields
from service.resources.style_parts import StyleContacts, StyleSupplierFacilities
from service.resources.style_relations import StyleRelations
from service.resources.styles import Styles
from service.resources.sub_suppliers import SubSuppliers
from service.resources.suppliers import Suppliers
from service.resources.transaction import Transactions
from service.resources.translations import ColorTranslations, StyleTranslations
from service.resources.webhooks import Keys, Webhooks
from service.writing.part_collections import PartCollection

BARCODES = Barcodes()
STYLE_RELATIONS = StyleRelations()
STYLE_SKUS = StyleSkus()

MASTER_RECORDS: tuple[MasterRecord, ...] = (
    ComplianceCustomFields(),
    StyleCustomFields(),
    CareInstructions(),
    CareInstructionMaterials(),
    CareInstructionIcons(),
    CareInstructionLayers(),
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
    Suppliers(),
    Seasons(),
    PriceLists(),
    Channels(),
    Styles(),
    BarcodeRanges(),
    StyleColors(),
    BARCODES,
    STYLE_SKUS,
    StyleFiles(),
    STYLE_RELATIONS,
    ComplianceCategories(),
    SampleTypes(),
    SampleRequests(),
)
"""Master records, each with all operations of ``OF_MASTER_RECORDS`` (contract, Surface)."""

SHARED_LISTS: tuple[Resource, ...] = tuple(
    map(SharedList, ("languages", "currencies", "countries"))
)
REFERENCE_LISTS: tuple[Resource, ...] = (*SHARED_LISTS, StyleSampleRequests())
"""Read-only lists: shared ones, and the sample requests of a style (contract, Reference lists).

Sample requests are written by ``SampleRequests``.
"""

MEASUREMENTS = Measurements()
"""Measured values, one of PARTS: the path names a sample request and one of its sizes."""

STYLE_PRICES = StylePrices()
"""Prices of a style, one of PARTS."""

PARTS: tuple[RecordPart, ...] = (
    SizeRangeSizes(),
    ColorTranslations(),
    ColorSwatches(),
    StyleTranslations(),
    MeasurementCharts(),
    MEASUREMENTS,
    StyleSupplierFacilities(),
    StyleContacts(),
    CustomFieldValues(),
    STYLE_PRICES,
    StyleItems(),
    StyleCareInstructions(),
)
"""Parts of records, read and written below their record's path (contract, Parts)."""

PART_COLLECTIONS: tuple[PartCollection, ...] = tuple(map(PartCollection, PARTS))
"""Collection of each part, listed and written in bulk (contract, Part collections)."""

ALLOCATIONS = BarcodeAllocations(BARCODES)
"""Allocation of barcodes from ranges (contract, Allocation of barcodes)."""

SKU_GENERATION = SkuGeneration(STYLE_SKUS, ALLOCATIONS)
"""Generation of SKUs (contract, SKU generations)."""

COMPLETENESS = Completeness()
"""What styles lack in a channel (contract, Completeness)."""

PASSPORTS = (Passports("style-skus", "style_sku"), Passports("barcodes", "barcode"))
"""Passports of SKUs, by SKU and by barcode (contract, Passports)."""

PRODUCTS = Products()
"""Styles for shops (contract, Products)."""

EFFECTIVE_PRICES = EffectivePrices()
"""Effective prices of SKUs, which are computed (contract, Effective prices)."""

ORGANIZATIONS = Organizations()
"""The caller's own organization, which is only read, replaced and patched."""

TRANSACTION = Transactions((*MASTER_RECORDS, *PART_COLLECTIONS))
"""Writes of several collections at once (contract, Transactions over collections)."""

ME = Resource("me", scope_name="")
"""Identity of the caller's API key (contract, Callers)."""

CHANGES = ChangeFeed(
    (resource for resource in (*MASTER_RECORDS, ORGANIZATIONS, *PART_COLLECTIONS)),
    parts=PARTS,
)
"""Change feed of master records and part collections.

It has no REFERENCE_LISTS: shared ones never change, and sample requests are master records.
"""

EXPORTED: dict[str, Resource] = {
    resource.collection: resource
    for resource in (*CHANGES.resources.values(), *REFERENCE_LISTS)
    if not resource.parents
}
"""Collections that are exported, by name: those of the change feed, and shared lists."""

EXPORT = Resource("export", scope_name=ANY)
"""Export of collections (contract, Exports)."""

MIGRATION_VERIFICATION = MigrationVerification(MASTER_RECORDS)
"""Counts and keys of collections with own keys (contract, Migration verification)."""

KEYS = Keys()
"""API keys of the caller's organization (contract, Keys)."""

AUDIT = Resource("audit", scope_name=AUDIT_READ)
"""Changes of keys, webhooks and settings (contract, Audit)."""

WEBHOOKS = Webhooks()
"""Subscriptions to the change feed (contract, Webhooks)."""
