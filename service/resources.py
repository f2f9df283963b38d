"""The collections of the interface, in the order of its documentation."""

from service.queries.care_instruction_materials import CareInstructionMaterials
from service.queries.care_instructions import CareInstructions
from service.queries.collections import Collection
from service.queries.colors import Colors
from service.queries.compliance_custom_fields import ComplianceCustomFields
from service.queries.groups import Groups
from service.queries.item_categories import ItemCategories
from service.queries.records import MasterRecord
from service.queries.samples import Measurements, SampleRequests
from service.queries.size_ranges import SizeRanges
from service.queries.style_custom_fields import StyleCustomFields
from service.queries.sub_suppliers import SubSuppliers

#: The master records: each has the nine operations (contract, section 3).
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
)

#: Lists and reads of what the records refer to.
REFERENCE_LISTS: tuple[Collection, ...] = (
    Collection("color-groups"),
    Collection("languages"),
    Collection("brands"),
    Collection("style-categories"),
    Collection("items"),
    Collection("styles"),
    SampleRequests(),
)

STYLE_RELATIONS = Collection("style-relations")

MEASUREMENTS = Measurements()
