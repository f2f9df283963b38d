"""Types of records as callers read them, generated from ``schemas/``, which describes the fields.

They annotate the documents of ``Client.typed`` for type checkers; nothing is checked at run time. A
nullable field is always present. A field that is ``NotRequired`` is absent when it has no value.
With the parameter ``fields`` a document has the named fields only. ``COLLECTIONS`` has each type
of a collection's records, with the collection's path below ``/api/``.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

# <!-- written by `make docs` -->


CustomFieldType: TypeAlias = Literal["text", "numeric", "allowedValue", "nestedAllowedValue"]


State: TypeAlias = Literal["active", "inactive", "deleted"]


class ComplianceCustomFieldAllowedValue(TypedDict):
    """Compliance custom field allowed value."""

    id: int
    value: str
    userDefinedId: NotRequired[str]
    properties: list[str]


class ComplianceCustomField(TypedDict):
    """Compliance custom field."""

    id: int
    name: str
    userDefinedId: str | None
    type: CustomFieldType
    state: State
    position: int
    internalOnly: bool
    isMandatory: bool
    isMultiLine: bool
    isSortByAllowedValueId: bool
    maxChar: int | None
    allowedDecimals: int | None
    parentCustomFieldId: int | None
    parentCustomFieldName: NotRequired[str]
    allowedValues: list[ComplianceCustomFieldAllowedValue]
    properties: list[str]


StyleCustomFieldFormula: TypeAlias = Literal["none", "average", "sum"]


class StyleCustomFieldAllowedValue(TypedDict):
    """Style custom field allowed value."""

    id: int
    value: str
    userDefinedId: NotRequired[str]
    parentAllowedValueId: NotRequired[int]
    properties: list[str]


class StyleCustomFieldAssociation(TypedDict):
    """A record that the field is restricted to."""

    id: int
    name: str


class StyleCustomField(TypedDict):
    """Style custom field."""

    id: int
    name: str
    userDefinedId: NotRequired[str]
    type: CustomFieldType
    state: State
    position: int
    internalOnly: bool
    isMandatory: bool
    isSupplierEditable: bool
    isMultiLine: bool
    isSortByAllowedValueId: bool
    diffPerColor: bool
    diffPerSize: bool
    useInThumbnailViewGroupBy: bool
    maxChar: int | None
    allowedDecimals: NotRequired[int]
    numericVariantCalculationFormula: StyleCustomFieldFormula
    parentCustomFieldId: NotRequired[int]
    parentCustomFieldName: NotRequired[str]
    allowedValues: list[StyleCustomFieldAllowedValue]
    associatedBrands: list[StyleCustomFieldAssociation]
    associatedGroups: list[StyleCustomFieldAssociation]
    associatedStyleCategories: list[StyleCustomFieldAssociation]
    properties: list[str]


class Translation(TypedDict):
    """A stored translation."""

    id: int
    languageId: int
    text: str


class CareInstruction(TypedDict):
    """An instruction for washing, drying, ironing or cleaning a garment. Deletes are permanent."""

    id: int
    userDefinedId: NotRequired[str]
    text: str
    state: State
    position: int
    properties: list[str]
    languages: list[Translation]


class CareInstructionMaterial(TypedDict):
    """A material named on care labels."""

    id: int
    userDefinedId: NotRequired[str]
    text: str
    state: State
    position: int
    properties: list[str]
    languages: list[Translation]


CareInstructionIconSymbolOrNull: TypeAlias = (
    Literal["wash95", "wash70", "wash60", "wash60Mild", "wash50", "wash50Mild", "wash40", "wash40Mild", "wash40VeryMild", "wash30", "wash30Mild", "wash30VeryMild", "handWash", "doNotWash", "bleachAny", "bleachOxygen", "doNotBleach", "tumbleNormal", "tumbleLow", "doNotTumble", "lineDry", "dripLineDry", "flatDry", "dripFlatDry", "lineDryShade", "dripLineDryShade", "flatDryShade", "dripFlatDryShade", "iron200", "iron150", "iron110", "doNotIron", "dryCleanP", "dryCleanPMild", "dryCleanF", "dryCleanFMild", "doNotDryClean", "wetClean", "wetCleanMild", "wetCleanVeryMild", "doNotWetClean"] | None
)


class CareInstructionIcon(TypedDict):
    """An icon of care labels, for a symbol of ISO 3758. The service has no pictures."""

    id: int
    userDefinedId: NotRequired[str]
    text: str
    symbol: CareInstructionIconSymbolOrNull
    process: Literal["washing", "bleaching", "tumbleDrying", "naturalDrying", "ironing", "dryCleaning", "wetCleaning"] | None
    state: State
    position: int
    properties: list[str]
    languages: list[Translation]


class CareInstructionLayer(TypedDict):
    """A layer of a style that care labels name, such as the lining."""

    id: int
    userDefinedId: NotRequired[str]
    text: str
    state: State
    position: int
    properties: list[str]
    languages: list[Translation]


class Group(TypedDict):
    """Group."""

    id: int
    name: str
    userDefinedId: str | None
    state: State
    properties: list[str]
    usedInStyles: int
    beginDate: str
    endDate: NotRequired[str]


class ColorGroup(TypedDict):
    """A group of colors. A color group with colors cannot be deleted."""

    id: int
    name: str
    userDefinedId: NotRequired[str]
    state: State


class ColorLanguageName(TypedDict):
    """Color language name."""

    languageId: int
    languageName: str
    languageCode: str
    colorName: str


class Color(TypedDict):
    """A color of the organization's palette."""

    id: int
    name: str
    userDefinedId: str | None
    userDefinedId2: str | None
    colorReference: str | None
    colorNote: str | None
    state: State
    colorGroups: list[ColorGroup]
    languageNames: list[ColorLanguageName]
    properties: list[str]


