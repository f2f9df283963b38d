"""Model of scopes: what each operation needs, by its method and path, apart from the registry."""

import re
from typing import Final

from service.routes import Route

ACCESSES: Final = ("read", "write", "delete")
PARTS: Final = {
    "/api/size-ranges/{id}/sizes": "size-range-sizes",
    "/api/colors/{id}/translations": "color-translations",
    "/api/colors/{id}/swatch": "color-swatches",
    "/api/styles/{id}/translations": "style-translations",
    "/api/styles/{id}/measurement-chart": "measurement-charts",
    "/api/styles/{id}/supplier-facilities": "style-supplier-facilities",
    "/api/styles/{id}/contacts": "style-contacts",
    "/api/styles/{id}/custom-field-values": "custom-field-values",
    "/api/styles/{id}/items": "style-items",
    "/api/styles/{id}/care-instructions": "style-care-instructions",
    "/api/styles/{id}/completeness": "style-completeness",
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


def needed(route: Route) -> tuple[str, str] | None:
    """Return the collection, or ``any``, and the access that an operation needs; None for none."""
    segments = route.path.split("/")
    name = PARTS.get(route.path, segments[2])
    if route.path.startswith("/api/styles/{styleId}/"):
        name = {"prices": "style-prices"}.get(segments[4], segments[4])
        name = "measurements" if "measurements" in segments else name
    if name in FREE:
        return None
    is_read = route.method == "GET" or route.path == "/api/migration-verification"
    access = "read" if is_read else "delete" if route.method == "DELETE" else "write"
    return "any" if name in ANY else name, access


def grants(scope: str, route: Route) -> bool:
    """Return whether a single scope is enough for an operation."""
    need = needed(route)
    if need is None:
        return True
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
