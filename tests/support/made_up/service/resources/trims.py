"""Trims."""

from service.resources.plain_records import PlainRecord


class Trims(PlainRecord):
    """Buttons, zippers and labels: deleted softly."""

    name = "trims"
    table = "trim"
