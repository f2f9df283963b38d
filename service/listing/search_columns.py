"""Search columns: those whose words a search reads, and its SQL (contract, Search).

``migrations/0032.search.sql`` has an index of these columns for each table but ``language``, and
``migrations/0033.search_speed.sql`` the newest functions. PostgreSQL uses an index only if
``condition`` has its columns in its order.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

_NAMES: Final = {"name": "name", "text": "text"}
_KEYS: Final = {
    "userDefinedId": "user_defined_id",
    "userDefinedId2": "user_defined_id2",
    "colorReference": "color_reference",
    "customId": "custom_id",
    "number": "number",
    "code": "code",
}


@dataclass(frozen=True, slots=True)
class SearchColumns:
    """Columns of a collection whose words a search finds, in the order of the index."""

    name: str
    """Column of the name or text."""
    keys: tuple[str, ...] = ()
    """Columns of own keys and references."""
    related: tuple[str, str] | None = None
    """Other table that has the columns, and the record's column with the id of its row there.

    None if the record itself has the columns.
    """
    shown: tuple[str, ...] = ()
    """Columns of the record that show name and keys of the related row, by which it is ranked."""
    own: tuple[str, ...] = ()
    """Columns of the record that are searched beside those of the related row."""
    has_gtins: bool = False
    """Whether a text of 8 to 14 digits also means that number with zeros before it."""

    @classmethod
    def of(cls, fields: Collection[str]) -> "SearchColumns | None":
        """Return the columns of a collection's fields, given by their names in documents.

        Return None without a ``name`` or ``text`` among them. The order of ``fields`` is ignored.
        """
        names = [column for field, column in _NAMES.items() if field in fields]
        keys = [column for field, column in _KEYS.items() if field in fields]
        return cls(names[0], tuple(keys)) if names else None

    def has(self, field: str) -> bool:
        """Return whether the words of a field are searched; always False with ``related``."""
        column = (_NAMES | _KEYS).get(field)
        return column is not None and self.related is None and column in (self.name, *self.keys)

    def condition(self, query: str, *, is_read_whole: bool = False) -> str:
        """Return the SQL condition that all words match; ``query`` is SQL of the text.

        It refers to the row as ``record`` and to the organization as ``$1``. With
        ``is_read_whole``, for statements that read every match, the planner does not see the text:
        it keeps one plan, by the index, for all texts. Otherwise it plans each request by the
        number of matches, which can favor another index.
        """
        matched = f"search_query($1::bigint, {query})"
        if self.has_gtins:
            number = f"translate({query}, ' -', '')"
            gtin14 = f"case when {number} ~ '^[0-9]{{8,14}}$' then lpad({number}, 14, '0') end"
            matched = f"({matched} || search_query($1::bigint, coalesce({gtin14}, {query})))"
        if is_read_whole:
            matched = f"(select {matched})"
        columns = (self.name, *self.keys)
        if self.related is None:
            return _condition("record", columns, matched)
        table, column = self.related
        related = (
            f"record.{column} in (select one.id from {table} one"
            f" where one.organization_id = $1::bigint and {_condition('one', columns, matched)})"
        )
        own = _condition("record", self.own, matched)
        return f"({own} or {related})" if self.own else related

    def rank(self, query: str, folded: str) -> str:
        """Return the SQL of the rank of a record, 0 for the best.

        The text is: 0 a whole key, 1 the beginning of a key, 2 that of the name, 3 other words.
        Without keys the name stands for them. Texts are compared folded, as words are. ``query``
        and ``folded`` are SQL of the text and of the folded text. ``search_rank`` costs five times
        as much as the comparison of ASCII texts, which are folded by ``lower`` alone.
        """
        name, *keys = (f"record.{column}" for column in self.shown or (self.name, *self.keys))
        keys = keys or [name]
        beyond_ascii = " or ".join(
            f"octet_length({column}) <> length({column})" for column in dict.fromkeys([name, *keys])
        )
        lower = 'lower({} collate "C")'.format
        begins = f"starts_with({{}}, {folded})".format
        return (
            f"case when {beyond_ascii}\n"
            f"then search_rank({query}, {name}, array[{', '.join(keys)}])\n"
            f"when {' or '.join(begins(lower(key)) for key in keys)}\n"
            f"then case when {' or '.join(f'{lower(key)} = {folded}' for key in keys)}"
            " then 0 else 1 end\n"
            f"when {begins(lower(name))} then 2 else 3 end"
        )


def _condition(alias: str, columns: Iterable[str], matched: str) -> str:
    listed = ", ".join(f"{alias}.{column}" for column in columns)
    return f"search_vector({alias}.organization_id, array[{listed}])\n@@ {matched}"
