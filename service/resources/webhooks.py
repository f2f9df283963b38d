"""Webhooks and API keys, which callers administer (contract, Webhooks; Keys)."""

from collections.abc import Mapping

from service.database.statements import Statement, load_bound
from service.limits import LEASE_SECONDS
from service.organizations.scopes import KEYS_MANAGE
from service.records.resource import Resource


class Webhooks(Resource):
    """Subscriptions of an organization. Their changes are logged, and not in the change feed.

    Reads of the collection bypass the response cache, which compares with the change feed.
    """

    name = "webhooks"
    is_in_feed = False

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements, with ``LEASE_SECONDS`` filled in as the length of a lease."""
        return load_bound(self.name, lease_seconds=str(LEASE_SECONDS))


class Keys(Resource):
    """Keys that were not deleted. Their changes are in the audit log, not in the change feed."""

    name = "keys"
    _scope_name = KEYS_MANAGE
    is_in_feed = False
