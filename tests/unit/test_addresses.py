"""Tests of the address policy and of receivers: where messages are never sent."""

import socket
from collections.abc import AsyncIterator
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given
from hypothesis import strategies as st

from service.webhooks.addresses import NEEDS_HTTPS, NOT_PUBLIC, AddressPolicy
from service.webhooks.outgoing import Outgoing

pytestmark = pytest.mark.contract("Receivers")

REQUESTS: web.AppKey[list[Any]] = web.AppKey("requests", list)
PUBLIC = AddressPolicy(())
PRIVATE = AddressPolicy((ip_network("127.0.0.0/8"), ip_network("fd00::/8")))


@pytest.mark.parametrize(
    "url",
    [
        "https://erp.example.com/selvedge?tenant=4",
        "https://erp.example.com:8443/",
        "https://203.0.114.7/hook",
        "https://[2a00:1450:4001::5]/hook",
        "https://[64:ff9b::8.8.8.8]/",
        "https://xn--bcher-kva.example.com/",
        "https://erp.example.com./",
        "https://localhost/",
    ],
)
def test_good_urls(url: str) -> None:
    assert PUBLIC.url_problem(url) is None


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "10.0.0.5",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "100.100.100.200",
        "192.0.0.9",
        "192.0.0.192",
        "192.88.99.1",
        "198.18.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "0.0.0.0",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[fe80::1]",
        "[fec0::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::10.0.0.1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[2001:db8::1]",
        "[2001:1::1]",
        "[64:ff9b::169.254.169.254]",
        "[64:ff9b:1::10.0.0.1]",
        "[::ffff:0:127.0.0.1]",
        "[::ffff:169.254.169.254]",
        "[2002:a9fe:a9fe::]",
        "[2002:808:808::1]",
        "[100:0:0:1::1]",
        "[3fff::1]",
        "[4000::1]",
        "[5f00::1]",
    ],
)
def test_private_addresses_are_refused(host: str) -> None:
    assert PUBLIC.url_problem(f"https://{host}:8443/") == NOT_PUBLIC
    assert PUBLIC.url_problem(f"http://{host}/") == NEEDS_HTTPS


