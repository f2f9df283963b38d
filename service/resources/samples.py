"""Sample requests of a style, and what was measured on the samples of one size."""

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
