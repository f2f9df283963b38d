"""Releases of the program, by the migrations that each brought (``migrations/releases.txt``)."""

from bisect import bisect_right
from functools import cache

from service import files


@cache
def releases() -> dict[str, str]:
    """Return the number of the first migration of each release, oldest release first."""
    text = (files.MIGRATIONS / "releases.txt").read_text(encoding="ascii")
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {line[0]: line[1] for line in lines}


def release_of(migration_id: str) -> str:
    """Return the release that brought a migration, such as ``0.2.0`` for ``0014.changes``."""
    names, numbers = list(releases()), list(releases().values())
    return names[bisect_right(numbers, migration_id.partition(".")[0]) - 1]


def is_within(migration_id: str, release: str) -> bool:
    """Return whether the schema of a release has the migration."""
    names = list(releases())
    return names.index(release_of(migration_id)) <= names.index(release)
