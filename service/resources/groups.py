"""Groups (contract, Groups)."""

from service.resources.associations import Restriction


class Groups(Restriction):
    """Groups of styles: deleted softly, unless styles are in them."""

    name = "groups"
    table = "style_group"
    noun = "group"
