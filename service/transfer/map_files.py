"""Id map file locator: one file for each installation and organization (contract, Files).

Earlier releases named the files by host and port. Another address of the same service then started
an empty map, and its import created every record a second time.
"""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from yarl import URL

from service.client import Client, Identity, NotFoundError
from service.files import make_private
from service.transfer.errors import TransferError
from service.transfer.id_map import locked_map

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ADDRESS_NAME: Final = re.compile(rf"ids-(?!{_UUID}-[0-9]+\.)(.+)-([0-9]+)\.sqlite3")
"""File name of an earlier release: address and organization."""


async def map_file(client: Client, folder: Path, url: str, *, dry_run: bool) -> Path:
    """Return the path of the map for the client's installation and organization.

    There may be no file yet. If there is none, a map of an earlier release for the address ``url``
    and the organization is renamed to it; a dry run returns that map's own path instead. If there
    is neither, raise TransferError if maps for other addresses and the organization exist: they may
    be this installation's. Raise TransferError, too, for a service without installation ids, and
    SelvedgeError.
    """
    identity = await _identity(client)
    path = folder / f"ids-{identity.installation_id}-{identity.organization_id}.sqlite3"
    if path.exists():
        return path
    earlier = _maps_by_address(folder, identity)
    address = URL(url)
    own = earlier.get(f"{address.host}-{address.port}")
    if own is None:
        _require_none(earlier, path)
        return path
    if dry_run:
        return own
    _adopt(own, path)
    return path


async def _identity(client: Client) -> Identity:
    try:
        return await client.me()
    except NotFoundError as error:
        raise TransferError(
            "the service is of an earlier release, which has no installation id: "
            "upgrade it, or import with its own release"
        ) from error


def _maps_by_address(folder: Path, identity: Identity) -> dict[str, Path]:
    """Return the map files of earlier releases for the organization, by address."""
    matches = ((_ADDRESS_NAME.fullmatch(path.name), path) for path in sorted(folder.iterdir()))
    organization = str(identity.organization_id)
    return {match[1]: path for match, path in matches if match and match[2] == organization}


def _require_none(earlier: dict[str, Path], path: Path) -> None:
    if earlier:
        names = ", ".join(file.name for file in earlier.values())
        raise TransferError(
            f"{names} in {path.parent}: id maps of an earlier release for other addresses; "
            f"rename the one of this service to {path.name}, or move them away if there is none"
        )


def _adopt(earlier: Path, path: Path) -> None:
    """Rename a map after merging the write-ahead log that a killed import may have left.

    Restrict it to its owner. Raise TransferError if it is no usable database, or if another import
    is running.
    """
    try:
        with locked_map(path):
            if not path.exists():
                make_private(earlier).close()
                with closing(sqlite3.connect(earlier)) as connection:
                    connection.execute("pragma journal_mode = delete")
                earlier.rename(path)
    except sqlite3.Error as error:
        raise TransferError(f"the id map {earlier} cannot be used: {error}") from error
