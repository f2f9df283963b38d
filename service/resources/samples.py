"""Sample requests of a style, and what was measured on the samples of one size."""

from collections.abc import Mapping
from typing import ClassVar

from service.queries.resource import Resource


class SampleRequests(Resource):
    """The sample requests of one style."""

    name = "sample-requests"
    root = "/api/styles/{styleId}/sample-requests"


class Measurements(Resource):
    """The requested sizes of a sample request (specification, Sample request measurement)."""

    name = "measurements"
    root = f"{SampleRequests.root}/{{sampleRequestId}}/measurements"
    key = "sizeRangeSizeId"
    own_texts: ClassVar[Mapping[str, tuple[str, str]]] = {
        "read": (
            "Read the measured values of one requested size",
            "404 where the size was not requested. Discrepancies are for the caller to compute.",
        )
    }
