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


class FacilityCreate(TypedDict):
    """Facility create."""

    name: str
    subSupplierId: str | SubSupplierKey
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


class ItemCreate(TypedDict):
    """Item create."""

    number: str
    name: str
    itemCategoryId: NotRequired[int | ItemCategoryKey | None]
    state: NotRequired[LiveStateOrNull]


class BrandKey(TypedDict):
    """A brand, identified by its own key."""

    customId: str


class StyleCategoryKey(TypedDict):
    """A style category, identified by its own key."""

    userDefinedId: str


class GroupKey(TypedDict):
    """A group, identified by its own key."""

    userDefinedId: str


class StyleCreate(TypedDict):
    """Style create."""

    number: str
    name: str
    brandId: NotRequired[int | BrandKey | None]
    styleCategoryId: NotRequired[int | StyleCategoryKey | None]
    groupIds: NotRequired[list[int | GroupKey] | None]
    state: NotRequired[LiveStateOrNull]


class StyleKey(TypedDict):
    """A style, identified by its own key."""

    number: str


class StyleRelationCreate(TypedDict):
    """Style relation create."""

    styleId: int | StyleKey
    relatedStyleId: int | StyleKey


class SizeRangeKey(TypedDict):
    """A size range, identified by its own key."""

    userDefinedId: str


class SizeRangeSizesKey(TypedDict):
    """Size range sizes key."""

    sizeRangeId: int | SizeRangeKey
    name: str


class MeasurementChartKey(TypedDict):
    """Measurement chart key."""

    name: str


class SampleRequestRequested(TypedDict):
    """Sample request requested."""

    lineId: int | MeasurementChartKey
    sizeRangeSizeId: int | SizeRangeSizesKey
    value: float | str


class SampleRequestCreate(TypedDict):
    """Sample request create."""

    name: str
    sizeRangeSizeIds: NotRequired[list[int | SizeRangeSizesKey] | None]
    unit: NotRequired[str | None]
    requested: NotRequired[list[SampleRequestRequested] | None]
    styleId: int | StyleKey


# <!-- end of `make docs` -->
