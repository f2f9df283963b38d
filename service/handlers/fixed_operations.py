"""Operations of records, with those whose path fixes the form of the answer.

Each of the latter is a general operation (see ``operations``) at a path of its own, with the same
handler. There a typed client gets one type from one call; at the general path parameters, headers
and the body choose between several.
"""

from dataclasses import replace
from typing import Final

from service.handlers.operations import (
    BULK_DELETE,
    BULK_PATCH,
    BULK_REPLACE,
    COLLECTION_PATH,
    CREATE,
    DELETE,
    LIST,
    PATCH,
    READ,
    RECORD_PATH,
    REPLACE,
    Operation,
)
from service.http.answer_form import DOCUMENTS, OUTCOMES, WRITABLE


def _with_outcomes(general: Operation) -> Operation:
    """Return a bulk write that always returns outcomes."""
    return replace(
        general,
        name=f"{general.name}_outcomes",
        path=f"{COLLECTION_PATH}/outcomes",
        summary=general.summary.replace(" {several}", "") + ", with outcomes",
        body=tuple(form for form in general.body if form != "create"),
        answer_form=OUTCOMES,
        general=general,
    )


READ_WRITABLE: Final = replace(
    READ,
    name="read_writable",
    path=f"{RECORD_PATH}/writable",
    summary="Read the writable form",
    answer_form=WRITABLE,
    general=READ,
)
CREATE_MANY: Final = replace(
    CREATE,
    name="create_many",
    path=f"{COLLECTION_PATH}/many",
    summary="Create many {several}",
    body=("bulkCreate",),
    answer_form=DOCUMENTS,
    general=CREATE,
)
CREATE_OUTCOMES: Final = _with_outcomes(CREATE)
BULK_REPLACE_OUTCOMES: Final = _with_outcomes(BULK_REPLACE)
BULK_PATCH_OUTCOMES: Final = _with_outcomes(BULK_PATCH)
BULK_DELETE_OUTCOMES: Final = _with_outcomes(BULK_DELETE)

OF_MASTER_RECORDS: Final = (
    *(LIST, CREATE, BULK_REPLACE, BULK_PATCH, BULK_DELETE, CREATE_MANY),
    *(CREATE_OUTCOMES, BULK_REPLACE_OUTCOMES, BULK_PATCH_OUTCOMES, BULK_DELETE_OUTCOMES),
    *(READ, REPLACE, PATCH, DELETE, READ_WRITABLE),
)
"""Operations of each collection of master records, in the order of the OpenAPI document.

Operations on the collection come before those of a single record.
"""
OF_PART_COLLECTIONS: Final = (
    *(LIST, BULK_REPLACE, BULK_PATCH),
    *(BULK_REPLACE_OUTCOMES, BULK_PATCH_OUTCOMES),
)
