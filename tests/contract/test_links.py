"""Tests of `Link` headers and of the API catalog (contract, Pages; tools, Open pages)."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient
from yarl import URL

from service.routes import Route
from tests.support.api import Answer, Api
from tests.support.changes import PATH as CHANGES
from tests.support.parametrize import of_each_list
from tests.support.serving import serving

pytestmark = pytest.mark.contract("Pages")

GROUPS = "/api/groups"
CATALOG = "/.well-known/api-catalog"


def targets(answer: Answer) -> dict[str, str]:
    """Return the target of each relation of an answer's links."""
    links = [link.partition(">; rel=") for link in ", ".join(_links(answer)).split(", <")]
    return {rel.split(";")[0].strip('"'): target.lstrip("<") for target, _, rel in links if rel}


def _links(answer: Answer) -> list[str]:
    return list(answer.headers.getall("Link", ()))


def of(api: Api, address: str) -> str:
    """Return the path and query of an address of the service that ``api`` calls."""
    url = URL(address)
    assert url.origin() == api.client.make_url("/").origin()
    return url.raw_path_qs


@of_each_list
async def test_each_list_can_be_read_by_its_links(
    route: Route, shared_api: Api, stored: dict[str, int]
) -> None:
    path = route.path.format(**stored)
    first = await shared_api.get(path, {"pageSize": "1"})
    pages = [first]
    while len(pages) < 4 and pages[-1].json["pagination"]["hasMore"]:
        pages.append(await shared_api.get(of(shared_api, targets(pages[-1])["next"])))
    expected = await shared_api.get(path, {"pageSize": str(len(pages))})
    assert [record for page in pages for record in page.data] == expected.data
    for page in pages:
        assert ("next" in targets(page)) is page.json["pagination"]["hasMore"]


async def test_a_cached_page_links_to_the_host_of_the_request(shared_api: Api) -> None:
    path = f"{GROUPS}?pageSize=1"
    for _ in range(2):
        for host in ("one.example.com", "two.example.com:8443", "[::1]:80"):
            answer = await shared_api.get(path, headers={"Host": host})
            assert targets(answer)["next"].startswith(f"http://{host}{GROUPS}?cursor=")


@pytest.mark.parametrize("host", ['a>; rel="evil"', "user@host", "a/b", "a b", ""])
async def test_an_unusable_host_makes_a_relative_link(host: str, shared_api: Api) -> None:
    answer = await shared_api.get(f"{GROUPS}?pageSize=1", headers={"Host": host})
    assert targets(answer)["next"].startswith(f"{GROUPS}?cursor=")


async def test_the_public_url_comes_first(shared_dsn: str, shared_keys: dict[str, str]) -> None:
    url = "https://api.example.com/selvedge"
    async with serving(shared_dsn, PUBLIC_URL=url) as server, TestClient(server) as client:
        api = Api(client, shared_keys["writer"])
        for _ in range(2):
            answer = await api.get(f"{GROUPS}?pageSize=1", headers={"Host": "other.example.com"})
            assert targets(answer)["next"].startswith(f"{url}{GROUPS}?cursor=")
        assert targets(await api.get("/"))["service-doc"] == f"{url}/docs"
        catalog = (await api.get(CATALOG)).json
        assert catalog["linkset"][1]["anchor"] == f"{url}/api"


@pytest.mark.contract("Changes")
async def test_the_feed_links_to_its_next_page(api: Api) -> None:
    for name in ("One", "Two"):
        await api.post(GROUPS, {"name": name})
    first = await api.get(CHANGES, {"limit": "1"})
    second = await api.get(of(api, targets(first)["next"]))
    assert [len(page.data) for page in (first, second)] == [1, 1]
    assert targets(second) == {}
    assert not second.json["pagination"]["hasMore"]


async def test_a_response_that_is_not_modified_has_its_link(shared_api: Api) -> None:
    first = await shared_api.get(f"{GROUPS}?pageSize=1")
    tag = {"If-None-Match": first.headers["ETag"]}
    again = await shared_api.get(f"{GROUPS}?pageSize=1", headers=tag)
    assert (again.status, targets(again)) == (304, targets(first))


@pytest.mark.contract("Open pages")
@pytest.mark.parametrize("path", ["/", "/openapi.json"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_the_descriptions_are_linked(method: str, path: str, shared_client: Any) -> None:
    anybody = Api(shared_client, "")
    links = targets(await anybody.call(method, path))
    assert links == {"service-desc": "/openapi.json", "service-doc": "/docs"}
    for target in links.values():
        assert (await anybody.get(target)).status == 200


@pytest.mark.contract("Open pages")
async def test_the_catalog_leads_to_the_descriptions(shared_client: Any) -> None:
    anybody = Api(shared_client, "")
    answer = await anybody.get(CATALOG)
    assert answer.headers["Content-Type"].startswith("application/linkset+json; profile=")
    catalog, interface = answer.json["linkset"]
    assert catalog["item"] == [{"href": interface["anchor"]}]
    assert of(anybody, interface["anchor"]) == "/api"
    for relation in ("service-desc", "service-doc", "status"):
        for link in interface[relation]:
            described = await anybody.get(of(anybody, link["href"]))
            assert described.status == 200
            assert described.headers["Content-Type"] == link["type"]
    head = await anybody.call("HEAD", CATALOG)
    assert (head.status, head.raw) == (200, b"")
    assert of(anybody, targets(head)["api-catalog"]) == CATALOG
