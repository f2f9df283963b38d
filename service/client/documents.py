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
    """Care instruction."""

    id: int
    userDefinedId: NotRequired[str]
    text: str
    state: State
    position: int
    properties: list[str]
    languages: list[Translation]


class CareInstructionMaterial(TypedDict):
    """Care instruction material."""

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
    """Color group."""

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
    """Color."""

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


class Facility(TypedDict):
    """Facility."""

    id: int
    name: str
    subSupplierId: str
    state: State


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
    """Item."""

    id: int
    number: str
    name: str
    itemCategoryId: NotRequired[int]
    state: State


class Style(TypedDict):
    """Style."""

    id: int
    number: str
    name: str
    brandId: NotRequired[int]
    styleCategoryId: NotRequired[int]
    groupIds: list[int]
    state: State


class StyleRelation(TypedDict):
    """Style relation."""

    id: int
    styleId: int
    relatedStyleId: int
    relatedStyleNumber: str
    relatedStyleName: str


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
    sizes: list[SampleRequestSize]


class Language(TypedDict):
    """Language."""

    id: int
    name: str
    code: str


COLLECTIONS: dict[type[Any], str] = {
    ComplianceCustomField: "compliance-custom-fields",
    StyleCustomField: "style-custom-fields",
    CareInstruction: "care-instructions",
    CareInstructionMaterial: "care-instruction-materials",
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
    Style: "styles",
    StyleRelation: "style-relations",
    SampleRequest: "sample-requests",
    Language: "languages",
}
"""Path of the collection by type."""


# <!-- end of `make docs` -->
