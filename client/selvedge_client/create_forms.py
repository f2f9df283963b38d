"""Types of records as callers create them, made from ``schemas/``, which describes the fields.

They serve type checkers; nothing is checked at run time. A field that is ``NotRequired`` can be
left out; None, where it is allowed, means the same.
"""

from typing import Literal, NotRequired, TypeAlias, TypedDict

# <!-- written by `make docs` -->


class ComplianceCustomFieldKey(TypedDict):
    """A compliance custom field, identified by its own key."""

    userDefinedId: str


class ComplianceCustomFieldAllowedValueFields(TypedDict):
    """Compliance custom field allowed value fields."""

    id: NotRequired[int | None]
    value: str
    userDefinedId: NotRequired[str | None]
    isDefaultValue: NotRequired[bool | None]


LiveStateOrNull: TypeAlias = Literal["active", "inactive"] | None


CustomFieldType: TypeAlias = Literal["text", "numeric", "allowedValue", "nestedAllowedValue"]


class ComplianceCustomFieldCreate(TypedDict):
    """Omitted booleans become false; other omitted fields are cleared."""

    name: str
    userDefinedId: NotRequired[str | None]
    internalOnly: NotRequired[bool | None]
    isMandatory: NotRequired[bool | None]
    isMultiLine: NotRequired[bool | None]
    isSortByAllowedValueId: NotRequired[bool | None]
    maxChar: NotRequired[int | None]
    allowedDecimals: NotRequired[int | None]
    parentCustomFieldId: NotRequired[int | ComplianceCustomFieldKey | None]
    allowedValues: NotRequired[list[ComplianceCustomFieldAllowedValueFields] | None]
    state: NotRequired[LiveStateOrNull]
    type: CustomFieldType


class StyleCustomFieldKey(TypedDict):
    """A style custom field, identified by its own key."""

    userDefinedId: str


class StyleCustomFieldAllowedValueKey(TypedDict):
    """Style custom field allowed value key."""

    userDefinedId: NotRequired[str]
    value: NotRequired[str]


class StyleCustomFieldAllowedValueFields(TypedDict):
    """Style custom field allowed value fields."""

    id: NotRequired[int | None]
    value: str
    userDefinedId: NotRequired[str | None]
    isDefaultValue: NotRequired[bool | None]
    parentAllowedValueId: NotRequired[int | StyleCustomFieldAllowedValueKey | None]


class StyleCustomFieldBrandFields(TypedDict):
    """Style custom field brand fields."""

    id: NotRequired[int | None]
    customId: NotRequired[str | None]
    name: NotRequired[str | None]
    contactPersonId: NotRequired[str | None]
    contactPersonName: NotRequired[str | None]


class StyleCustomFieldAssociationFields(TypedDict):
    """Style custom field association fields."""

    id: NotRequired[int | None]
    customId: NotRequired[str | None]
    userDefinedId: NotRequired[str | None]
    name: NotRequired[str | None]


class StyleCustomFieldCreate(TypedDict):
    """Omitted booleans become false; other omitted fields are cleared."""

    name: str
    userDefinedId: NotRequired[str | None]
    internalOnly: NotRequired[bool | None]
    isMandatory: NotRequired[bool | None]
    isSupplierEditable: NotRequired[bool | None]
    isMultiLine: NotRequired[bool | None]
    isSortByAllowedValueId: NotRequired[bool | None]
    diffPerColor: NotRequired[bool | None]
    diffPerSize: NotRequired[bool | None]
    useInThumbnailViewGroupBy: NotRequired[bool | None]
    maxChar: NotRequired[int | None]
    allowedDecimals: NotRequired[int | None]
    numericVariantCalculationFormula: NotRequired[Literal["none", "average", "sum"] | None]
    parentCustomFieldId: NotRequired[int | StyleCustomFieldKey | None]
    allowedValues: NotRequired[list[StyleCustomFieldAllowedValueFields] | None]
    associatedBrands: NotRequired[list[StyleCustomFieldBrandFields] | None]
    associatedGroups: NotRequired[list[StyleCustomFieldAssociationFields] | None]
    associatedStyleCategories: NotRequired[list[StyleCustomFieldAssociationFields] | None]
    state: NotRequired[LiveStateOrNull]
    type: CustomFieldType