class SizeRangeSize(TypedDict):
    """Size range size."""

    id: int
    name: str
    sizeId: NotRequired[str]
    relatedSizeRangeSizeId: NotRequired[int]
    gradingGroupId: NotRequired[int]


class SizeRange(TypedDict):
    """Size range."""

    id: int
    name: str
    state: State
    userDefinedId: str | None
    isAdvancedGrading: bool
    isDefault: bool
    defaultGradingSizeId: NotRequired[int]
    defaultGradingSizeName: NotRequired[str]
    sizes: list[SizeRangeSize]
    properties: list[str]


class ItemCategory(TypedDict):
    """Item category."""

    id: int
    name: str
    state: State
    usedInItems: int
    beginDate: str
    endDate: NotRequired[str]
    properties: list[str]


class SubSupplierContact(TypedDict):
    """Sub supplier contact."""

    id: int
    firstName: NotRequired[str]
    lastName: NotRequired[str]
    email: NotRequired[str]
    phone: NotRequired[str]
    role: NotRequired[str]
    faxNumber: NotRequired[str]
    countryCode: NotRequired[str]
    countryName: NotRequired[str]
    properties: list[str]


class SubSupplier(TypedDict):
    """Sub supplier."""

    id: str
    organizationId: int
    name: str
    customId: NotRequired[str]
    relationType: NotRequired[str]
    relationTypeName: NotRequired[str]
    address: NotRequired[str]
    zipCode: NotRequired[str]
    city: NotRequired[str]
    stateOrRegion: NotRequired[str]
    countryCode: NotRequired[str]
    countryName: NotRequired[str]
    webSite: NotRequired[str]
    vatNumber: NotRequired[str]
    mid: NotRequired[str]
    avatarColor: NotRequired[str]
    processingTypes: NotRequired[str]
    latitude: NotRequired[float]
    longitude: NotRequired[float]
    facilityCount: int
    state: State
    createdAt: str
    contacts: list[SubSupplierContact]


FacilityProcess: TypeAlias = (
    Literal["fiberProduction", "spinning", "weaving", "knitting", "dyeing", "printing", "finishing", "cutting", "assembly", "embroidery", "washing", "packing", "other"]
)


