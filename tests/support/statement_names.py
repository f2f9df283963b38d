"""Statement names: tells from which statements of ``sql/`` a sent text was filled."""

import re
from typing import Final, NamedTuple

from service.database.statements import Statement, load
from service.files import SQL

_FILES: Final = [load(path.stem) for path in sorted(SQL.glob("*.sql"))]
_STATEMENTS: Final = [statement for file in _FILES for statement in file.values()]
_SIGNATURE: Final = re.compile(r"^-- name: (\w+)\(([\w, ]*)\)", re.MULTILINE)
PARAMETERS: Final = {
    f"{file.name}.{name}": re.findall(r"\w+", names)
    for file in _FILES
    for name, names in _SIGNATURE.findall((SQL / f"{file.name}.sql").read_text("utf-8"))
}
"""Names of the parameters of statements, by file and name; fragments have none."""
_LEAST_LITERAL: Final = 20
"""Characters outside of slots that a text and its statement have in common at least."""


class NamedText(NamedTuple):
    """Name of a statement, with those in its slots in parentheses, and of its first parameters."""

    name: str
    parameters: list[str]


def name_of(text: str) -> NamedText | None:
    """Return the name of a text; None if no statement of ``sql/`` begins and ends as it does.

    Of several statements it is the outermost one, which has more of the text in common: one that
    begins or ends with a slot may be in the slot of another.
    """
    matches = [
        (statement, slots)
        for statement in _STATEMENTS
        if _extent(statement)[1] >= _LEAST_LITERAL
        and (slots := _slots(statement, text)) is not None
    ]
    if not matches:
        return None
    statement, slots = max(matches, key=lambda match: _extent(match[0]))
    fillings = [filling for slot in slots if (filling := name_of(slot))]
    within = ", ".join(dict.fromkeys(filling.name for filling in fillings))
    parameters = [PARAMETERS.get(statement.name, []), *(each.parameters for each in fillings)]
    return NamedText(f"{statement.name}{within and f'({within})'}", max(parameters, key=len))


def _extent(statement: Statement) -> tuple[int, int]:
    """Return how many ends of the statement are no slots, and its length without slots."""
    texts = statement.pieces[::2]
    return bool(texts[0]) + bool(texts[-1]), sum(map(len, texts))


def _slots(statement: Statement, text: str) -> list[str] | None:
    """Return what fills the slots of the statement in the text; None if it is another one's."""
    first, *pieces = statement.pieces[::2]
    if not pieces:
        return [] if text == first else None
    last = pieces.pop()
    position, end = len(first), len(text) - len(last)
    if not text.startswith(first) or not text.endswith(last) or position > end:
        return None
    slots = list[str]()
    for piece in pieces:
        index = text.find(piece, position, end)
        if index < 0:
            return None
        slots.append(text[position:index])
        position = index + len(piece)
    return [*slots, text[position:end]]
