"""Model of scopes: what each operation needs, by its method and path, apart from the registry."""

import re
from typing import Final

from service.routes import Route

ACCESSES: Final = ("read", "write", "delete")
PARTS: Final = {
    "/api/colors/{id}/swatch": "color-swatches",
    "/api/styles/{id}/measurement-chart": "measurement-charts",
    "/api/styles/{id}/custom-field-values": "custom-field-values",
    "/api/style-skus/{id}/passport": "passports",
    "/api/barcodes/{id}/passport": "passports",
    "/api/effective-prices": "style-prices",
}
OF_STYLES: Final = (
    *("style-colors", "style-skus", "style-files", "measurement-charts", "style-items"),
    *("style-care-instructions", "sample-requests", "measurements"),
)
"""What a scope to read the styles of a supplier opens, too."""
UNRESTRICTED: Final = ("/export", "/effective-prices")
FREE: Final = ("languages", "currencies", "countries", "me")
ANY: Final = ("changes", "export", "transaction")
APART: Final = {"keys": ("keys", "manage"), "audit": ("audit", "read")}
"""What only a scope of its own allows."""


def needed(route: Route) -> tuple[str, str] | None:
    """Return the collection, or ``any``, and the access that an operation needs; None for none."""
    segments = route.path.split("/")
    name = PARTS.get(route.path, segments[2])
    below = re.fullmatch(r"/api/(.+)s/\{id\}/(.+)", route.path)
    if below and route.method in ("GET", "PUT") and route.path not in PARTS:
        name = "-".join(below.groups())
    if route.path.startswith("/api/styles/{styleId}/"):
        name = {"prices": "style-prices"}.get(segments[4], segments[4])
        name = "measurements" if "measurements" in segments else name
    if name in FREE:
        return None
    if name in APART:
        return APART[name]
    is_read = route.method == "GET" or route.path == "/api/migration-verification"
    access = "read" if is_read else "delete" if route.method == "DELETE" else "write"
    return "any" if name in ANY else name, access


def grants(scope: str, route: Route) -> bool:
    """Return whether a single scope is enough for an operation."""
    need = needed(route)
    if need is None:
        return True
    if need in APART.values():
        return scope == ":".join(need)
    scope = {"read": "*:read", "write": "*:delete"}.get(scope, scope)
    match = re.fullmatch(r"([*a-z-]+)(\[\w+=\d+\])?:(read|write|delete)(\[\w+\])?", scope)
    if match is None or match[1] == "audit":
        return False
    (collection, access), opened = need, {match[1]}
    if match[2]:
        opened |= {*OF_STYLES} if match[1] == "styles" else set()
        # Lists, reads, bulk writes without deletes, the feed and transactions.
        is_closed = route.path.endswith(UNRESTRICTED) or route.method in ("POST", "DELETE")
        if is_closed and route.path != "/api/transaction":
            return False
    is_named = bool(opened & {"*", collection}) or collection == "any"
    return is_named and ACCESSES.index(access) <= ACCESSES.index(match[3])
