"""Languages of translations (contract, Reference lists)."""

from typing import Final

from service.database.statements import SHARED
from service.queries.path_keys import KeyLookup
from service.queries.resource import Resource

_BY_CODE: Final = SHARED["languages_by_code"].fill(codes="array[lower($2::text)]")


class Languages(Resource):
    """Read-only list that all organizations share; a path may name a language by its code."""

    name = "languages"
    key_lookups = {"id": KeyLookup("code", _BY_CODE)}  # noqa: RUF012