class Facility(TypedDict):
    """A site of a sub-supplier. It is deleted and restored with its sub-supplier."""

    id: int
    name: str
    subSupplierId: str
    state: State
    address: str | None
    zipCode: str | None
    city: str | None
    stateOrRegion: str | None
    countryCode: str | None
    countryName: NotRequired[str]
    latitude: float | None
    longitude: float | None
    gln: str | None
    osId: str | None
    processes: list[FacilityProcess]


class Brand(TypedDict):
    """Brand."""

    id: int
    customId: NotRequired[str]
    name: str
    state: State


class StyleCategory(TypedDict):
    """Style category."""

    id: int
    name: str
    userDefinedId: NotRequired[str]
    state: State


class Item(TypedDict):
    """A component that styles are made of, such as a button or a fabric."""

    id: int
    number: str
    name: str
    itemCategoryId: NotRequired[int]
    state: State
    supplierId: int | None
    brandId: int | None
    supplierItemNumber: str | None
    unit: str | None
    description: str | None
    countryOfOriginCode: str | None
    hsCode: str | None
    netWeight: float | None
    usedInStyles: int


class SupplierContact(TypedDict):
    """Supplier contact."""

    id: int
    firstName: NotRequired[str]
    lastName: NotRequired[str]
    email: NotRequired[str]
    phone: NotRequired[str]
    role: NotRequired[str]
    faxNumber: NotRequired[str]
    countryCode: NotRequired[str]
    countryName: NotRequired[str]
    properties: list[str]


class Supplier(TypedDict):
    """Supplier."""

    id: int
    customId: NotRequired[str]
    name: str
    isStyleSupplier: bool
    isItemSupplier: bool
    currencyCode: str | None
    countryCode: str | None
    countryName: NotRequired[str]
    deliveryTerms: str | None
    paymentTerms: str | None
    leadTimeDays: int | None
    address: NotRequired[str]
    zipCode: NotRequired[str]
    city: NotRequired[str]
    stateOrRegion: NotRequired[str]
    webSite: NotRequired[str]
    vatNumber: NotRequired[str]
    mid: NotRequired[str]
    gln: str | None
    latitude: NotRequired[float]
    longitude: NotRequired[float]
    subSupplierIds: list[str]
    state: State
    createdAt: str
    usedInStyles: int
    usedInItems: int
    contacts: list[SupplierContact]


class Season(TypedDict):
    """A season for which styles are made. A season in use by styles cannot be deleted."""

    id: int
    userDefinedId: NotRequired[str]
    name: str
    projectName: str | None
    startDate: str | None
    endDate: str | None
    position: int
    state: State
    usedInStyles: int


PriceListType: TypeAlias = Literal["retail", "wholesale", "cost", "target", "other"]


class PriceList(TypedDict):
    """A list of prices in one currency, for some countries and some time."""

    id: int
    userDefinedId: NotRequired[str]
    name: str
    type: PriceListType
    currencyCode: str
    includesTax: bool
    countryCodes: list[str]
    supplierId: int | None
    validFrom: str | None
    validTo: str | None
    state: State
    usedInPrices: int


ChannelRequirement: TypeAlias = (
    Literal["brand", "season", "category", "supplier", "description", "countryOfOrigin", "hsCode", "netWeight", "colors", "sizeRange", "skus", "barcodes", "prices", "image", "imagePerColor", "care", "composition", "translations", "customFields"]
)


class Channel(TypedDict):
    """Channel."""

    id: int
    userDefinedId: NotRequired[str]
    name: str
    languageIds: list[int]
    priceListIds: list[int]
    requirements: list[ChannelRequirement]
    state: State


StyleStatus: TypeAlias = Literal["workInProgress", "published", "delivered", "cancelled"]


StyleGender: TypeAlias = Literal["female", "male", "unisex"] | None


StyleAgeGroup: TypeAlias = Literal["newborn", "infant", "toddler", "kids", "adult"] | None


