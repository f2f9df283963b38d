"""Colors and their swatches (contract, Colors, Swatches)."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import WritePlan
from service.batches.entry import Item
from service.batches.write_set import WriteSet
from service.error_types import ErrorType
from service.listing.related import Related
from service.records import links
from service.records.parts import RecordPart
from service.resources.plain_records import PlainRecord

_REFERENCES = {"colorGroupIds": "color group", "languageIds": "language"}
_GROUPS = links.Links("color_in_group", owner="color_id", linked="color_group_id")
_LANGUAGES = links.Links(
    "color_language", owner="color_id", linked="language_id", part="color-translations"
)
_TABLES = {"colorGroupIds": _GROUPS, "languageIds": _LANGUAGES}
MULTIPLE_LANGUAGE_IS_OFF: Final = (
    "The multiple-language feature is off. Leave the field empty, or ask the operator to turn it "
    "on: selvedge organization set ID --multiple-language on."
)
"""Message of ``feature_disabled``, for colors and their translations."""


class Colors(PlainRecord):
    """Colors with their color groups and languages: soft delete, refused for those of live styles.

    Without the multiple-language feature, documents still show stored links to languages. The
    writable form shows none, and writes neither accept nor change them. Deletes keep all links.
    """

    name = "colors"
    _written_separately = tuple(_REFERENCES)
    related = (
        Related(
            "colorGroups",
            "color_in_group",
            "color_id",
            {"id": "color_group_id"},
            {"userDefinedId": "user_defined_id"},
            "color_group",
        ),
        Related(
            "languageNames",
            "color_language",
            "color_id",
            {"languageId": "language_id"},
            {"languageCode": "code"},
            "language",
            "related_by_language",
        ),
    )

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the writes of links that differ; report unknown references.

        Without the multiple-language feature, report items with languages (``feature_disabled``)
        and keep the stored links to languages.
        """
        batch = write_set.upserts
        if not batch.items:
            return []
        fields = [*_TABLES]
        if not batch.caller.multiple_language:
            fields.remove("languageIds")
            _refuse_languages(batch)
        items = {item["id"]: item for item in batch.items}
        forms = {item["id"]: orjson.loads(item.form) for item in batch.items if item.form}
        sets, stored_sets = (
            {_TABLES[field]: _links(each, field) for field in fields} for each in (items, forms)
        )
        link_differences = await links.differences(
            batch, sets, stored_sets if len(forms) == len(items) else None
        )
        await self._check_references(write_set, link_differences)
        return links.difference_statements(link_differences)

    async def _check_references(
        self, write_set: WriteSet, link_differences: Mapping[links.Links, links.LinkDifference]
    ) -> None:
        """Report references to records that do not exist and to deleted color groups.

        Lock the color groups that are looked up. Colors that stay deleted may be in deleted groups.
        Unchanged links of live colors are not looked up: a color group cannot be deleted while a
        live color is in it.
        """
        batch = write_set.upserts
        ids = [_ids_to_check(write_set, field, link_differences) for field in _REFERENCES]
        if not any(ids):
            return
        unknown: dict[str, dict[int, bool]] = defaultdict(dict)
        rows = await self._fetch(batch, "unknown_references", *ids)
        for field, reference, is_deleted in rows:
            unknown[field][reference] = is_deleted
        for field, references in unknown.items():
            message = f"There is no such {_REFERENCES[field]}."
            for item_index, item in enumerate(batch.items):
                stays_deleted = item.get("state") == "deleted"
                for id_index, record_id in enumerate(item.get(field) or ()):
                    if record_id in references and not (stays_deleted and references[record_id]):
                        kind = ErrorType.UNKNOWN_REFERENCE
                        batch.fail(item_index, kind, field, id_index, message=message)


def _refuse_languages(batch: Batch) -> None:
    for index, item in enumerate(batch.items):
        if item.get("languageIds"):
            kind, message = ErrorType.FEATURE_DISABLED, MULTIPLE_LANGUAGE_IS_OFF
            batch.fail(index, kind, "languageIds", message=message)


def _ids_to_check(
    write_set: WriteSet, field: str, link_differences: Mapping[links.Links, links.LinkDifference]
) -> set[int]:
    """Return the ids of a field to look up: new links, and all links of restored colors.

    Return all ids that the items have if the write does not compare the field's links: languages
    without the feature.
    """
    difference = link_differences.get(_TABLES[field])
    items, ids = write_set.upserts.items, set[int]()
    if difference is not None:
        restored = {*write_set.restored_ids}
        items = [item for item in items if item["id"] in restored] if restored else []
        ids = {linked_id for _, linked_id in difference.added}
    return ids.union(*(item.get(field) or () for item in items))


def _links(forms: Mapping[int, Item], field: str) -> links.LinkSets:
    """Return the linked ids in a field of writable forms, by record id; none if it is missing."""
    return {record_id: form.get(field) or () for record_id, form in forms.items()}


class ColorSwatches(RecordPart):
    """Color value and image of a color, in columns of its row; a write replaces both."""

    name = "color-swatches"
    owner = Colors
    below = "/swatch"
    is_patched = True

    async def plan(self, batch: Batch) -> WritePlan:
        """Return the write of swatches that differ."""
        rows = await self._fetch(batch, "filled_swatches", batch.ids)
        filled = {row["id"] for row in rows}
        for item in batch.items:
            is_filled = any(item.get(name) is not None for name in ("hex", "imageUrl"))
            was_filled = item["id"] in filled
            batch.note_part(self.name, item["id"], was_filled=was_filled, is_filled=is_filled)
        return [self.bound("set_swatch", batch.json())]
