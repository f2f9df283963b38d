"""What care instructions and their materials share: a text with its translations."""

from collections.abc import Iterator, Mapping

from service.database.statements import Statement, load_bound
from service.faults import Fault, repeated
from service.queries.batch import Item
from service.queries.master_record import MasterRecord


class CareText(MasterRecord):
    """Texts of care labels; on replace, what is null or omitted keeps what is stored.

    Translations keep their identity by ``languageId``.
    """

    has_position = True
    children = ("remove_translations", "save_translations")

    def load_statements(self) -> Mapping[str, Statement]:
        """Those that both kinds share, on this one's tables, and its own."""
        return load_bound("care_texts", table=self.table) | dict(super().load_statements())

    def faults(self, item: Item) -> Iterator[Fault]:
        """A text has one translation into a language."""
        languages = item.get("languages")
        if isinstance(languages, list):
            for path, kind, message in repeated([*enumerate(languages)], "languageId"):
                yield ["languages", *path], kind, message
