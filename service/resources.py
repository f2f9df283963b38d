"""The collections of the interface, in the order of its documentation."""

from service.queries.collections import Collection
from service.queries.colors import Colors
from service.queries.groups import Groups
from service.queries.records import MasterRecord

#: The master records: each has the nine operations (contract, section 3).
MASTER_RECORDS: tuple[MasterRecord, ...] = (Groups(), Colors())
from service.queries.samples import Measurements, SampleRequests

#: Lists and reads of what the records refer to.
REFERENCE_LISTS: tuple[Collection, ...] = (
    Collection("color-groups"),
    Collection("languages"),
    Collection("styles"),
)

STYLE_RELATIONS = Collection("style-relations")
    Collection("brands"),
    Collection("style-categories"),
    Collection("items"),
    SampleRequests(),

MEASUREMENTS = Measurements()
