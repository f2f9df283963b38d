"""Sample requests of a style, and what was measured on the samples of one size."""

from collections.abc import Mapping
from typing import ClassVar

from service.queries.resource import Resource


class SampleRequests(Resource):
    """The sample requests of one style."""

    name = "sample-requests"
    parents: ClassVar[Mapping[str, str]] = {"styleId": "styles"}


class Measurements(Resource):
    """The requested sizes of a sample request (contract, Measurement read)."""

    name = "measurements"
    parents: ClassVar[Mapping[str, str]] = {
        **SampleRequests.parents,
        "sampleRequestId": SampleRequests.name,
    }
    key = "sizeRangeSizeId"
    own_texts: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the measured values of one requested size",
            "404 where the size was not requested. Discrepancies are for the caller to compute.",
        )
    }
