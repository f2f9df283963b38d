"""Query reader: parameters of a query string, with an error detail for each wrong one."""

import re
from collections.abc import Collection, Iterable
from typing import Final

from service.error_types import ErrorType
from service.errors import MAX_SUGGESTIONS, ApiError, ErrorDetail, with_nearest

_WHOLE: Final = re.compile(r"-?[0-9]{1,40}", re.ASCII)
"""Whole number: up to 40 ASCII digits, after a minus for negative ones."""


class QueryReader:
    """Reader of one query string, in time linear in the number of its parameters.

    ``texts`` has the values of each parameter, by name in the order of the query. A method that
    meets a wrong parameter collects an error detail and returns what it returns without the
    parameter (``members``: the allowed names). Callers must end with ``raise_errors``, which raises
    all of them. No method but ``only`` reports parameters that nobody reads.
    """

    __slots__ = ("_errors", "texts")

    def __init__(self, parameters: Iterable[tuple[str, str]]) -> None:
        self.texts: dict[str, list[str]] = {}
        """Values of each parameter; the names are in the order of the query."""
        self._errors: list[ErrorDetail] = []
        for name, text in parameters:
            self.texts.setdefault(name, []).append(text)

    def fail(self, error_type: ErrorType, *path: str | int, message: str | None = None) -> None:
        """Collect an error detail; without a message it gets the one of its type.

        ``path`` such as ``"filter", 0, "value"`` is shown as ``filter[0].value``.
        """
        self._errors.append(ErrorDetail(error_type, path, message))

    def fail_unknown(self, name: str, choices: Iterable[str]) -> None:
        """Report a parameter that does not exist; the message has the closest of ``choices``."""
        message = ErrorType.UNKNOWN_PARAMETER.message
        if len(self._errors) < MAX_SUGGESTIONS:
            message = with_nearest(message, name, choices)
        self.fail(ErrorType.UNKNOWN_PARAMETER, _shown(name), message=message)

    def fail_duplicate(self, name: str) -> None:
        """Report a parameter that is allowed once and occurs more often."""
        self.fail(ErrorType.DUPLICATE, name, message="Give this parameter once.")

    def fail_beside_cursor(self, name: str) -> None:
        """Report a parameter that is not allowed beside a cursor, which carries the query."""
        message = "Leave this out: the cursor has it."
        self.fail(ErrorType.EXCLUSIVE_PARAMETERS, name, message=message)

    def fail_beside(self, name: str, choices: Iterable[str]) -> None:
        """Report a parameter beside another one of ``choices``."""
        message = f"Give {' or '.join(choices)}, not both."
        self.fail(ErrorType.EXCLUSIVE_PARAMETERS, name, message=message)

    def fail_required(self, *path: str | int) -> None:
        """Report a missing parameter."""
        self.fail(ErrorType.REQUIRED_FIELD, *path, message="This parameter is required.")

    def fail_choice(self, choices: Collection[str], *path: str | int) -> None:
        """Report a value that is none of ``choices``; the message lists these in their order."""
        allowed = " or ".join(choices) if len(choices) < 3 else f"one of {', '.join(choices)}"
        self.fail(ErrorType.INVALID_VALUE, *path, message=f"Use {allowed}.")

    def only(self, *names: str) -> None:
        """Report each parameter that is not among ``names``."""
        for name in self.texts:
            if name not in names:
                self.fail_unknown(name, names)

    def single(self, name: str) -> str | None:
        """Return the only value of a parameter; None without it. Report a repeated parameter."""
        texts = self.texts.get(name)
        if texts is None:
            return None
        if len(texts) > 1:
            self.fail_duplicate(name)
            return None
        return texts[0]

    def text(self, name: str) -> str | None:
        """Return a text that a statement can take; None without the parameter."""
        text = self.single(name)
        if text is not None and "\0" in text:
            self.fail(ErrorType.INVALID_VALUE, name, message="Remove the character U+0000.")
        return text

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``, both included.

        Return the default, which may be beyond these, without the parameter.
        """
        text = self.single(name)
        if text is None:
            return default
        if not _WHOLE.fullmatch(text):
            self.fail(ErrorType.INVALID_VALUE, name, message="Use a whole number.")
        elif not low <= int(text) <= high:
            self.fail(ErrorType.OUT_OF_RANGE, name, message=f"Use a number from {low} to {high}.")
        else:
            return int(text)
        return default

    def choice(self, name: str, *choices: str) -> str | None:
        """Return one of ``choices``, equal in letter case; None without the parameter."""
        text = self.single(name)
        if text is None or text in choices:
            return text
        self.fail_choice(choices, name)
        return None

    def members(self, name: str, choices: Collection[str]) -> tuple[str, ...]:
        """Return names separated by commas, once each, in the order of ``choices``; () without.

        Report a repeated parameter, and names that are empty or not among ``choices``.
        """
        text = self.single(name)
        if text is None:
            return ()
        chosen = {*text.split(",")}
        if not chosen <= {*choices}:
            self.fail_choice(choices, name)
        return tuple(choice for choice in choices if choice in chosen)

    def boolean(self, name: str) -> bool:
        """Return whether a parameter is ``true``; it is ``false`` by default."""
        return self.choice(name, "false", "true") == "true"

    def raise_errors(self) -> None:
        """Raise ApiError with the details in the order of the query; return if there are none.

        Details of parameters that the query lacks come last, except missing members of a filter or
        sort key: they come with its other members.
        """
        if not self._errors:
            return
        indexes = dict[str, int]()
        for index, name in enumerate(self.texts):
            indexes.setdefault(_group(_shown(name)), index)
        last = len(self.texts)
        raise ApiError(
            sorted(self._errors, key=lambda detail: indexes.get(_group(str(detail.field)), last))
        )


def _shown(name: str) -> str:
    """Return a parameter's name as error details show it: with NUL escaped."""
    return name.replace("\0", "\\0")


def _group(name: str) -> str:
    """Return the part before the dot, in lowercase: the members of a filter sort together."""
    return name.partition(".")[0].lower()
