r"""Visible text: characters that cannot be seen, and keys that look the same (contract, Own keys).

Such characters are white space, controls, format characters, default ignorables (Unicode) and the
empty braille pattern U+2800. JSON Schemas have the pattern ``\S``, which ``VISIBLE`` replaces
where bodies are validated.
"""

import re
from collections.abc import Callable, Iterable
from textwrap import wrap
from typing import Any, Final, TypeAlias
from unicodedata import normalize

_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SPACES: Final = "\x20\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_OTHERS: Final = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_INVISIBLE: Final = _SPACES + _OTHERS + _JOINERS + _SELECTORS
_TAKE_SELECTORS: Final = (
    "\xa9\xae\u1000-\u109f\u1800-\u18aa\u203c\u2049\u2100-\u27ff\u2900-\u2bff\u2e80-\u9fff"
    "\ua840-\ua87f\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003ffff"
)
"""Characters that a variation selector gives another form: emoji, symbols, Han, Mongolian."""


def _escaped(character: str) -> str:
    """Return a character of ``VISIBLE`` as PostgreSQL's regular expressions write it."""
    if character in "[^-]":
        return character
    number = ord(character) or 1
    return f"\\u{number:04x}" if number < 2**16 else f"\\U{number:08x}"


VISIBLE: Final = f"[^{_INVISIBLE}]"
"""Regular expression of a character that can be seen, also for JSON Schema."""
VISIBLE_SQL: Final = "\n".join(
    f"'{part}'" for part in wrap("".join(map(_escaped, VISIBLE)), width=80)
)
"""The same as a literal of PostgreSQL, whose texts have no U+0000."""
Fold: TypeAlias = Callable[[Any], Any]
"""Function that returns the same for keys that are one key: ``normal`` or ``as_sent``."""
_VISIBLE: Final = re.compile(VISIBLE)
_INVISIBLE_END: Final = re.compile(rf"\A[{_INVISIBLE}]|[{_INVISIBLE}]\Z")
_INVISIBLE_WITHIN: Final = re.compile(
    rf"[\xa0\u1680\u2000-\u200a\u202f\u205f{_OTHERS}]"
    rf"|(?<![{_TAKE_SELECTORS}])(?<![0-9#*](?=\ufe0f\u20e3))[{_SELECTORS}]"
)
"""Joiners may stand within a key, and so may U+0020 and the wide space U+3000."""


def with_visible_patterns(schema: Any) -> Any:
    r"""Return a copy of a schema with ``VISIBLE`` for the pattern ``\S``."""
    if isinstance(schema, dict):
        changed = {key: with_visible_patterns(value) for key, value in schema.items()}
        return changed | {"pattern": VISIBLE} if schema.get("pattern") == "\\S" else changed
    return [*map(with_visible_patterns, schema)] if isinstance(schema, list) else schema


def is_blank(text: str) -> bool:
    """Return whether no character of a text can be seen."""
    return _VISIBLE.search(text) is None


def key_problem(text: str) -> str | None:
    """Return what is wrong with a new key that may look like another one; None if nothing is."""
    if text.isascii() and text.isprintable() and text == text.strip():
        return None
    if _INVISIBLE_END.search(text):
        return "Remove what cannot be seen, such as white space, from the ends of the key."
    if hidden := _INVISIBLE_WITHIN.search(text):
        return f"Remove U+{ord(hidden[0]):04X} from the key, or use a plain space."
    return None


def as_sent(key: Any) -> Any:
    """Return a key as it is."""
    return key


def normal(key: Any) -> Any:
    """Return a key that is a text in the normal form NFC, any other one as it is."""
    return normalize("NFC", key) if isinstance(key, str) else key


def normal_forms(keys: Iterable[Any]) -> list[Any]:
    """Return the keys, those beyond ASCII also in the normal forms NFC and NFD."""
    forms = dict[Any, None]()
    for key in keys:
        forms[key] = None
        if isinstance(key, str) and not key.isascii():
            forms |= dict.fromkeys((normalize("NFC", key), normalize("NFD", key)))
    return [*forms]
