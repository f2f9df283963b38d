"""The peers' SQL: the same statements for every stack."""

from pathlib import Path

_SQL = {path.stem: path.read_text() for path in (Path(__file__).parent / "sql").glob("*.sql")}


def sql(name: str) -> str:
    """The text of a statement."""
    return _SQL[name]
