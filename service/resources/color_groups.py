"""Color groups (contract, Color groups)."""

from service.queries.usage import ReferencedBy
from service.resources.plain_records import PlainRecord


class ColorGroups(PlainRecord):
    """Groups of colors: soft delete, refused (``conflict.in_use``) while live colors are in them.

    Deleted colors do not prevent a delete and keep their links. A change of a ``shown`` field,
    a deletion or restore included, also changes the documents of the group's colors (fan-out).
    """

    name = "color-groups"
    table = "color_group"
    shown = ("name", "userDefinedId", "state")
    uses = (
        ReferencedBy(
            "colors",
            "color",
            "color_group_id",
            link="color_in_group",
            owner="color_id",
            key="record.user_defined_id",
        ),
    )
