"""Registry: one instance of each resource of the API.

The order within a tuple is that of the routes and of the paths in the OpenAPI document. Importing
it reads the schemas and SQL files and compiles validators. It needs no database.
"""

from service.feed.change_feed import ChangeFeed
from service.organizations.scopes import ANY, AUDIT_READ
from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.records.resource import Resource
from service.resources import care_texts, plain_collections
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
from service.resources.colors import Colors, ColorSwatches
from service.resources.custom_fields.custom_field_values import CustomFieldValues
from service.resources.custom_fields.style_custom_fields import StyleCustomFields
from service.resources.measurement_charts import MeasurementCharts
from service.resources.measurements import Measurements
from service.resources.migration_verification import MigrationVerification
from service.resources.sample_requests import SampleRequests, StyleSampleRequests
from service.resources.size_range_sizes import SizeRangeSizes
from service.resources.size_ranges import SizeRanges
from service.resources.style_parts import StyleContacts, StyleSupplierFacilities
from service.resources.style_relations import StyleRelations
from service.resources.styles import Styles
from service.resources.sub_suppliers import SubSuppliers
from service.resources.suppliers import Suppliers
from service.resources.transaction import Transactions
from service.resources.translations import ColorTranslations, StyleTranslations
from service.resources.webhooks import Keys, Webhooks
from service.writing import before_images
from service.writing.part_collections import PartCollection

BARCODES = Barcodes()
STYLE_RELATIONS = StyleRelations()
STYLE_SKUS = StyleSkus()

MASTER_RECORDS: tuple[MasterRecord, ...] = (
    plain_collections.ComplianceCustomFields(),
    StyleCustomFields(),
    care_texts.CareInstructions(),
    care_texts.CareInstructionMaterials(),
    care_texts.CareInstructionIcons(),
    care_texts.CareInstructionLayers(),
    plain_collections.Groups(),
    Colors(),
    SizeRanges(),
    plain_collections.ItemCategories(),
    SubSuppliers(),
    plain_collections.Facilities(),
    plain_collections.Brands(),
    plain_collections.ColorGroups(),
    plain_collections.StyleCategories(),
    plain_collections.Items(),
    Suppliers(),
    plain_collections.Seasons(),
    PriceLists(),
    Channels(),
    Styles(),
    BarcodeRanges(),
    StyleColors(),
    BARCODES,
    STYLE_SKUS,
    StyleFiles(),
    STYLE_RELATIONS,
    plain_collections.ComplianceCategories(),
    plain_collections.SampleTypes(),
    SampleRequests(),
)
"""Master records, each with all operations of ``OF_MASTER_RECORDS`` (contract, Surface)."""

SHARED_LISTS: tuple[Resource, ...] = tuple(
    map(plain_collections.SharedList, ("languages", "currencies", "countries"))
)
REFERENCE_LISTS: tuple[Resource, ...] = (*SHARED_LISTS, StyleSampleRequests())
"""Read-only lists: shared ones, and the sample requests of a style (contract, Reference lists).

Sample requests are written by ``SampleRequests``.
"""

MEASUREMENTS = Measurements()
STYLE_PRICES = StylePrices()

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
SKU_GENERATION = SkuGeneration(STYLE_SKUS, ALLOCATIONS)
COMPLETENESS = Completeness()
PASSPORTS = (Passports("style-skus", "style_sku"), Passports("barcodes", "barcode"))
PRODUCTS = Products()
EFFECTIVE_PRICES = EffectivePrices()
ORGANIZATIONS = plain_collections.Organizations()
TRANSACTION = Transactions((*MASTER_RECORDS, *PART_COLLECTIONS))

ME = Resource("me", scope_name="")
"""Identity of the caller's API key (contract, Callers)."""

CHANGES = ChangeFeed((*MASTER_RECORDS, ORGANIZATIONS, *PART_COLLECTIONS), parts=PARTS)
"""Change feed of master records and part collections.

It has no REFERENCE_LISTS: shared ones never change, and sample requests are master records.
"""

before_images.register((*MASTER_RECORDS, *PARTS))

EXPORTED: dict[str, Resource] = {
    resource.collection: resource
    for resource in (*CHANGES.resources.values(), *REFERENCE_LISTS)
    if not resource.parents
}
"""Collections that are exported, by name: those of the change feed, and shared lists."""

EXPORT = Resource("export", scope_name=ANY)
"""Export of collections (contract, Exports)."""

KEYS = Keys()
MIGRATION_VERIFICATION = MigrationVerification(MASTER_RECORDS)
WEBHOOKS = Webhooks()

AUDIT = Resource("audit", scope_name=AUDIT_READ)
"""Changes of keys, webhooks and settings (contract, Audit)."""
