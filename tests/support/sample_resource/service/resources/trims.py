"""Trims and their sizes."""

from service.records.child_list import ChildList
from service.records.parts import RecordPart
from service.resources.plain_records import PlainRecord


class Trims(PlainRecord):
    """Buttons, zippers and labels, with soft delete."""

    name = "trims"


class TrimSizes(RecordPart):
    """Sizes in which a trim is made; a write replaces them as a whole."""

    name = "trim-sizes"
    owner = Trims
    below = "/sizes"
    list_name = "sizes"
    children = ChildList(noun="size")
