"""Files of id maps: one for each installation and organization (contract, Files).

Earlier releases named them by host and port, so another address of the same service began an empty
map, and an import with it created every record a second time.
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

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_BY_ADDRESS: Final = re.compile(rf"ids-(?!{_UUID}-[0-9]+\.)(.+)-([0-9]+)\.sqlite3")
"""Address and organization in the name of an earlier release's map."""


async def map_file(client: Client, folder: Path, url: str, *, rehearsal: bool) -> Path:
    """Return the path of the map for the client's installation and organization.

    A map of an earlier release for the same address is taken over; a rehearsal reads it in place.
    Raises TransferError where maps for other addresses may be this installation's.
    """
    identity = await _identity(client)
    path = folder / f"ids-{identity.installation_id}-{identity.organization_id}.sqlite3"
    if path.exists():
        return path
    earlier = _by_address(folder, identity)
    address = URL(url)
    own = earlier.get(f"{address.host}-{address.port}")
    if own is None:
        _require_none(earlier, path)
        return path
    if rehearsal:
        return own
    _take_over(own, path)
    return path


async def _identity(client: Client) -> Identity:
    try:
        return await client.me()
    except NotFoundError as error:
        raise TransferError(
            "the service is of an earlier release, which does not tell its installation: "
            "upgrade it, or import with the release that it is of"
        ) from error


def _by_address(folder: Path, identity: Identity) -> dict[str, Path]:
    """Return the organization's maps of earlier releases, by address."""
    matches = ((_BY_ADDRESS.fullmatch(path.name), path) for path in sorted(folder.iterdir()))
    organization = str(identity.organization_id)
    return {match[1]: path for match, path in matches if match and match[2] == organization}


def _require_none(earlier: dict[str, Path], path: Path) -> None:
    if earlier:
        names = ", ".join(each.name for each in earlier.values())
        raise TransferError(
            f"{names} in {path.parent}: maps of ids for other addresses, of an earlier release; "
            f"rename the one of this service to {path.name}, or move them away if there is none"
        )


def _take_over(earlier: Path, path: Path) -> None:
    """Rename a map, with what a killed import left in the log beside it."""
    try:
        make_private(earlier)
        with closing(sqlite3.connect(earlier)) as connection:
            connection.execute("pragma journal_mode = delete")
    except sqlite3.Error as error:
        raise TransferError(f"the map of ids at {earlier} cannot be used: {error}") from error
    earlier.rename(path)
