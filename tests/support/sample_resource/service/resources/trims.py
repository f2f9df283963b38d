"""Trims."""

from service.resources.plain_records import PlainRecord


class Trims(PlainRecord):
    """Buttons, zippers and labels, with soft delete."""

    name = "trims"
    table = "trim"
