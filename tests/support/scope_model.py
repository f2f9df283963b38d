"""Model of scopes: what each operation needs, by its method and path, apart from the registry."""

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


def grants(scope: str, collection: str, access: str) -> bool:
    """Return whether a single scope without restriction is enough."""
    own, _, most = {"read": "*:read", "write": "*:delete"}.get(scope, scope).partition(":")
    if most not in ACCESSES or own == "audit":
        return False
    is_named = own in ("*", collection) or collection == "any"
    return is_named and ACCESSES.index(access) <= ACCESSES.index(most)
