"""Tests of the open pages as they are served (tools, Open pages)."""

import re
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import orjson
import pytest
from aiohttp.test_utils import TestClient
from openapi_spec_validator import validate

from service import openapi
from service.extras.pages import guides
from service.extras.pages.page import csp_source, module_names
from service.files import GUIDES
from service.resources.registry import EXPORTED, MASTER_RECORDS
from service.schemas.vocabulary import LANGUAGES, words
from tests.support.api import Answer, Api
from tests.support.offenders import in_each
from tests.support.sampling import Sample

pytestmark = pytest.mark.contract("Open pages")

ASSETS = [*("swagger-ui.css", "swagger-ui-bundle.js", "start.css", "start.js")]
OF_GUIDES = [f"/guides/{path.stem}" for path in GUIDES.glob("*.md") if path.stem != "README"]
READ = ["/", "/data", "/docs", "/guides", *sorted(OF_GUIDES)]
SCRIPTS = [f"/data/{name}" for name in module_names("data")]
WORDS = [f"/data/words.{language}.json" for language in LANGUAGES]
ALL = [
    *READ,
    *("/openapi.json", "/data/page.css", *SCRIPTS, *WORDS),
    *(f"/docs/{asset}" for asset in ASSETS),
]
_SCRIPTS_BYTES, _WORDS_BYTES = 140_000, 30_000
_ADDRESS = re.compile(r'(?:href|src)="([^"]*)"')


@pytest.fixture
def anybody(shared_client: TestClient[Any, Any]) -> Api:
    """A caller without a key."""
    return Api(shared_client, "")


@pytest.mark.contract("OpenAPI document")
async def test_the_document_is_that_of_the_routes(anybody: Api) -> None:
    answer = await anybody.get("/openapi.json")
    assert answer.headers["Content-Type"] == "application/json"
    assert orjson.loads(answer.raw) == openapi.build()


@pytest.mark.contract("OpenAPI document")
async def test_a_document_is_of_the_collections_that_the_query_names(anybody: Api) -> None:
    answer = await anybody.get("/openapi.json?collection=styles&collection=brands")
    document = orjson.loads(answer.raw)
    validate(document)
    assert len(answer.raw) < len(openapi.document()) / 2
    collections = {path.split("/")[2] for path in document["paths"]}
    others = {"audit", "changes", "export", "keys", "me"}
    others |= {"migration-verification", "transaction", "webhooks"}
    # Products are styles, too.
    assert collections == {"styles", "products", "brands"} | others
    assert "/api/styles/{id}/measurement-charts" not in document["paths"]
    schemas = document["components"]["schemas"]
    assert schemas["WebhookCollection"]["enum"] == ["brands", "styles"]
    assert schemas["ExportedCollection"]["enum"] == ["brands", "styles"]
    assert len(schemas["Change"]["oneOf"]) == len(schemas["TransactionEntry"]["oneOf"]) == 2
    used = {tag for item in document["paths"].values() for tag in _tags(item)}
    assert {tag["name"] for tag in document["tags"]} == used
    assert "Color" not in schemas


def _tags(path_item: dict[str, Any]) -> set[str]:
    operations = [each for each in path_item.values() if isinstance(each, dict)]
    return {tag for operation in operations for tag in operation["tags"]}


@pytest.mark.contract("OpenAPI document")
@pytest.mark.parametrize("name", Sample(__name__)(EXPORTED, 3))
def test_every_collection_has_a_valid_document_of_its_own(name: str) -> None:
    validate(openapi.build({name}))


@pytest.mark.contract("OpenAPI document")
async def test_a_document_of_an_unknown_collection_is_refused(anybody: Api) -> None:
    answer = await anybody.get("/openapi.json?collection=style&collections=brands")
    assert answer.status == 400
    kinds = ("invalid_value", "collection"), ("unknown_parameter", "collections")
    assert sorted(answer.details) == [(f"validation_error.{kind}", name) for kind, name in kinds]


@in_each("path", ALL)
async def test_every_page_is_closed_and_asked_about(anybody: Api, path: str) -> None:
    answer = await anybody.get(path)
    assert answer.status == 200
    assert answer.raw
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "frame-ancestors 'none'", "form-action 'none'"} <= {*policy}
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-cache"


@in_each("path", ALL)
async def test_cached_pages_get_304(anybody: Api, path: str) -> None:
    tag = (await anybody.get(path)).headers["ETag"]
    again = await anybody.get(path, headers={"If-None-Match": tag})
    assert (again.status, again.raw, again.headers["ETag"]) == (304, b"", tag)
    assert "Content-Security-Policy" in again.headers
    assert (await anybody.get(path, headers={"If-None-Match": '"other"'})).status == 200