class LanguageKey(TypedDict):
    """A language, identified by its code."""

    code: str


class TranslationFields(TypedDict):
    """Translation fields."""

    languageId: int | LanguageKey
    text: str


class CareInstructionCreate(TypedDict):
    """Care instruction create."""

    userDefinedId: NotRequired[str | None]
    languages: NotRequired[list[TranslationFields] | None]
    state: NotRequired[LiveStateOrNull]
    text: str


class CareInstructionMaterialCreate(TypedDict):
    """Care instruction material create."""

    userDefinedId: NotRequired[str | None]
    languages: NotRequired[list[TranslationFields] | None]
    state: NotRequired[LiveStateOrNull]
    text: str


CareInstructionIconSymbolOrNull: TypeAlias = (
    Literal["wash95", "wash70", "wash60", "wash60Mild", "wash50", "wash50Mild", "wash40", "wash40Mild", "wash40VeryMild", "wash30", "wash30Mild", "wash30VeryMild", "handWash", "doNotWash", "bleachAny", "bleachOxygen", "doNotBleach", "tumbleNormal", "tumbleLow", "doNotTumble", "lineDry", "dripLineDry", "flatDry", "dripFlatDry", "lineDryShade", "dripLineDryShade", "flatDryShade", "dripFlatDryShade", "iron200", "iron150", "iron110", "doNotIron", "dryCleanP", "dryCleanPMild", "dryCleanF", "dryCleanFMild", "doNotDryClean", "wetClean", "wetCleanMild", "wetCleanVeryMild", "doNotWetClean"] | None
)


class CareInstructionIconCreate(TypedDict):
    """Care instruction icon create."""

    userDefinedId: NotRequired[str | None]
    symbol: NotRequired[CareInstructionIconSymbolOrNull]
    languages: NotRequired[list[TranslationFields] | None]
    state: NotRequired[LiveStateOrNull]
    text: str


class CareInstructionLayerCreate(TypedDict):
    """Care instruction layer create."""

    userDefinedId: NotRequired[str | None]
    languages: NotRequired[list[TranslationFields] | None]
    state: NotRequired[LiveStateOrNull]
    text: str


class GroupCreate(TypedDict):
    """Group create."""

    name: str
    userDefinedId: NotRequired[str | None]
    state: NotRequired[LiveStateOrNull]


class ColorGroupKey(TypedDict):
    """A color group, identified by its own key."""

    userDefinedId: str


class ColorCreate(TypedDict):
    """Color create."""

    name: str
    userDefinedId: NotRequired[str | None]
    userDefinedId2: NotRequired[str | None]
    colorReference: NotRequired[str | None]
    colorNote: NotRequired[str | None]
    colorGroupIds: NotRequired[list[int | ColorGroupKey] | None]
    languageIds: NotRequired[list[int | LanguageKey] | None]
    state: NotRequired[LiveStateOrNull]


class SizeRangeCreate(TypedDict):
    """Size range create."""

    name: str
    userDefinedId: NotRequired[str | None]
    isAdvancedGrading: NotRequired[bool | None]
    isDefault: NotRequired[bool | None]
    state: NotRequired[LiveStateOrNull]


class ItemCategoryCreate(TypedDict):
    """Item category create."""

    name: str
    state: NotRequired[LiveStateOrNull]


class SubSupplierContactFields(TypedDict):
    """Sub supplier contact fields."""

    id: NotRequired[int | None]
    firstName: NotRequired[str | None]
    lastName: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    role: NotRequired[str | None]
    faxNumber: NotRequired[str | None]
    countryCode: NotRequired[str | None]


class SubSupplierCreate(TypedDict):
    """Omitted fields are cleared."""

    name: str
    customId: NotRequired[str | None]
    relationType: NotRequired[str | None]
    address: NotRequired[str | None]
    zipCode: NotRequired[str | None]
    city: NotRequired[str | None]
    stateOrRegion: NotRequired[str | None]
    countryCode: NotRequired[str | None]
    webSite: NotRequired[str | None]
    vatNumber: NotRequired[str | None]
    mid: NotRequired[str | None]
    processingTypes: NotRequired[str | None]
    latitude: NotRequired[float | None]
    longitude: NotRequired[float | None]
    contacts: NotRequired[list[SubSupplierContactFields] | None]
    state: NotRequired[LiveStateOrNull]