@pytest.mark.parametrize(
    "url",
    [
        "https://2130706433/",
        "https://127.1/",
        "https://0177.0.0.1/",
        "https://0x7f.0.0.1/",
        "https://0x7f000001/",
        "https://127.0.0.1./",
        "https://017700000001/",
        "https://1.2.3.4.5/",
        "https://user:password@erp.example.com/",
        "https://user@erp.example.com/",
        "https://@127.0.0.1/",
        "https://erp.example.com@127.0.0.1/",
        "https://erp.example.com/#part",
        "https://erp.example.com\\@127.0.0.1/",
        "https:\\\\erp.example.com",
        "https://erp.example.com/ x",
        'https://erp.example.com/"',
        "https://erp.example.com/<b>",
        "https://erp.example.com/?%g0",
        "https://erp.example.com/\n",
        "https://①②⑦.0.0.1/",
        "https://127。0。0。1/",
        "https://\uff11\uff12\uff17.0.0.1/",
        "https://erp.example.0x1/",
        "https://erp.example.com../",
        "https://erp.example.com:0/",
        "https://erp.example.com:+80/",
        "https://erp.example.com:8_0/",
        "https://[2a00:1450:4001::5]:+80/",
        "https://erp.example.com%00.example.net/",
        "https://erp.example.com%2f@127.0.0.1/",
        "https://user%40example.com:pass%3aword@127.0.0.1/",
        "https://[2a00:1450:4001::5%25eth0]/",
        "https://[2a00:1450:4001::5%eth0]/",
        "https://[fe80::1%25eth0]/",
        "https://exa%6dple.com/",
        "https://[::1",
        "https://erp.example.com:99999/",
        "https:///path",
        "https:",
        "//erp.example.com/",
        "ftp://erp.example.com/",
        "file:///etc/passwd",
        "gopher://erp.example.com/",
        "javascript:alert(1)",
        "http://erp.example.com/",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    assert PUBLIC.url_problem(url)


@pytest.mark.parametrize(
    ("url", "is_good"),
    [
        ("http://127.0.0.1:9000/", True),
        ("https://127.0.0.1/", True),
        ("http://[fd00::7]/", True),
        ("http://[::ffff:127.0.0.1]/", True),
        ("http://erp.example.com/", True),
        ("http://203.0.114.7/", False),
        ("http://10.0.0.1/", False),
        ("https://10.0.0.1/", False),
    ],
)
def test_networks_of_the_operator_are_good_by_http_too(url: str, is_good: bool) -> None:
    assert (PRIVATE.url_problem(url) is None) == is_good


def test_an_address_behind_a_name_by_http_is_one_of_these_networks() -> None:
    assert PRIVATE.refusal(ip_address("203.0.114.7"), is_plain=True) == NEEDS_HTTPS
    assert PRIVATE.refusal(ip_address("127.0.0.9"), is_plain=True) is None
    assert PRIVATE.refusal(ip_address("203.0.114.7"), is_plain=False) is None


@given(number=st.integers(0, 2**32 - 1))
def test_no_notation_of_an_address_is_taken_for_a_name(number: int) -> None:
    """Those that resolvers take for addresses, and the same within IPv6."""
    address = IPv4Address(number)
    parts = [*address.packed]
    notations = [
        str(number),
        hex(number),
        f"0{number:o}",
        ".".join(f"0{part:o}" for part in parts),
        ".".join(map(hex, parts)),
        f"{parts[0]}.{number & 0xFFFFFF}",
        f"{parts[0]}.{parts[1]}.{number & 0xFFFF}",
    ]
    assert all(PUBLIC.url_problem(f"https://{notation}/") for notation in notations)
    is_public = PUBLIC.url_problem(f"https://{address}/") is None
    assert is_public <= address.is_global
    for embedding in (f"::ffff:{address}", f"64:ff9b::{address}", f"::{address}"):
        assert (PUBLIC.url_problem(f"https://[{embedding}]/") is None) <= is_public


@pytest.fixture
async def receiver() -> AsyncIterator[TestServer]:
    """A receiver on the loopback interface, which counts its requests."""

    async def receive(request: web.Request) -> web.StreamResponse:
        app[REQUESTS].append((request.path, dict(request.headers), await request.read()))
        if request.path == "/redirect":
            return web.Response(status=307, headers={"Location": "/"})
        if request.path == "/long":
            return web.Response(body=b"x" * 2**22)
        if request.path == "/later":
            return web.Response(status=429, headers={"Retry-After": "7"})
        return web.Response(status=int(request.query.get("status", 204)))

    app = web.Application()
    app[REQUESTS] = []
    app.router.add_post("/{path:.*}", receive)
    server = TestServer(app)
    await server.start_server()
    yield server
    await server.close()


def names(monkeypatch: pytest.MonkeyPatch, *turns: str) -> list[str]:
    """Make each look-up of a name answer the next of these addresses, with spaces between."""
    hosts: list[str] = []

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        hosts.append(host)
        addresses = turns[min(len(hosts), len(turns)) - 1].split()
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (a, port)) for a in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return hosts


async def post(url: str, policy: AddressPolicy = PRIVATE) -> Any:
    async with Outgoing(policy).receiver(1, url) as receiver:
        return await receiver.post(b"{}", {"webhook-id": "msg_1"})


async def test_a_private_address_behind_a_name_is_never_connected(
    receiver: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for addresses in ("127.0.0.1", "203.0.114.7 127.0.0.1", "::ffff:127.0.0.1", "10.0.0.1%eth0"):
        names(monkeypatch, addresses)
        attempt = await post(f"https://erp.example.com:{receiver.port}/", PUBLIC)
        assert (attempt.result, attempt.error) == ("refused", NOT_PUBLIC)
    attempt = await post(f"https://localhost:{receiver.port}/", PUBLIC)
    assert attempt.result == "refused"
    assert receiver.app[REQUESTS] == []


async def test_the_address_that_was_checked_is_the_one_that_is_connected(
    receiver: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that resolves to another address the next time (rebinding) gains nothing."""
    hosts = names(monkeypatch, "127.0.0.1", "10.0.0.1")
    attempt = await post(f"http://erp.example.com:{receiver.port}/hook")
    assert (attempt.result, attempt.status, hosts) == ("delivered", 204, ["erp.example.com"])
    [(path, headers, body)] = receiver.app[REQUESTS]
    assert (path, body, headers["webhook-id"]) == ("/hook", b"{}", "msg_1")
    assert headers["Host"] == f"erp.example.com:{receiver.port}"


async def test_a_url_is_checked_again_when_it_is_used(receiver: TestServer) -> None:
    """The operator may have taken a network off the list meanwhile."""
    attempt = await post(f"https://127.0.0.1:{receiver.port}/", PUBLIC)
    assert (attempt.result, attempt.error) == ("refused", NOT_PUBLIC)


async def test_answers_of_receivers(receiver: TestServer) -> None:
    root = f"http://127.0.0.1:{receiver.port}"
    redirected = await post(f"{root}/redirect")
    assert (redirected.result, redirected.status) == ("rejected", 307)
    later = await post(f"{root}/later")
    assert (later.result, later.retry_after) == ("throttled", 7.0)
    assert (await post(f"{root}/?status=410")).result == "gone"
    failed = await post(f"{root}/?status=500")
    assert (failed.result, failed.error) == ("rejected", "The receiver answered 500.")
    assert (await post(f"{root}/long")).result == "delivered"
    assert len(receiver.app[REQUESTS]) == 5


async def test_receivers_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    attempt = await post(f"http://127.0.0.1:{port}/")
    assert attempt.result == "unreachable"
    assert str(port) not in attempt.error

    def unknown(*_: Any, **_options: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    attempt = await post("https://nowhere.example.com/")
    assert attempt.error == "The receiver's name cannot be resolved."