@pytest.mark.parametrize("path", ["/", "/guides/errors", "/docs/swagger-ui-bundle.js"])
async def test_long_pages_are_compressed(anybody: Api, path: str) -> None:
    plain = await anybody.get(path, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    for _ in range(2):
        sent = await _as_sent(anybody, path)
        assert sent.headers["Content-Encoding"] == "gzip"
        assert len(sent.raw) * 2 < len(plain.raw)
        assert zlib.decompress(sent.raw, wbits=31) == plain.raw


async def test_the_scripts_of_the_data_page_are_small(anybody: Api) -> None:
    sizes = [len((await _as_sent(anybody, path)).raw) for path in SCRIPTS]
    assert len(sizes) >= 10
    largest = max([len((await _as_sent(anybody, path)).raw) for path in WORDS])
    assert sum(sizes) <= _SCRIPTS_BYTES
    assert largest <= _WORDS_BYTES


async def test_the_data_page_takes_no_markup_from_texts(anybody: Api) -> None:
    """No sink for markup is used, and the browser would refuse it."""
    policy = (await anybody.get("/data")).headers["Content-Security-Policy"]
    assert {"script-src 'self'", "require-trusted-types-for 'script'"} <= {*policy.split("; ")}
    for path in SCRIPTS:
        script = (await anybody.get(path)).raw.decode()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval", script)


async def _as_sent(api: Api, path: str) -> Answer:
    """Return the answer with its body as it came."""
    session, url = api.client.session, api.client.make_url(path)
    async with session.get(url, headers={"Accept-Encoding": "gzip"}, auto_decompress=False) as got:
        return Answer(got.status, got.headers, await got.read())


async def test_all_pages_have_one_menu_and_the_front_page_names_all_collections(
    anybody: Api,
) -> None:
    texts = {path: (await anybody.get(path)).raw.decode() for path in READ}
    menus = {
        path: re.findall(r">([^<]+)</a>", text.partition("<nav")[2].partition("</nav>")[0])
        for path, text in texts.items()
    }
    assert {*map(tuple, menus.values())} == {("Selvedge", "Data", "Guides", "Try it", "OpenAPI")}
    assert all("Selvedge</title>" in text and 'rel="icon"' in text for text in texts.values())
    cards = texts["/"].partition('<ul class="places holdings">')[2].partition("</ul>")[0]
    assert re.findall("<h3>([^<]+)</h3>", cards) == [*words()["groups"]]
    named = re.findall(r'data-name="([^"]+)">([^<]+)</', cards)
    assert {*named} == {(name, title) for name, (title, *_) in words()["collections"].items()}
    assert {*re.findall('href="data#/([^"]+)"', cards)} == {it.name for it in MASTER_RECORDS}


async def test_a_browser_gets_a_page_where_there_is_none(anybody: Api) -> None:
    accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    for path in ("/guides/nope", "/Data", "/a/b/c", "/docs/x.js", "/%zz"):
        answer = await anybody.get(path, headers={"Accept": accept, "If-None-Match": "*"})
        assert (answer.status, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert b"There is no such page" in answer.raw
        [home] = re.findall(r'href="([./]*)">Selvedge', answer.raw.decode())
        assert urljoin(f"http://proxy/below{path}", home) == "http://proxy/below/"
        plain = await anybody.get(path)
        assert plain.json["code"] in ("not_found.route", "unauthorized")
    for path in ("/api/colors", "/api/nope", "/" + "a/" * 9):
        answer = await anybody.get(path, headers={"Accept": accept})
        assert (answer.status, answer.json["code"]) == (401, "unauthorized")


@in_each("path", READ)
async def test_links_lead_to_pages_of_ours(anybody: Api, path: str) -> None:
    text = (await anybody.get(path)).raw.decode()
    addresses = [address for address in _ADDRESS.findall(text) if not address.startswith("data:")]
    assert len(addresses) >= 4
    for address in addresses:
        # Below whatever path a proxy puts us.
        target = urljoin(f"http://proxy/below{path}", address).partition("#")[0]
        assert target.startswith("http://proxy/below/"), address
        assert target.removeprefix("http://proxy/below") in ALL, address


@in_each("path", ["/", "/guides", *OF_GUIDES])
async def test_pages_fit_their_content_security_policy(anybody: Api, path: str) -> None:
    answer = await anybody.get(path)
    text, policy = answer.raw.decode(), answer.headers["Content-Security-Policy"]
    inline = re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", text, re.DOTALL)
    assert len(inline) == (2 if path == "/" else 1)
    assert all(csp_source(part) in policy for part in inline)
    assert "{{" not in text
    assert "&lt;!--" not in text
    assert not re.search(r" (style|on\w+)=", text)


@pytest.mark.parametrize("path", ["/data/", "/docs/", "/guides/"])
async def test_a_slash_at_the_end_leads_on(anybody: Api, path: str) -> None:
    async with anybody.client.get(path, allow_redirects=False) as response:
        assert response.status == 308
        target = urljoin(f"http://proxy/below{path}", response.headers["Location"])
    assert target == f"http://proxy/below{path.rstrip('/')}"


@pytest.mark.parametrize(
    "path",
    [
        *("/docs/swagger-editor.js", "/docs/LICENSE", "/docs/..%2f__init__.py", "/docs/%00"),
        *("/data/..%2ffront.js", "/data/front.js"),
        *("/guides/README", "/guides/paging.md", "/guides/..%2fcontract", "/guides/%2f"),
    ],
)
async def test_other_files_stay_where_they_are(anybody: Api, path: str) -> None:
    answer = await anybody.get(path)
    assert (answer.status, answer.json["code"]) == (404, "not_found.route")


def test_html_in_a_guide_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# A & <b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [p](paging.md#on)\n"
    (tmp_path / "sly.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(guides, "GUIDES", tmp_path)
    [(path, page)] = guides.guides()
    assert path == "/guides/sly"
    assert b"<script" not in page.body
    assert b"javascript:" not in page.body.replace(b"(javascript:", b"")
    assert b"<title>A &amp; &lt;b&gt;: Selvedge</title>" in page.body
    assert b'href="paging#on"' in page.body
