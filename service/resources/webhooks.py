"""Webhooks: subscriptions to the change feed (contract, Webhooks)."""

from service.queries.resource import Resource
from service.schemas.validation import Validator


class Webhooks(Resource):
    """Subscriptions of an organization. Their changes are in the log, not in the change feed."""

    name = "webhooks"
    is_in_feed = False

    def __init__(self) -> None:
        super().__init__()
        self.create_form = Validator(self.name, "create")
        self.merge_form = Validator(self.name, "merge")
        self.rewind_form = Validator(self.name, "rewind")
        self.rotate_form = Validator(self.name, "rotate")