class Style(TypedDict):
    """Style."""

    id: int
    number: str
    name: str
    brandId: NotRequired[int]
    styleCategoryId: NotRequired[int]
    groupIds: list[int]
    state: State
    seasonId: int | None
    supplierId: int | None
    sizeRangeId: int | None
    description: str | None
    countryOfOriginCode: str | None
    hsCode: str | None
    netWeight: float | None
    status: StyleStatus
    isReadyForExport: bool
    gender: StyleGender
    ageGroup: StyleAgeGroup


BarcodeRangeType: TypeAlias = Literal["gtin13", "gtin12"]


class BarcodeRange(TypedDict):
    """Barcode range."""

    id: int
    userDefinedId: NotRequired[str]
    name: str
    type: BarcodeRangeType
    companyPrefix: str
    firstReference: int
    lastReference: int
    brandId: int | None
    isDefault: bool
    state: State
    nextReference: int | None
    free: int


class StyleColor(TypedDict):
    """A color in which a style is made. It is deleted and restored with its style."""

    id: int
    styleId: int
    styleNumber: str
    colorId: int
    colorName: str
    colorUserDefinedId: str | None
    colorReference: str | None
    name: str | None
    sortOrder: int | None
    seasonIds: list[int]
    availableFrom: str | None
    availableTo: str | None
    comment: str | None
    state: State


BarcodeType: TypeAlias = Literal["gtin8", "gtin12", "gtin13", "gtin14", "internal"]


class Barcode(TypedDict):
    """Barcode."""

    id: int
    barcode: str
    type: BarcodeType
    gtin14: str | None
    barcodeRangeId: int | None
    styleSkuId: int | None
    sku: str | None
    isPrimary: bool
    assignedAt: str | None
    state: State


class SKU(TypedDict):
    """A style in one of its colors and sizes: what is bought, stored and sold."""

    id: int
    sku: str
    styleColorId: int
    sizeRangeSizeId: int
    netWeight: float | None
    state: State
    styleId: int
    styleNumber: str
    colorId: int
    colorName: str
    sizeName: str
    gtin: str | None


StyleFileCategory: TypeAlias = (
    Literal["image", "sketch", "techPack", "pattern", "document", "video", "model3d", "label", "other"]
)


class StyleFile(TypedDict):
    """Style file."""

    id: int
    styleId: int
    styleColorId: int | None
    fileName: str
    category: StyleFileCategory
    url: str
    mimeType: str | None
    sizeBytes: int | None
    width: int | None
    height: int | None
    altText: str | None
    sha256: str | None
    isMain: bool
    sortOrder: int | None
    state: State


class StyleRelation(TypedDict):
    """A link from a style to a related style. It has no state: deletes are permanent."""

    id: int
    styleId: int
    relatedStyleId: int
    relatedStyleNumber: str
    relatedStyleName: str


class ComplianceCategory(TypedDict):
    """A kind of compliance records, such as test reports."""

    id: int
    userDefinedId: NotRequired[str]
    name: str
    description: str | None
    position: int
    state: State


class SampleType(TypedDict):
    """Sample type."""

    id: int
    userDefinedId: NotRequired[str]
    name: str
    commentDeadlineDays: int | None
    position: int
    state: State
    usedInSampleRequests: int


SampleRequestStatus: TypeAlias = (
    Literal["planned", "requested", "confirmed", "sent", "received", "commented", "cancelled"]
)


class SampleRequestSize(TypedDict):
    """Sample request size."""

    sizeRangeSizeId: int
    sizeRangeSizeName: str


class SampleRequest(TypedDict):
    """Sample request."""

    id: int
    styleId: int
    name: str
    unit: str | None
    requestedAt: str
    sampleTypeId: int | None
    status: SampleRequestStatus
    deadline: str | None
    expectedAt: str | None
    trackingNumber: str | None
    comment: str | None
    statusChangedAt: str
    sizes: list[SampleRequestSize]


class Language(TypedDict):
    """A language that names and texts can be translated into."""

    id: int
    name: str
    code: str


class Currency(TypedDict):
    """A currency in which amounts can be given."""

    id: int
    code: str
    name: str
    minorUnits: int