class SubSupplierKey(TypedDict):
    """A sub-supplier, identified by its own key."""

    customId: str


FacilityProcess: TypeAlias = (
    Literal["fiberProduction", "spinning", "weaving", "knitting", "dyeing", "printing", "finishing", "cutting", "assembly", "embroidery", "washing", "packing", "other"]
)


class FacilityCreate(TypedDict):
    """Facility create."""

    name: str
    subSupplierId: str | SubSupplierKey
    address: NotRequired[str | None]
    zipCode: NotRequired[str | None]
    city: NotRequired[str | None]
    stateOrRegion: NotRequired[str | None]
    countryCode: NotRequired[str | None]
    latitude: NotRequired[float | None]
    longitude: NotRequired[float | None]
    gln: NotRequired[str | None]
    osId: NotRequired[str | None]
    processes: NotRequired[list[FacilityProcess] | None]
    state: NotRequired[LiveStateOrNull]


class BrandCreate(TypedDict):
    """Brand create."""

    customId: NotRequired[str | None]
    name: str
    state: NotRequired[LiveStateOrNull]


class ColorGroupCreate(TypedDict):
    """Color group create."""

    name: str
    userDefinedId: NotRequired[str | None]
    state: NotRequired[LiveStateOrNull]


class StyleCategoryCreate(TypedDict):
    """Style category create."""

    name: str
    userDefinedId: NotRequired[str | None]
    state: NotRequired[LiveStateOrNull]


class ItemCategoryKey(TypedDict):
    """A item category, identified by its own key."""

    name: str


class SupplierKey(TypedDict):
    """A supplier, identified by its own key."""

    customId: str


class BrandKey(TypedDict):
    """A brand, identified by its own key."""

    customId: str


class ItemCreate(TypedDict):
    """Item create."""

    number: str
    name: str
    itemCategoryId: NotRequired[int | ItemCategoryKey | None]
    supplierId: NotRequired[int | SupplierKey | None]
    brandId: NotRequired[int | BrandKey | None]
    supplierItemNumber: NotRequired[str | None]
    unit: NotRequired[str | None]
    description: NotRequired[str | None]
    countryOfOriginCode: NotRequired[str | None]
    hsCode: NotRequired[str | None]
    netWeight: NotRequired[float | str | None]
    state: NotRequired[LiveStateOrNull]


class SupplierContactFields(TypedDict):
    """Supplier contact fields."""

    id: NotRequired[int | None]
    firstName: NotRequired[str | None]
    lastName: NotRequired[str | None]
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    role: NotRequired[str | None]
    faxNumber: NotRequired[str | None]
    countryCode: NotRequired[str | None]


class SupplierCreate(TypedDict):
    """Omitted fields are cleared."""

    customId: NotRequired[str | None]
    name: str
    isStyleSupplier: NotRequired[bool | None]
    isItemSupplier: NotRequired[bool | None]
    currencyCode: NotRequired[str | None]
    countryCode: NotRequired[str | None]
    deliveryTerms: NotRequired[str | None]
    paymentTerms: NotRequired[str | None]
    leadTimeDays: NotRequired[int | None]
    address: NotRequired[str | None]
    zipCode: NotRequired[str | None]
    city: NotRequired[str | None]
    stateOrRegion: NotRequired[str | None]
    webSite: NotRequired[str | None]
    vatNumber: NotRequired[str | None]
    mid: NotRequired[str | None]
    gln: NotRequired[str | None]
    latitude: NotRequired[float | None]
    longitude: NotRequired[float | None]
    subSupplierIds: NotRequired[list[str | SubSupplierKey] | None]
    contacts: NotRequired[list[SupplierContactFields] | None]
    state: NotRequired[LiveStateOrNull]


class SeasonCreate(TypedDict):
    """Season create."""

    userDefinedId: NotRequired[str | None]
    name: str
    projectName: NotRequired[str | None]
    startDate: NotRequired[str | None]
    endDate: NotRequired[str | None]
    state: NotRequired[LiveStateOrNull]


