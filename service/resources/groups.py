"""Groups (contract, Groups)."""

from service.queries.usage import ReferencedBy
from service.resources.associations import Restriction
from service.resources.plain_records import PlainRecord


class Groups(Restriction, PlainRecord):
    """Groups of styles: soft delete, refused (``conflict.in_use``) while live styles are in them.

    A delete also removes the group from the restrictions of style custom fields, for good: a
    restore does not bring these back. Documents show ``usedInStyles``, the number of live styles.
    """

    name = "groups"
    table = "style_group"
    noun = "group"
    shown = ("name",)
    uses = (
        ReferencedBy(
            "styles",
            "style",
            "group_id",
            link="style_in_group",
            owner="style_id",
            key="record.number",
        ),
    )