class Country(TypedDict):
    """A country in which companies are and styles are made."""

    id: int
    code: str
    name: str


class ProductGroup(TypedDict):
    """A group of the style."""

    id: int
    userDefinedId: str | None
    name: str


class ProductStyle(TypedDict):
    """The style."""

    id: int
    number: str
    name: NotRequired[str]
    description: NotRequired[str | None]
    status: NotRequired[StyleStatus]
    gender: NotRequired[StyleGender]
    ageGroup: NotRequired[StyleAgeGroup]
    countryOfOriginCode: NotRequired[str | None]
    hsCode: NotRequired[str | None]
    netWeight: NotRequired[float | None]
    brand: NotRequired[dict[str, Any] | None]
    season: NotRequired[dict[str, Any] | None]
    styleCategory: NotRequired[dict[str, Any] | None]
    supplier: NotRequired[dict[str, Any] | None]
    groups: NotRequired[list[ProductGroup]]


class ProductTranslation(TypedDict):
    """Texts of the style in a language."""

    languageId: int
    languageCode: str
    name: str | None
    description: str | None


class ProductColorTranslation(TypedDict):
    """Name of a color in a language."""

    languageId: int
    languageCode: str
    name: str


class ProductFile(TypedDict):
    """A link to an image or document."""

    styleFileId: int
    fileName: str
    category: StyleFileCategory
    url: str
    mimeType: str | None
    sizeBytes: int | None
    width: int | None
    height: int | None
    altText: str | None
    sha256: str | None
    isMain: bool


class EffectivePriceTier(TypedDict):
    """The price of one piece if at least so many are bought."""

    minimumQuantity: int
    amount: float


class ProductPrice(TypedDict):
    """An effective price."""

    priceListId: int
    currencyCode: str
    amount: float
    compareAtAmount: float | None
    lowestAmount30Days: float | None
    validTo: str | None
    tiers: list[EffectivePriceTier]


class ProductSku(TypedDict):
    """An active SKU."""

    styleSkuId: int
    sku: str
    gtin: str | None
    sizeRangeSizeId: int
    sizeName: str
    netWeight: float | None
    prices: list[ProductPrice]


class ProductColor(TypedDict):
    """An active color of the style."""

    styleColorId: int
    colorId: int
    colorUserDefinedId: str | None
    name: str
    translations: list[ProductColorTranslation]
    swatch: dict[str, Any] | None
    files: list[ProductFile]
    skus: list[ProductSku]


class ProductCareText(TypedDict):
    """A text in a language."""

    languageId: int
    languageCode: str
    text: str


class ProductIcon(TypedDict):
    """An icon of a care label."""

    careInstructionIconId: int
    symbol: CareInstructionIconSymbolOrNull
    process: str | None
    userDefinedId: str | None
    text: str
    translations: list[ProductCareText]


class ProductInstruction(TypedDict):
    """A care instruction."""

    careInstructionId: int
    userDefinedId: str | None
    text: str
    translations: list[ProductCareText]


class ProductCare(TypedDict):
    """The care label of a color."""

    styleColorId: int | None
    icons: list[ProductIcon]
    instructions: list[ProductInstruction]


class ProductMaterial(TypedDict):
    """The share of a material."""

    careInstructionMaterialId: int
    userDefinedId: str | None
    text: str
    translations: list[ProductCareText]
    percentage: float
    recycledPercentage: float | None


class ProductLayer(TypedDict):
    """A layer of the style."""

    careInstructionLayerId: int
    userDefinedId: str | None
    text: str
    translations: list[ProductCareText]
    materials: list[ProductMaterial]


class ProductComposition(TypedDict):
    """What a color is made of."""

    styleColorId: int | None
    layers: list[ProductLayer]


class ProductValue(TypedDict):
    """A value in a custom field."""

    customFieldId: int
    userDefinedId: str | None
    name: str
    styleColorId: int | None
    sizeRangeSizeId: int | None
    text: str | None
    number: float | None
    allowedValueId: int | None
    value: str | None


