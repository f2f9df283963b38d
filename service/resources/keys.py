"""API keys of the caller's organization, without their secrets (contract, Keys)."""

from service.organizations.scopes import KEYS_MANAGE
from service.records.resource import Resource


class Keys(Resource):
    """Keys that were not deleted. Their changes are in the audit log, not in the change feed."""

    name = "keys"
    scope_name = KEYS_MANAGE
    is_in_feed = False
