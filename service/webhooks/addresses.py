"""Address policy: decides which addresses receivers of webhooks may have (contract, Receivers).

Problem: callers choose the URLs to which the service sends, and the service reaches hosts that they
cannot: metadata services, databases, other programs of its machine (server-side request forgery).
Rejected: checks of the URL alone, because a name resolves to whatever its owner wants, and to
another address a moment later. Chosen: the URL is checked when it is set and before each message,
and every address is checked between the resolution of its name and the connection to that very
address.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, TypeAlias

from yarl import URL

from service.schemas.formats import URL_TEXT
from service.settings import Network

Address: TypeAlias = IPv4Address | IPv6Address

"""Visible ASCII characters without the backslash, which some parsers take for a slash."""
_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?", re.ASCII | re.IGNORECASE)
_NUMERIC: Final = re.compile(r"([0-9]+|0x[0-9a-f]*)", re.ASCII | re.IGNORECASE)
_NAT64: Final = ip_network("64:ff9b::/96")
"""IPv4 addresses as IPv6 (RFC 6052): global if the IPv4 address is."""
_GLOBAL_UNICAST: Final = ip_network("2000::/3")
"""The only other IPv6 addresses of hosts on the internet (IANA, IPv6 Address Space)."""
_RESERVED: Final = tuple(
    map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20"))
)
"""Networks of protocols, relays and examples (RFC 6890, RFC 7526, RFC 9637).

Versions of Python differ in whether ``is_global`` is true for a part of them. The first has a
metadata service; the third is that of Teredo, the fourth that of 6to4, whose relays lead to IPv4.
"""
_METADATA: Final = frozenset({ip_address("168.63.129.16")})
"""Metadata services at public addresses; those of other clouds are at link-local ones."""

NOT_PUBLIC: Final = "The receiver's address is not public."
NEEDS_HTTPS: Final = "Use https."


class AddressPolicy:
    """Policy: public addresses by https, and the operator's private networks by https or http.

    ``private_networks`` are those of the setting ``WEBHOOK_PRIVATE_ADDRESSES``.
    """

    def __init__(self, private_networks: Sequence[Network]) -> None:
        self._private_networks = private_networks

    def url_problem(self, url: str) -> str | None:
        """Return the problem of a receiver's URL as a sentence; None if there is none.

        An address in it is checked by ``refusal``. A name is not resolved: with http it is accepted
        if there are any private networks, and its addresses are checked at the connection.
        """
        parsed = _parsed(url)
        if isinstance(parsed, str):
            return parsed
        if parsed.scheme not in ("http", "https"):
            return NEEDS_HTTPS
        address = literal(str(parsed.raw_host))
        if isinstance(address, str):
            return address
        if address is not None:
            return self.refusal(address, is_plain=parsed.scheme == "http")
        return NEEDS_HTTPS if parsed.scheme == "http" and not self._private_networks else None

    def refusal(self, address: Address, *, is_plain: bool) -> str | None:
        """Return the reason not to connect to an address; None if it is allowed.

        ``is_plain`` is for http, which only private networks allow. An IPv4-mapped IPv6 address
        counts as the IPv4 address. A NAT64 address is public only if the IPv4 address within it
        is, too; for private networks that does not matter.
        """
        own, *embedded = _addresses_in(address)
        if any(own in network for network in self._private_networks):
            return None
        if is_plain:
            return NEEDS_HTTPS
        return None if all(map(_is_public, (own, *embedded))) else NOT_PUBLIC


def literal(host: str) -> Address | str | None:
    """Return the address if a URL's host is one, None for a name, or the problem as a sentence.

    An IPv6 address is without brackets; one with a zone is a problem. So are ``2130706433``,
    ``0177.1`` and ``0x7f.1``, because resolvers take them for addresses.
    """
    if "%" not in host:
        with suppress(ValueError):
            return ip_address(host)
    if not _NAME.fullmatch(host):
        return "Use a host name, or an address such as 203.0.113.7."
    if _NUMERIC.fullmatch(host.rstrip(".").rpartition(".")[2]):
        return "Write the address as four decimal numbers without leading zeros."
    return None


def address_of(resolved: str) -> Address:
    """Return the address of a resolver's text, without its zone; raise ValueError if it is none."""
    return ip_address(resolved.partition("%")[0])


def _parsed(url: str) -> URL | str:
    """Return the parsed URL, or its problem as a sentence. Any scheme with a port is accepted."""
    if not URL_TEXT.fullmatch(url):
        return "Use the characters of URLs, and percent-encode others (RFC 3986)."
    try:
        parsed = URL(url, encoded=True)
        port = parsed.port
    except ValueError:
        return "This is not a URL."
    authority = re.split("[/?#]", url.partition("//")[2], maxsplit=1)[0]
    # The parser also takes +80 and 8_0 for numbers.
    is_number = parsed.explicit_port is None or authority.endswith(f":{port}")
    if not parsed.raw_host or not port or not is_number:
        return "Use a URL such as https://erp.example.com/selvedge."
    if "@" in authority:
        return "Leave out user and password: messages are signed."
    return "Leave out the fragment." if "#" in url else parsed


def _addresses_in(address: Address) -> Iterator[Address]:
    """Yield an address, then the IPv4 address to which a network may translate it.

    For an IPv4-mapped address that is the IPv4 address alone.
    """
    if isinstance(address, IPv4Address):
        yield address
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
        return
    yield address
    if address in _NAT64:
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _is_public(address: Address) -> bool:
    """Return whether an address is of a host on the internet; those within it do not matter."""
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return address in _NAT64
    is_special = address in _METADATA or any(address in network for network in _RESERVED)
    return address.is_global and not address.is_multicast and not is_special
