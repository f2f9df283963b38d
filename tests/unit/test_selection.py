"""Tests of selected fields: documents reduced to named members, with any white space."""

import pytest

from service.handlers.parameters import _reduced

pytestmark = pytest.mark.contract("Selected fields")


@pytest.mark.parametrize("separator", [",", ", ", ",\n", "\r\n,\t"])
def test_white_space_is_between_documents(separator: str) -> None:
    text = separator.join(('{"a": 1,\n"b": [2]}', '[{"b":{"a":3}}, {"a":4}]'))
    assert [*_reduced(f"\n{text}\n", frozenset("b"))] == ['{"b": [2]}', '[{"b":{"a":3}},{}]']


@pytest.mark.parametrize("text", ["1", '{"a":1},null', '["a"]'])
def test_other_values_are_no_documents(text: str) -> None:
    with pytest.raises(ValueError, match="neither object nor list"):
        [*_reduced(text, frozenset("a"))]
