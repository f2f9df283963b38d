"""What pip installs, told as it goes; where it fails, why, and from which package index.

Run by the interpreter to install for, with pip's own arguments: .venv/bin/python .ci/install.py ...
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = re.compile(r"(?:Collecting|Processing|Requirement already satisfied:) (?:\S*/)?([\w.]+)")
_PROBLEM = re.compile(r"(ERROR|error): |WARNING: Retrying")


def main(arguments: list[str]) -> int:
    """Install, and return pip's exit code."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *arguments]
    lines, count, total = [], 0, _pinned(arguments)
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            lines.append(line.strip())
            if found := _PACKAGE.match(line):
                count += 1
                _show(f"  {count} of {total}: {found[1]}" if total else f"  {found[1]}")
            elif line.startswith("Installing collected"):
                _show("  unpacking")
    _show("", last=True)
    if pip.returncode:
        print("\n".join(_problems(lines)), file=sys.stderr)
        print(f"Installing failed. The package index was {_index(lines)}", file=sys.stderr)
    return pip.returncode


def _pinned(arguments: list[str]) -> int:
    files = [Path(name) for name in arguments if name.endswith(".txt")]
    return len({n for f in files for n in re.findall(r"^[\w.-]+==", f.read_text(), re.MULTILINE)})


def _show(text: str, *, last: bool = False) -> None:
    """A line that the next one replaces on a terminal, and that stays in a file."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text}", end="", flush=True)
    elif not last:
        print(text, flush=True)


def _problems(lines: list[str]) -> Iterator[str]:
    found = [line for line in lines if _PROBLEM.match(line)] or lines
    return (re.sub(r"//[^/@\s]*@", "//", line) for line in dict.fromkeys(found[-5:]))


def _index(lines: list[str]) -> str:
    """What pip said that it looks in; it says nothing where that is what it has built in."""
    for line in lines:
        if line.startswith("Looking in indexes: "):
            return re.sub(r"//[^/@\s]*@", "//", line.partition(": ")[2])
    from pip._internal.models.index import PyPI

    return f"{PyPI.simple_url}, which is pip's default (PIP_INDEX_URL names another)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
