"""Care texts: base class of care instructions and their materials, with translations."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from service.database.statements import Statement, load_bound
from service.error_types import ErrorType
from service.errors import ErrorDetail
from service.listing.related import Related
from service.queries.batch import Item
from service.queries.master_record import MasterRecord
from service.schemas.extra_checks import duplicate_errors


def related_languages(table: str) -> tuple[Related, ...]:
    """Return the translations by which lists of care texts in ``table`` are filtered."""
    return (
        Related(
            "languages",
            f"{table}_translation",
            f"{table}_id",
            {"languageId": "language_id", "id": "id"},
            {"languageCode": "code"},
            "language",
            "related_by_language",
        ),
    )


class CareText(MasterRecord):
    """Texts of care labels, with translations that keep their identity by ``languageId``.

    On replace and patch, null and omitted fields keep their stored values, ``languages`` included;
    a list of translations is the complete set, and an empty one clears them. Created records are
    positioned after all others of their own collection in the organization.
    """

    has_position = True
    keeps_omitted = True
    own_error_types: ClassVar[tuple[str, ...]] = (ErrorType.UNKNOWN_REFERENCE,)
    children = ("remove_translations", "save_translations")

    def load_statements(self) -> Mapping[str, Statement]:
        """Return the shared statements, bound to this resource's tables, and its own.

        Own statements of the same name take precedence.
        """
        return {
            **load_bound("care_texts", table=self.table, **self.scalar_slots()),
            **super().load_statements(),
        }

    def item_errors(self, item: Item) -> Iterator[ErrorDetail]:
        """Yield ``duplicate`` for each translation into a language that an earlier one has."""
        languages = item.get("languages")
        if isinstance(languages, list):
            yield from duplicate_errors(enumerate(languages), "languageId", "languages")
