"""Trims."""

from service.queries.master_record import MasterRecord


class Trims(MasterRecord):
    """Buttons, zippers and labels: deleted softly."""

    name = "trims"
    table = "trim"
