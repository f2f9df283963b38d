"""Search by words: the parameter ``q`` of lists (contract, Search).

PostgreSQL folds the words of records and of the query by the same functions
(``migrations/0032.search.sql``). Searched tables have an index of their folded words, except
languages, which are few.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

from service.error_types import ErrorType
from service.limits import MAX_SEARCH_LENGTH
from service.listing.operators import Operator
from service.listing.properties import Property
from service.listing.search_columns import SearchColumns

PARAMETER: Final = "q"
_PREFIX_OPERATORS: Final = ("startsWith", "contains")
_FIRST_WORD: Final = re.compile("^[0-9A-Za-z]+")
QUERY_MESSAGES: Final = {
    ErrorType.INVALID_VALUE: "Remove the character U+0000.",
    ErrorType.TOO_LONG: f"Use at most {MAX_SEARCH_LENGTH} characters.",
    ErrorType.TOO_SHORT: "Use at least one letter or digit.",
}
"""Messages of wrong search texts, by the error types that ``query_error`` returns."""
RELEVANCE: Final = Property(
    "relevance()", "integer", nullable=False, sortable=True, column="record.relevance"
)
"""Property of the sort key that a search without ``sort`` has. No field has this name."""
_SEPARATORS: Final = re.compile(
    r"[\u0000-/:-@\[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u0300-\u036f"
    r"\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e2e\u2e30-\u2e7f\u3000-\u3004\u3008-\u3020"
    r"\u3030\u303d-\u303f\ufe10-\ufe1f\ufe30-\ufe6f\ufffc\ufffd\U0001f000-\U0001faff]+"
)
"""Characters between words: the pattern of ``search_lexemes``, and combining marks, which
``search_fold`` removes."""


@dataclass(frozen=True, slots=True)
class Search:
    """Search of a list: each word of the text must be the beginning of a word in the columns.

    ``text`` is valid: ``query_error`` returns None for it.
    """

    text: str
    columns: SearchColumns


def query_error(text: str) -> ErrorType | None:
    """Return the error type of a search's text; None if it is valid.

    It is ``invalid_value`` for U+0000, ``too_long`` beyond MAX_SEARCH_LENGTH characters, and
    ``too_short`` without a word.
    """
    if "\0" in text:
        return ErrorType.INVALID_VALUE
    if len(text) > MAX_SEARCH_LENGTH:
        return ErrorType.TOO_LONG
    return None if has_word(text) else ErrorType.TOO_SHORT


def has_word(text: str) -> bool:
    """Return whether a text has a letter or digit of any script: any character but separators."""
    return bool(_SEPARATORS.sub("", unicodedata.normalize("NFKD", text)))


def implied_words(operator: Operator, text: Any) -> str:
    """Return text by which a search finds all records that meet a condition, and maybe more.

    ``text`` is the condition's value. Adding the search makes the condition no stricter, but lets
    PostgreSQL use the index of words. Return "" for operators other than ``startsWith`` and
    ``contains``, for a text beyond ASCII, and if there are no such words or more than
    MAX_SEARCH_LENGTH characters of them. A text that a field contains may begin within a word, so
    its first word does not count. Beyond ASCII the condition and the search may fold letters
    differently.
    """
    if operator.name not in _PREFIX_OPERATORS or not isinstance(text, str) or not text.isascii():
        return ""
    words = text if operator.name == "startsWith" else _FIRST_WORD.sub("", text)
    return words if has_word(words) and len(words) <= MAX_SEARCH_LENGTH else ""
