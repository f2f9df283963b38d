"""SQL snapshots: the output of `selvedge sql` for each resource, in tests/snapshots/sql.

``python -m tests.support.sql_snapshots`` (``make sql-snapshots``) writes them.
"""

from pathlib import Path
from typing import Final

from service.sql_catalog import catalog, render_all

FOLDER: Final = Path(__file__).parents[1] / "snapshots" / "sql"


def pages() -> dict[str, str]:
    """Return the text of each snapshot, by file name."""
    return {f"{name}.sql": render_all(name, entries) for name, entries in catalog().items()}


def write() -> None:
    """Write all snapshots, and remove those of resources that no longer exist."""
    texts = pages()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
