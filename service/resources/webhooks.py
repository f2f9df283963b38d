"""Webhooks: subscriptions to the change feed (contract, Webhooks)."""

from collections.abc import Mapping

from service.database.statements import Statement, load_bound
from service.limits import LEASE_SECONDS
from service.queries.resource import Resource
from service.schemas.validation import Validator


class Webhooks(Resource):
    """Subscriptions of an organization. Their changes are in the log, not in the change feed."""

    name = "webhooks"
    is_in_feed = False

    def load_statements(self) -> Mapping[str, Statement]:
        """Return the statements, with the seconds of a lease filled in."""
        return load_bound(self.name, lease_seconds=str(LEASE_SECONDS))

    def __init__(self) -> None:
        super().__init__()
        self.create_form = Validator(self.name, "create")
        self.merge_form = Validator(self.name, "merge")
        self.rewind_form = Validator(self.name, "rewind")
        self.rotate_form = Validator(self.name, "rotate")
