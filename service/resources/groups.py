"""Groups (contract, Groups)."""

from service.queries.master_record import MasterRecord


class Groups(MasterRecord):
    """Groups of styles: deleted softly, unless styles are in them."""

    name = "groups"
    table = "style_group"
    deletes = ("delete", "delete_restrictions")