PriceListType: TypeAlias = Literal["retail", "wholesale", "cost", "target", "other"]


class PriceListCreate(TypedDict):
    """Price list create."""

    userDefinedId: NotRequired[str | None]
    name: str
    type: PriceListType
    currencyCode: str
    includesTax: NotRequired[bool | None]
    countryCodes: NotRequired[list[str] | None]
    supplierId: NotRequired[int | SupplierKey | None]
    validFrom: NotRequired[str | None]
    validTo: NotRequired[str | None]
    state: NotRequired[LiveStateOrNull]


class PriceListKey(TypedDict):
    """A price list, identified by its own key."""

    userDefinedId: str


ChannelRequirement: TypeAlias = (
    Literal["brand", "season", "category", "supplier", "description", "countryOfOrigin", "hsCode", "netWeight", "colors", "sizeRange", "skus", "barcodes", "prices", "image", "imagePerColor", "care", "composition", "translations", "customFields"]
)


class ChannelCreate(TypedDict):
    """Channel create."""

    userDefinedId: NotRequired[str | None]
    name: str
    languageIds: NotRequired[list[int | LanguageKey] | None]
    priceListIds: NotRequired[list[int | PriceListKey] | None]
    requirements: NotRequired[list[ChannelRequirement] | None]
    state: NotRequired[LiveStateOrNull]


class StyleCategoryKey(TypedDict):
    """A style category, identified by its own key."""

    userDefinedId: str


class GroupKey(TypedDict):
    """A group, identified by its own key."""

    userDefinedId: str


class SeasonKey(TypedDict):
    """A season, identified by its own key."""

    userDefinedId: str


class SizeRangeKey(TypedDict):
    """A size range, identified by its own key."""

    userDefinedId: str


StyleGender: TypeAlias = Literal["female", "male", "unisex"] | None


StyleAgeGroup: TypeAlias = Literal["newborn", "infant", "toddler", "kids", "adult"] | None


class StyleCreate(TypedDict):
    """Style create."""

    number: str
    name: str
    brandId: NotRequired[int | BrandKey | None]
    styleCategoryId: NotRequired[int | StyleCategoryKey | None]
    groupIds: NotRequired[list[int | GroupKey] | None]
    seasonId: NotRequired[int | SeasonKey | None]
    supplierId: NotRequired[int | SupplierKey | None]
    sizeRangeId: NotRequired[int | SizeRangeKey | None]
    description: NotRequired[str | None]
    countryOfOriginCode: NotRequired[str | None]
    hsCode: NotRequired[str | None]
    netWeight: NotRequired[float | str | None]
    status: NotRequired[Literal["workInProgress", "published", "delivered", "cancelled"] | None]
    isReadyForExport: NotRequired[bool | None]
    gender: NotRequired[StyleGender]
    ageGroup: NotRequired[StyleAgeGroup]
    state: NotRequired[LiveStateOrNull]


BarcodeRangeType: TypeAlias = Literal["gtin13", "gtin12"]


class BarcodeRangeCreate(TypedDict):
    """Barcode range create."""

    userDefinedId: NotRequired[str | None]
    name: str
    firstReference: NotRequired[int | None]
    lastReference: NotRequired[int | None]
    brandId: NotRequired[int | BrandKey | None]
    isDefault: NotRequired[bool | None]
    nextReference: NotRequired[int | None]
    companyPrefix: str
    state: NotRequired[LiveStateOrNull]
    type: BarcodeRangeType


class ColorKey(TypedDict):
    """A color, identified by its own key."""

    userDefinedId: str


class StyleKey(TypedDict):
    """A style, identified by its own key."""

    number: str


class StyleColorCreate(TypedDict):
    """Style color create."""

    name: NotRequired[str | None]
    sortOrder: NotRequired[int | None]
    seasonIds: NotRequired[list[int | SeasonKey] | None]
    availableFrom: NotRequired[str | None]
    availableTo: NotRequired[str | None]
    comment: NotRequired[str | None]
    colorId: int | ColorKey
    state: NotRequired[LiveStateOrNull]
    styleId: int | StyleKey


class BarcodeRangeKey(TypedDict):
    """A barcode range, identified by its own key."""

    userDefinedId: str


