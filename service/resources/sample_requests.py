"""Sample requests, and the list of those of one style (contract, Sample requests)."""

from collections.abc import Mapping
from typing import ClassVar

import orjson

from service.batches.batch import FAILED_CREATOR, Batch
from service.batches.change_recorder import BoundStatement, WritePlan
from service.batches.write_set import WriteSet
from service.database.statements import Statement, load, load_bound
from service.error_types import ErrorType
from service.listing.related import Related
from service.records import scalar_columns
from service.records.links import Links, link_statements
from service.records.master_record import HardDeleted
from service.records.path_keys import KeyLookup
from service.records.references import Reference
from service.records.resource import Resource
from service.resources.styles import Styles

_FILE = "sample_requests"
STYLE_KEYS = KeyLookup.of(Styles.name, Styles.table, Styles.stored_state)
_SIZES = Links(
    "sample_request_size",
    owner="sample_request_id",
    linked="size_range_size_id",
    part="measurements",
)
_RELATED_SIZES = Related(
    "sizes",
    "sample_request_size",
    "sample_request_id",
    {"sizeRangeSizeId": "size_range_size_id"},
    {"sizeRangeSizeName": "name"},
    "size_range_size",
)


class SampleRequests(HardDeleted):
    """Requests for samples of a style, without a state: hard delete, measured values included.

    The own key is the name, within the style. Requested values are frozen, for each active line of
    the style's chart, when a size is requested. With the create they are those of ``requested``,
    null for what it lacks; without ``requested`` they are those of the chart. Sizes that are added
    later take those of the chart. The unit is frozen with the create.
    """

    name = "sample-requests"
    scope_field = "styleId"
    sizes_of = "size_ranges_of_style"
    references = (
        # Excludes writers of the style's chart: frozen values come from one version of the chart.
        Reference("styleId", "style", "style", lock="for share"),
        # Deactivated sizes may stay, so the check statement decides which may be newly requested.
        Reference("sampleTypeId", "sample_type", "sample type"),
        Reference("sizeRangeSizeIds", "size_range_size", "size", "true", within="size_range"),
    )
    related = (_RELATED_SIZES,)

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the statements, with documents of the requests of all styles."""
        loaded = super()._load_statements()
        shapes = ("documents", "last_documents")
        return {**loaded, **{name: loaded[name].bind(of_style="") for name in shapes}}

    async def check(self, write_set: WriteSet) -> WritePlan:
        """Return the writes of sizes and frozen values.

        Report unknown references, changes of read-only values, lines and sizes that ``requested``
        repeats or that cannot be requested, and removed sizes with measured values. Lock the styles
        whose charts' values are frozen: until the commit, their charts cannot change.
        """
        upserts = write_set.upserts
        if not upserts.items:
            return []
        plan = await super().check(write_set)
        added = await self._fetch(upserts, "new_sizes", upserts.json())
        _require_charts(upserts, {row["id"] for row in added} | {*write_set.created_ids})
        if grown_ids := sorted({row["id"] for row in added} - {*write_set.created_ids}):
            await self._fetch(upserts, "hold_charts", grown_ids)
        sizes = {item["id"]: item.get("sizeRangeSizeIds") or () for item in upserts.items}
        plan += await link_statements(upserts, {_SIZES: sizes})
        if added:
            pairs = orjson.dumps([tuple(row) for row in added]).decode()
            created_ids = {*write_set.created_ids}
            # Sizes that are added later take the values of the chart, even if an item repeats the
            # values of its creation.
            created = upserts.subset(lambda item: item["id"] in created_ids)
            plan.append(BoundStatement(self.statements["freeze"].text, (created.json(), pairs)))
        return plan


def _require_charts(batch: Batch, freezing_ids: set[int]) -> None:
    """Report items that would freeze a chart whose entry of the same transaction fails."""
    entries = batch.transaction.failed_parts.get("measurement_line", {})
    for index, item in enumerate(batch.items if entries else ()):
        entry = entries.get(item["styleId"])
        if entry is not None and item["id"] in freezing_ids:
            message = FAILED_CREATOR.format(entry)
            batch.fail(index, ErrorType.UNKNOWN_REFERENCE, "styleId", message=message)


REQUEST_KEYS = KeyLookup.of(SampleRequests.name, SampleRequests.table, SampleRequests.stored_state)


class StyleSampleRequests(Resource):
    """List of the sample requests of one style, which also reads one of them; without writes."""

    name = "style-sample-requests"
    collection = SampleRequests.name
    segment = SampleRequests.name
    parents: ClassVar[Mapping[str, str]] = {"styleId": "styles"}
    key_lookups = {"styleId": STYLE_KEYS, "id": REQUEST_KEYS}  # noqa: RUF012
    related = (_RELATED_SIZES,)

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return only the statements of reads, with documents of the style ``$2``."""
        of_style = load(_FILE)["of_style"].text
        slots = scalar_columns.slots(SampleRequests.name)
        loaded = load_bound(_FILE, of_style=of_style, **slots)
        return {name: loaded[name] for name in ("documents", "unknown_parent")}
