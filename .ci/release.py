"""Release: checks, distributions, bill of materials, checksums and tag, by ``make release``.

``make release VERSION=0.5.0`` writes to ``dist/0.5.0`` and tags ``v0.5.0``; nothing is pushed.
"""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
BIN: Final = Path(sys.executable).parent


def main() -> None:
    """Release the version of the argument; exit with a line for each reason against it."""
    [version] = sys.argv[1:]
    reasons = [*problems(version)]
    if reasons:
        sys.exit("\n".join(reasons))
    subprocess.run([ROOT / ".ci" / "run"], cwd=ROOT, check=True)
    folder = ROOT / "dist" / version
    build(folder)
    write_bill(folder / f"selvedge-{version}.cdx.json")
    write_checksums(folder)
    _git("tag", "--annotate", f"v{version}", "--message", f"Selvedge {version}")
    print(f"{folder} has the files; publish them and `git push origin v{version}`")


def problems(version: str) -> Iterator[str]:
    """Yield the reasons why the present commit cannot be released as a version."""
    if _git("status", "--porcelain"):
        yield "The work tree has changes: commit or remove them."
    if f"v{version}" in _git("tag").split():
        yield f"v{version} is tagged already: a tag never moves, so release a newer version."
    if (own := program_version()) != version:
        yield f"service/__init__.py has the version {own}: set it to {version}."
    yield from changelog_problems(version)
    newest = _release_of_migrations()
    if newest != version:
        yield f"migrations/releases.txt ends with {newest}: add {version} and its first migration."


def program_version() -> str:
    """Return the version of the program in its source."""
    text = (ROOT / "service" / "__init__.py").read_text(encoding="utf-8")
    return re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)[0]


def changelog_problems(version: str) -> Iterator[str]:
    """Yield what the changelog lacks for a version: its section, and an empty ``[Unreleased]``."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## \[(.+?)\](.*?)(?=^## \[|\Z)", text, re.MULTILINE | re.DOTALL))
    if sections.get("Unreleased", "").strip():
        yield "CHANGELOG.md has entries in [Unreleased]: move them to the version."
    own = sections.get(version, "")
    if not re.match(r" - \d{4}-\d\d-\d\d\n", own):
        yield f"CHANGELOG.md has no section ## [{version}] with a date."
    for heading in ("**Settings**", "**Migrations**", "**Rollback**"):
        if heading not in own:
            yield f"CHANGELOG.md says nothing of {heading} of {version}."


def build(folder: Path) -> None:
    """Build the wheel and the source distribution, and the client's wheel."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder]
    subprocess.run([*command, "--wheel", "--sdist", ROOT], check=True)
    subprocess.run([*command, "--wheel", ROOT / "client"], check=True)


def write_bill(file: Path) -> None:
    """Write the pinned packages, with their hashes, as a CycloneDX bill of materials."""
    options = ["--pyproject", ROOT / "pyproject.toml", "--of", "JSON", "--output-file", file]
    pins = ROOT / "requirements.txt"
    subprocess.run([BIN / "cyclonedx-py", "requirements", *options, pins], check=True)


def write_checksums(folder: Path) -> None:
    """Write the SHA-256 of each file, as ``sha256sum --check`` reads it."""
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="ascii")


def _release_of_migrations() -> str:
    text = (ROOT / "migrations" / "releases.txt").read_text(encoding="ascii")
    return text.splitlines()[-1].split()[0]


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
