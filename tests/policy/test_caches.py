"""Policy for caches: each has a bound that no caller can move."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.policy.sources import installed_modules, label, nodes, tree

_DECORATORS = {"cache", "lru_cache"}
#: Why each cache stays small: nothing that callers send multiplies its keys, or they are short.
BOUNDED = {
    "app.py": {"_routing": "no arguments"},
    "database/database_state.py": {"_identifiers": "no arguments"},
    "database/migrations.py": {"_migrations": "one folder"},
    "database/releases.py": {"releases": "no arguments"},
    "database/statements.py": {"load": "the files of sql/"},
    "extras/pages/page_handlers.py": {"_page_of": "16 documents", "_pages": "one document"},
    "http/access_log.py": {"_masked": "1,024 texts, of 300 characters at most"},
    "http/metrics.py": {"observer": "methods, routes and statuses"},
    "http/negotiation.py": {"_coding": "256 headers, of 500 characters at most"},
    "http/headers.py": {
        "_base": "256 hosts, a header each",
        "_quoted": "64 paths, a request line each",
    },
    "handlers/reads.py": dict.fromkeys(
        ("compiled", "_priced"), "1,024 query strings, of 1,000 characters at most"
    ),
    "feed/feed_parameters.py": {"cursor_after": "1,024 cursors without a filter"},
    "listing/page_sql.py": {
        "_batch_text": "numbers of parents, one record or several, hidden or not"
    },
    "listing/properties.py": {"column_of": "the names of fields"},
    "writing/before_images.py": {
        "_imaged_text": "the statements of the resources",
        "_subjects": "the statements of the resources",
    },
    "writing/entry_keys.py": {"entry_keys": "the lists of the schemas"},
    "openapi/__init__.py": {"document": "no arguments"},
    "openapi/bounds.py": {"_bounds": "no arguments"},
    "openapi/components.py": {"_definitions": "no arguments"},
    "extras/pages/api_catalog.py": {
        "api_catalog": "64 addresses of hosts, of 270 characters at most"
    },
    "extras/tables/cells.py": {"_words_of": "the choices of the schemas"},
    "extras/tables/number_formats.py": {"number_format": "1,024 formats, of a bounded process"},
    "extras/tables/workbooks.py": {"_index_of": "16,384 columns, of a bounded process"},
    "extras/pages/page.py": {"missing": "16 paths to the front page, of at most 8 steps"},
    "feed/changed_since.py": {"condition_text": "the collections of the change feed"},
    "records/keyed_values.py": {"keyed_fields": "the resources"},
    "records/reads.py": {"export_text": "the collections, in two forms, of a source or all"},
    "records/links.py": {"stored_text": "the tables of links that a resource has"},
    "writing/previews.py": {"_entry_lists": "the resources"},
    "records/references.py": {"_referred": "the references that resources have"},
    "records/rendering.py": {
        "batch_text": "the forms of resources, times the pages of a batch, alone or not",
        "json_text": "the statements that write",
    },
    "records/usage.py": {"uses_text": "the uses that resources have"},
    "schemas/definitions.py": {
        "definition": "the definitions of the schema files",
        "load": "no arguments",
    },
    "schemas/keyed_lists.py": {"file_at": "the references of the schema files"},
    "schemas/truncate.py": {"_field_names": "no arguments"},
    "schemas/validation.py": {"_compile": "the schema files"},
    "schemas/vocabulary.py": {"words": "the languages"},
}


def cached(module: Path) -> Iterator[str]:
    """Yield the functions of a module that remember what they answer."""
    for node in nodes(tree(module)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                named = decorator.func if isinstance(decorator, ast.Call) else decorator
                if ast.unparse(named).rpartition(".")[2] in _DECORATORS:
                    yield node.name


def test_every_cache_has_a_bound() -> None:
    caches = {
        label(module): names for module in installed_modules() if (names := {*cached(module)})
    }
    assert caches == {module: {*reasons} for module, reasons in BOUNDED.items()}
