"""Languages of translations (contract, Reference lists)."""

from service.database.statements import load
from service.queries.path_keys import KeyLookup
from service.queries.resource import Resource


class Languages(Resource):
    """Read-only list that all organizations share; paths name a language by its code, too."""

    name = "languages"
    key_lookups = {"id": KeyLookup("code", load("languages")["by_code"].text)}  # noqa: RUF012