class SKUKey(TypedDict):
    """A sku, identified by its own key."""

    sku: str


class BarcodeCreate(TypedDict):
    """Barcode create."""

    type: NotRequired[Literal["gtin8", "gtin12", "gtin13", "gtin14", "internal"] | None]
    barcodeRangeId: NotRequired[int | BarcodeRangeKey | None]
    styleSkuId: NotRequired[int | SKUKey | None]
    isPrimary: NotRequired[bool | None]
    barcode: str
    state: NotRequired[LiveStateOrNull]


class SizeRangeSizesRelatedKey(TypedDict):
    """Size range sizes related key."""

    sizeRangeId: NotRequired[int | SizeRangeKey]
    name: str


class SizeRangeSizesRelatedSizeId(TypedDict):
    """A size, identified by its own reference in its size range, as by its name."""

    sizeRangeId: NotRequired[int | SizeRangeKey]
    sizeId: str


class StyleColorKey(TypedDict):
    """A style color, identified by its own key."""

    colorId: int | ColorKey
    styleId: int | StyleKey


class SKUCreate(TypedDict):
    """S k u create."""

    sku: str
    netWeight: NotRequired[float | str | None]
    sizeRangeSizeId: int | SizeRangeSizesRelatedKey | SizeRangeSizesRelatedSizeId
    state: NotRequired[LiveStateOrNull]
    styleColorId: int | StyleColorKey


class StyleColorKeyWithin(TypedDict):
    """Style color key within."""

    colorId: int | ColorKey
    styleId: NotRequired[int | StyleKey]


StyleFileCategory: TypeAlias = (
    Literal["image", "sketch", "techPack", "pattern", "document", "video", "model3d", "label", "other"]
)


class StyleFileCreate(TypedDict):
    """Style file create."""

    styleColorId: NotRequired[int | StyleColorKeyWithin | None]
    fileName: str
    category: StyleFileCategory
    url: str
    mimeType: NotRequired[str | None]
    sizeBytes: NotRequired[int | None]
    width: NotRequired[int | None]
    height: NotRequired[int | None]
    altText: NotRequired[str | None]
    sha256: NotRequired[str | None]
    isMain: NotRequired[bool | None]
    sortOrder: NotRequired[int | None]
    state: NotRequired[LiveStateOrNull]
    styleId: int | StyleKey


class StyleRelationCreate(TypedDict):
    """Style relation create."""

    styleId: int | StyleKey
    relatedStyleId: int | StyleKey


class ComplianceCategoryCreate(TypedDict):
    """Compliance category create."""

    userDefinedId: NotRequired[str | None]
    name: str
    description: NotRequired[str | None]
    state: NotRequired[LiveStateOrNull]


class SampleTypeCreate(TypedDict):
    """Sample type create."""

    userDefinedId: NotRequired[str | None]
    name: str
    commentDeadlineDays: NotRequired[int | None]
    state: NotRequired[LiveStateOrNull]


class SampleTypeKey(TypedDict):
    """A sample type, identified by its own key."""

    userDefinedId: str


class MeasurementChartKey(TypedDict):
    """Measurement chart key."""

    name: str


class SampleRequestRequested(TypedDict):
    """Sample request requested."""

    lineId: int | MeasurementChartKey
    sizeRangeSizeId: int | SizeRangeSizesRelatedKey | SizeRangeSizesRelatedSizeId
    value: float | str


class SampleRequestCreate(TypedDict):
    """Sample request create."""

    name: str
    unit: NotRequired[str | None]
    sampleTypeId: NotRequired[int | SampleTypeKey | None]
    status: NotRequired[Literal["planned", "requested", "confirmed", "sent", "received", "commented", "cancelled"] | None]
    deadline: NotRequired[str | None]
    expectedAt: NotRequired[str | None]
    trackingNumber: NotRequired[str | None]
    comment: NotRequired[str | None]
    sizeRangeSizeIds: NotRequired[list[int | SizeRangeSizesRelatedKey | SizeRangeSizesRelatedSizeId] | None]
    requested: NotRequired[list[SampleRequestRequested] | None]
    styleId: int | StyleKey


# <!-- end of `make docs` -->
