"""Console output: prints lines with escaped control characters.

Names, file names and responses can contain terminal escape sequences, line breaks and bidirectional
overrides. Printed raw, they control the terminal or disguise text.
"""

import re
import sys
from contextlib import nullcontext
from typing import IO, Final

_UNSAFE: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL and C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, overrides and isolates
    "\u2028\u2029"  # line and paragraph separators
    "\ud800-\udfff"  # surrogates: bytes of a file name that are no UTF-8
    "]"
)


class OperatorError(Exception):
    """Failure that the operator can mend. The message is one line."""


def visible(text: str) -> str:
    r"""Return the text with unsafe characters escaped as in JSON: ``\u001b``.

    They are control characters, line breaks and tabs included, line separators, bidirectional
    controls and surrogates.
    """
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def say(*lines: str, file: IO[str] | None = None, end: str = "\n") -> None:
    """Print lines and flush, by default on standard output, above any progress bar.

    Each argument is one line, in which line breaks are escaped. ``end`` is printed as it is.
    """
    file = file or sys.stdout
    bars = sys.modules.get("tqdm")  # who shows a progress bar has imported it
    # The lock of tqdm starts a process on recent releases of Python, so it is not used.
    with bars.tqdm.external_write_mode(file=file, nolock=True) if bars else nullcontext():
        file.write("\n".join(map(visible, lines)) + end)
    file.flush()
