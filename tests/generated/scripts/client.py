"""Client script whose types come from the OpenAPI document: openapi-python-client."""

import json
import os
from typing import TypeVar

from selvedge_client.api.changes import follow_changes
from selvedge_client.api.colors import bulk_replace_colors, create_colors, list_colors, patch_color
from selvedge_client.models import (
    BulkFailure,
    ChangeList,
    Color,
    ColorAnswer,
    ColorBulkAnswer,
    ColorChange,
    ColorCreate,
    ColorItem,
    ColorList,
    ColorMerge,
    Conditions,
    FilterOperator,
    FollowChangesFrom,
    PatchOperation,
    PatchOperationOp,
    SortOrder,
    State,
)

from selvedge_client import AuthenticatedClient

T = TypeVar("T")
CLIENT = AuthenticatedClient(os.environ["SELVEDGE_URL"], os.environ["SELVEDGE_API_KEY"])


def given(answer: object, kind: type[T]) -> T:
    assert isinstance(answer, kind), answer
    return answer


def listed() -> list[Color]:
    conditions = Conditions(
        filter0_property="name",
        filter0_operator=FilterOperator.CONTAINS,
        filter0_value="e",
        sort0_property="state",
        sort0_order=SortOrder.ASC,
    )
    conditions["filter[1].property"], conditions["filter[1].value"] = "state", "active"
    conditions["sort[1].property"], conditions["sort[1].order"] = "name", "desc"
    page = list_colors.sync(client=CLIENT, conditions=conditions, page_size=5)
    return given(page, ColorList).data


def created() -> Color:
    body = ColorCreate(name="Sage", color_group_ids=None)
    return given(create_colors.sync(client=CLIENT, body=body), ColorAnswer).data


def followed(cursor: str) -> list[str]:
    page = given(follow_changes.sync(client=CLIENT, cursor=cursor, documents=True), ChangeList)
    colors = [entry.document for entry in page.data if isinstance(entry, ColorChange)]
    return [color.name for color in colors if isinstance(color, Color)]


def now() -> str:
    start = FollowChangesFrom.NOW
    page = given(follow_changes.sync(client=CLIENT, from_=start, documents=True), ChangeList)
    return page.pagination.cursor


def replaced(color: Color) -> Color:
    item = ColorItem(id=color.id, name="Dusty sage", state=State.INACTIVE)
    answer = bulk_replace_colors.sync(
        client=CLIENT, body=[item], idempotency_key=f"python-{color.id}"
    )
    return given(answer, ColorBulkAnswer).data[0]


def patched(color: Color) -> Color:
    change = PatchOperation(op=PatchOperationOp.REPLACE, path="/name", value="Deep sage")
    answer = patch_color.sync(color.id, client=CLIENT, body=[change])
    return given(answer, ColorAnswer).data


def merged(color: Color) -> Color:
    answer = patch_color.sync(color.id, client=CLIENT, body=ColorMerge(name="Pale sage"))
    return given(answer, ColorAnswer).data


def failed() -> list[str]:
    item = ColorItem(id=1, name="", state=State.ACTIVE)
    failure = given(bulk_replace_colors.sync(client=CLIENT, body=[item]), BulkFailure)
    assert failure.error.failed_items == 1
    return [row.type_.value for row in failure.error.details]


start = now()
made = created()
changes = followed(start)
print(
    json.dumps(
        {
            "listed": [color.name for color in listed()],
            "created": made.name,
            "followed": changes,
            "replaced": replaced(made).name,
            "patched": patched(made).name,
            "merged": merged(made).name,
            "failed": failed(),
        }
    )
)