class Product(TypedDict):
    """A style as shops need it in a channel: an active one that is published or delivered."""

    style: ProductStyle
    translations: NotRequired[list[ProductTranslation]]
    colors: NotRequired[list[ProductColor]]
    files: NotRequired[list[ProductFile]]
    care: NotRequired[list[ProductCare]]
    composition: NotRequired[list[ProductComposition]]
    customFieldValues: NotRequired[list[ProductValue]]
    isComplete: NotRequired[bool]
    isRemoved: NotRequired[Literal[True]]


class EffectivePrice(TypedDict):
    """What an SKU costs in a price list on a day."""

    styleSkuId: int
    sku: str
    gtin: str | None
    styleId: int
    priceListId: int
    currencyCode: str
    amount: float
    compareAtAmount: float | None
    lowestAmount30Days: float | None
    validTo: str | None
    tiers: list[EffectivePriceTier]


COLLECTIONS: dict[type[Any], str] = {
    ComplianceCustomField: "compliance-custom-fields",
    StyleCustomField: "style-custom-fields",
    CareInstruction: "care-instructions",
    CareInstructionMaterial: "care-instruction-materials",
    CareInstructionIcon: "care-instruction-icons",
    CareInstructionLayer: "care-instruction-layers",
    Group: "groups",
    Color: "colors",
    SizeRange: "size-ranges",
    ItemCategory: "item-categories",
    SubSupplier: "sub-suppliers",
    Facility: "facilities",
    Brand: "brands",
    ColorGroup: "color-groups",
    StyleCategory: "style-categories",
    Item: "items",
    Supplier: "suppliers",
    Season: "seasons",
    PriceList: "price-lists",
    Channel: "channels",
    Style: "styles",
    BarcodeRange: "barcode-ranges",
    StyleColor: "style-colors",
    Barcode: "barcodes",
    SKU: "style-skus",
    StyleFile: "style-files",
    StyleRelation: "style-relations",
    ComplianceCategory: "compliance-categories",
    SampleType: "sample-types",
    SampleRequest: "sample-requests",
    Language: "languages",
    Currency: "currencies",
    Country: "countries",
    Product: "products",
    EffectivePrice: "effective-prices",
}
"""Path of the collection by type."""


OWN_KEYS: dict[str, dict[str, str]] = {
    "compliance-custom-fields": {"userDefinedId": ""},
    "style-custom-fields": {"userDefinedId": ""},
    "care-instructions": {"userDefinedId": ""},
    "care-instruction-materials": {"userDefinedId": ""},
    "care-instruction-icons": {"userDefinedId": ""},
    "care-instruction-layers": {"userDefinedId": ""},
    "groups": {"userDefinedId": ""},
    "colors": {"userDefinedId": ""},
    "size-ranges": {"userDefinedId": ""},
    "item-categories": {"name": ""},
    "sub-suppliers": {"customId": ""},
    "facilities": {"name": "", "subSupplierId": "sub-suppliers"},
    "brands": {"customId": ""},
    "color-groups": {"userDefinedId": ""},
    "style-categories": {"userDefinedId": ""},
    "items": {"number": ""},
    "suppliers": {"customId": ""},
    "seasons": {"userDefinedId": ""},
    "price-lists": {"userDefinedId": ""},
    "channels": {"userDefinedId": ""},
    "styles": {"number": ""},
    "barcode-ranges": {"userDefinedId": ""},
    "style-colors": {"colorId": "colors", "styleId": "styles"},
    "barcodes": {"barcode": ""},
    "style-skus": {"sku": "", "styleColorId": "style-colors"},
    "style-files": {"fileName": "", "styleId": "styles"},
    "style-relations": {"relatedStyleId": "styles", "styleId": "styles"},
    "compliance-categories": {"userDefinedId": ""},
    "sample-types": {"userDefinedId": ""},
    "sample-requests": {"name": "", "styleId": "styles"},
}
"""Fields of the own key by collection, and references that are set at creation.

Each has the collection that it refers to.
"""


# <!-- end of `make docs` -->
