"""Caller of every kind of call without casts: classes tell unions apart. openapi-python-client."""

import json
import os
from typing import TypeVar

from selvedge_client.api.changes import follow_changes
from selvedge_client.api.color_translations import (
    bulk_replace_color_translation_sets,
    list_color_translation_sets,
)
from selvedge_client.api.colors import (
    bulk_delete_colors,
    bulk_patch_colors,
    bulk_replace_colors,
    create_colors,
    list_colors,
    read_color,
    replace_color,
)

from selvedge_client import AuthenticatedClient
from selvedge_client import models as m

T = TypeVar("T")
HERE = AuthenticatedClient(os.environ["SELVEDGE_URL"], os.environ["SELVEDGE_API_KEY"])
ACTIVE = m.State.ACTIVE


def given(answer: object, kind: type[T]) -> T:
    """Return the answer; errors are of other types."""
    assert isinstance(answer, kind), answer
    return answer


conditions = m.Conditions(
    filter0_property="name",
    filter0_operator=m.FilterOperator.CONTAINS,
    filter0_value="e",
    sort0_property="name",
    sort0_order=m.SortOrder.DESC,
)
now = follow_changes.sync(client=HERE, from_=m.FollowChangesFrom.NOW, documents=True)
start = given(now, m.ChangeList)
listed = list_colors.sync(client=HERE, conditions=conditions, page_size=5, state=[ACTIVE])

new_color = m.ColorCreate(name="Sage", user_defined_id="ALL-1")
sage = given(create_colors.sync(client=HERE, body=new_color), m.ColorAnswer).data
new_colors = [m.ColorCreate(name="Ash", user_defined_id="ALL-2"), m.ColorCreate(name="Bone")]
ash, bone = given(create_colors.sync(client=HERE, body=new_colors), m.ColorBulkAnswer).data

writable = read_color.sync(sage.id, client=HERE, form=m.ReadColorForm.WRITABLE)
form = given(writable, m.ColorWritableAnswer).data
form.color_note = "Calm"
replacement = m.ColorReplace.from_dict(form.to_dict())
back = replace_color.sync(sage.id, client=HERE, body=replacement)
read = read_color.sync(sage.id, client=HERE)
white = m.ColorItem(id=bone.id, name="Bone white", state=ACTIVE)
bulk = bulk_replace_colors.sync(client=HERE, body=[white])

preview = bulk_replace_colors.sync(
    client=HERE,
    match=m.BulkReplaceColorsMatch.USERDEFINEDID,
    dry_run=True,
    preview=True,
    body=[
        m.ColorItem(user_defined_id="ALL-2", name="Ash gray", state=ACTIVE),
        m.ColorItem(user_defined_id="ALL-3", name="Coal", state=ACTIVE),
    ],
)
note = m.ColorMergeItem(id=ash.id, color_note="Warm")
merged = bulk_patch_colors.sync(client=HERE, body=[note], on_error=m.BulkPatchColorsOnError.SKIP)
removed = bulk_delete_colors.sync(
    client=HERE,
    match=m.BulkDeleteColorsMatch.USERDEFINEDID,
    keys=["ALL-1", "ALL-2", "ALL-4"],
    on_error=m.BulkDeleteColorsOnError.SKIP,
)
sets = list_color_translation_sets.sync(client=HERE, page_size=1)
[stored] = given(sets, m.ColorTranslationSetList).data
item = m.ColorTranslationSetItem.from_dict(stored.to_dict())
parts = bulk_replace_color_translation_sets.sync(client=HERE, body=[item])
part_outcomes = bulk_replace_color_translation_sets.sync(
    client=HERE, body=[item], on_error=m.BulkReplaceColorTranslationSetsOnError.SKIP
)
feed = follow_changes.sync(client=HERE, cursor=start.pagination.cursor, documents=True)

entries = given(feed, m.ChangeList).data
documents = [entry.document if isinstance(entry, m.ColorChange) else None for entry in entries]
previewed = given(preview, m.Outcomes).data
answers = [given(answer, m.Outcomes) for answer in (merged, removed, part_outcomes)]
print(
    json.dumps(
        {
            "listed": [color.name for color in given(listed, m.ColorList).data],
            "notes": [given(answer, m.ColorAnswer).data.color_note for answer in (back, read)],
            "bulk": [color.name for color in given(bulk, m.ColorBulkAnswer).data],
            "previewed": [[row.outcome.value, len(row.changes or [])] for row in previewed],
            "outcomes": [row.outcome.value for answer in answers for row in answer.data],
            "parts": [
                len(part.translations) > 0
                for part in given(parts, m.ColorTranslationSetBulkAnswer).data
            ],
            "followed": [
                document.name if isinstance(document, m.Color) else None for document in documents
            ],
        }
    )
)
