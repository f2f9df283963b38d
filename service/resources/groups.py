"""Groups (contract, Groups)."""

from service.queries.references import Use
from service.resources.associations import Restriction


class Groups(Restriction):
    """Groups of styles: deleted softly, unless styles are in them."""

    name = "groups"
    table = "style_group"
    noun = "group"
    uses = (Use("styles", "style", "group_id", link="style_in_group", owner="style_id"),)
