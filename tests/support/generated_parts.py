"""Generated parts of documents and sources: made from the one table that has their facts.

Each part stands between two marks of its file. ``python -m tests.support.generated_parts``
(``make docs``) writes all of them anew; ``tests/policy/test_generated_parts.py`` compares them.
"""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.error_types import STATUSES, ErrorType
from tests.support import contract_index, record_types
from tests.support.reports import with_section

COMMAND: Final = "make docs"
_ROOT: Final = Path(__file__).parents[2]
_CLIENT_ERRORS: Final = {
    400: "InvalidError",
    401: "UnauthorizedError",
    403: "ForbiddenError",
    404: "NotFoundError",
    409: "ConflictError",
    410: "GoneError",
    412: "PreconditionFailedError",
    422: "UnprocessableError",
    429: "TooManyRequestsError",
    503: "UnavailableError",
}
"""Exception of the client by status. Other statuses raise their base class."""


@dataclass(frozen=True, slots=True)
class GeneratedPart:
    """Part of a file, with the function that returns its text."""

    file: Path
    render: Callable[[], str]

    def current(self, text: str) -> str:
        """Return the file's text with a current part; raise ValueError if it has no marks."""
        is_python = self.file.suffix == ".py"
        section = f"\n\n{self.render()}\n\n\n" if is_python else f"\n{self.render()}\n\n"
        return with_section(text, COMMAND, section, prefix="# " if is_python else "")


def error_meanings() -> str:
    """Return the table of error types with status and meaning."""
    rows = [f"| `{error}` | {error.status} | {error.meaning} |" for error in ErrorType]
    return "\n".join(["| type | status | when |", "|---|---|---|", *rows])


def error_remedies() -> str:
    """Return the table of error types with status and remedy."""
    rows = [f"| `{error}` | {error.status} | {error.remedy} |" for error in ErrorType]
    return "\n".join(["| type | status | what to do |", "|---|---|---|", *rows])


def client_errors() -> str:
    """Return the client's exceptions as source, with the table of them by status."""
    classes = [
        f"class {name}(FailureError):\n{_docstring(f'{status}: {STATUSES[status]}')}"
        for status, name in _CLIENT_ERRORS.items()
    ]
    rows = "".join(f"    {status}: {name},\n" for status, name in _CLIENT_ERRORS.items())
    table = f"_BY_STATUS: dict[int, type[FailureError]] = {{\n{rows}}}"
    return "\n\n\n".join([*classes, table])


def _docstring(text: str) -> str:
    text = text.replace("`", "``")
    if len(text) <= 90:
        return f'    """{text}"""'
    summary, _, rest = text.partition(". ")
    lines = textwrap.fill(rest, 100, initial_indent="    ", subsequent_indent="    ")
    return f'    """{summary}.\n\n{lines}\n    """'


PARTS: Final = (
    GeneratedPart(_ROOT / "docs" / "contract.md", error_meanings),
    GeneratedPart(_ROOT / "docs" / "guides" / "errors.md", error_remedies),
    GeneratedPart(_ROOT / "docs" / "testing.md", contract_index.index),
    GeneratedPart(_ROOT / "service" / "client" / "errors.py", client_errors),
    GeneratedPart(_ROOT / "service" / "client" / "documents.py", record_types.documents),
    GeneratedPart(_ROOT / "service" / "client" / "create_forms.py", record_types.create_forms),
)


def main() -> None:
    """Write every part anew."""
    for part in PARTS:
        text = part.file.read_text(encoding="utf-8")
        part.file.write_text(part.current(text), encoding="utf-8")


if __name__ == "__main__":
    main()
