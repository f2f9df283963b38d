"""Wrong bodies: one fault each, for the collections that can show it."""

from typing import Any, Final

GROUPS, COLORS = "/api/groups", "/api/colors"
CARE, MATERIALS = "/api/care-instructions", "/api/care-instruction-materials"
UNKNOWN: Final = 2**62
LEFT_OUT: Final = object()

#: What makes a body of the collection wrong.
FAULTS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "validation_error.required_field": (GROUPS, {"name": LEFT_OUT}),
    "validation_error.unknown_field": (GROUPS, {"colour": "red"}),
    "validation_error.read_only_field": (CARE, {"position": 1}),
    "validation_error.invalid_type": (GROUPS, {"name": 7}),
    "validation_error.invalid_value": (GROUPS, {"state": "gone"}),
    "validation_error.too_short": (COLORS, {"name": ""}),
    "validation_error.too_long": (COLORS, {"name": "x" * 5000}),
    "validation_error.out_of_range": (CARE, {"languages": [{"languageId": 0, "text": "Dry"}]}),
    "validation_error.duplicate": (CARE, {"languages": [{"languageId": 1, "text": "Dry"}] * 2}),
    "validation_error.unknown_reference": (
        CARE,
        {"languages": [{"languageId": UNKNOWN, "text": "Dry"}]},
    ),
    "validation_error.state_not_allowed": (GROUPS, {"state": "deleted"}),
    "validation_error.feature_disabled": (COLORS, {"languageIds": [1]}),
    "conflict.duplicate": (MATERIALS, {"userDefinedId": "MAT-0042"}),
}


def wrong(path: str, fault: dict[str, Any]) -> dict[str, Any]:
    """Return a valid body with the fault in it."""
    least = {"text" if path in (CARE, MATERIALS) else "name": "Linen"}
    return {name: value for name, value in (least | fault).items() if value is not LEFT_OUT}
