"""Access rules of the embedded server: the service's role, its objects, and who may connect."""

import os
import pwd
from pathlib import Path
from typing import Final

import psycopg

from service import files
from service.extras.privileges.accounts import Account

SUPERUSER: Final = "postgres"
ROLE: Final = "selvedge"
"""Role of the service: owner of the database and its objects (``prepare``), and no superuser."""
_MAP: Final = "selvedge"
_ONE_ACCOUNT: Final = "local all all trust\n"
"""Only root and the owner of the server's files can reach the socket: no other check is needed."""
_MAPPED: Final = f"local all all peer map={_MAP}\n"
_PREPARE: Final = files.SQL / "operators" / "embedded.sql"


def write(data_dir: Path, database: Account, service: Account) -> dict[str, str]:
    """Write pg_hba.conf and pg_ident.conf, and return the settings that name them.

    If this process is root's, root and PostgreSQL's account may connect as any role, the service's
    account as ROLE only. Otherwise PostgreSQL and the service run under this process's account, and
    whoever reaches the socket may connect as any role. PostgreSQL reads the files at its start.
    """
    rules = _ONE_ACCOUNT
    lines = []
    if database.uid is not None and service.uid is not None:
        rules = _MAPPED
        accounts = ((os.geteuid(), "all"), (database.uid, "all"), (service.uid, ROLE))
        lines = [f'{_MAP} "{pwd.getpwuid(uid).pw_name}" {role}\n' for uid, role in accounts]
    return {
        "hba_file": str(_replace(data_dir / "pg_hba.conf", rules)),
        "ident_file": str(_replace(data_dir / "pg_ident.conf", "".join(lines))),
    }


def prepare(superuser_dsn: str) -> None:
    """Create the service's role; make it the owner of the database and its objects.

    These are the tables, views, sequences, routines and statistics of the schema ``public``, except
    those of extensions. Earlier releases created them as the superuser. Idempotent; raise
    psycopg.Error if it fails.
    """
    with psycopg.connect(superuser_dsn, autocommit=True) as connection:
        connection.execute(_PREPARE.read_text(encoding="utf-8").replace("{{role}}", ROLE).encode())


def _replace(path: Path, text: str) -> Path:
    """Replace a file by one that PostgreSQL's account can read, whoever owned the old one."""
    with files.fresh(path, 0o644) as file:
        file.write(text)
    return path
