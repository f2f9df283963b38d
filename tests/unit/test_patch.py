"""Tests of JSON Patch on any document: RFC 6902, appendix A, and the service's limits."""

from typing import Any

import pytest

from service.errors import ApiError
from service.handlers.patch import apply
from service.limits import MAX_BODY_BYTES

pytestmark = pytest.mark.contract("Patches")

APPENDIX_A: dict[str, tuple[Any, list[dict[str, Any]], Any]] = {
    "1, adding a member": ({"a": 1}, [{"op": "add", "path": "/b", "value": 2}], {"a": 1, "b": 2}),
    "2, adding an element": (
        {"a": [1, 3]},
        [{"op": "add", "path": "/a/1", "value": 2}],
        {"a": [1, 2, 3]},
    ),
    "3, removing a member": ({"a": 1, "b": 2}, [{"op": "remove", "path": "/b"}], {"a": 1}),
    "4, removing an element": ({"a": [1, 2, 3]}, [{"op": "remove", "path": "/a/1"}], {"a": [1, 3]}),
    "5, replacing a value": (
        {"a": 1, "b": 2},
        [{"op": "replace", "path": "/b", "value": 3}],
        {"a": 1, "b": 3},
    ),
    "6, moving a value": (
        {"a": {"b": 1, "c": 2}, "d": {"e": 3}},
        [{"op": "move", "from": "/a/c", "path": "/d/f"}],
        {"a": {"b": 1}, "d": {"e": 3, "f": 2}},
    ),
    "7, moving an element": (
        {"a": [1, 2, 3, 4]},
        [{"op": "move", "from": "/a/1", "path": "/a/3"}],
        {"a": [1, 3, 4, 2]},
    ),
    "8, testing a value": (
        {"a": "x", "b": [1, 2]},
        [{"op": "test", "path": "/a", "value": "x"}, {"op": "test", "path": "/b/1", "value": 2}],
        {"a": "x", "b": [1, 2]},
    ),
    "9, testing a value that is another": (
        {"a": "x"},
        [{"op": "test", "path": "/a", "value": "y"}],
        "conflict.test_failed",
    ),
    "10, adding a nested object": (
        {"a": 1},
        [{"op": "add", "path": "/b", "value": {"c": {}}}],
        {"a": 1, "b": {"c": {}}},
    ),
    "11, ignoring unknown members": (
        {"a": 1},
        [{"op": "add", "path": "/b", "value": 2, "note": 3}],
        {"a": 1, "b": 2},
    ),
    "12, adding to what is not there": (
        {"a": 1},
        [{"op": "add", "path": "/b/c", "value": 2}],
        "unprocessable.patch",
    ),
    "14, escapes": (
        {"/": 1, "~1": 2},
        [{"op": "test", "path": "/~01", "value": 2}],
        {"/": 1, "~1": 2},
    ),
    "15, comparing texts and numbers": (
        {"~1": 10},
        [{"op": "test", "path": "/~01", "value": "10"}],
        "conflict.test_failed",
    ),
    "16, adding an array": (
        {"a": [1]},
        [{"op": "add", "path": "/a/-", "value": [2, 3]}],
        {"a": [1, [2, 3]]},
    ),
}
OTHERS: dict[str, tuple[Any, list[dict[str, Any]], Any]] = {
    "adding over a member": ({"a": 1}, [{"op": "add", "path": "/a", "value": 2}], {"a": 2}),
    "adding null": ({"a": 1}, [{"op": "add", "path": "/a", "value": None}], {"a": None}),
    "adding at the end by index": (
        {"a": [1]},
        [{"op": "add", "path": "/a/1", "value": 2}],
        {"a": [1, 2]},
    ),
    "adding beyond the end": (
        {"a": [1]},
        [{"op": "add", "path": "/a/2", "value": 2}],
        "unprocessable.patch",
    ),
    "an index with a leading zero": (
        {"a": [1, 2]},
        [{"op": "replace", "path": "/a/01", "value": 2}],
        "unprocessable.patch",
    ),
    "a negative index": ({"a": [1, 2]}, [{"op": "remove", "path": "/a/-1"}], "unprocessable.patch"),
    "replacing past the end": (
        {"a": [1]},
        [{"op": "replace", "path": "/a/-", "value": 2}],
        "unprocessable.patch",
    ),
    "replacing what is not there": (
        {"a": 1},
        [{"op": "replace", "path": "/b", "value": 2}],
        "unprocessable.patch",
    ),
    "removing what is not there": (
        {"a": 1},
        [{"op": "remove", "path": "/b"}],
        "unprocessable.patch",
    ),
    "removing from a text": ({"a": "x"}, [{"op": "remove", "path": "/a/0"}], "unprocessable.patch"),
    "replacing the whole": ({"a": 1}, [{"op": "replace", "path": "", "value": {"b": 2}}], {"b": 2}),
    "moving into its own child": (
        {"a": {"b": {}}},
        [{"op": "move", "from": "/a", "path": "/a/b/c"}],
        "unprocessable.patch",
    ),
    "moving onto itself": ({"a": 1}, [{"op": "move", "from": "/a", "path": "/a"}], {"a": 1}),
    "moving from nowhere": (
        {"a": 1},
        [{"op": "move", "from": "/b", "path": "/a"}],
        "unprocessable.patch",
    ),
    "copying": (
        {"a": [1], "b": []},
        [{"op": "copy", "from": "/a", "path": "/b/-"}, {"op": "add", "path": "/a/-", "value": 2}],
        {"a": [1, 2], "b": [[1]]},
    ),
    "copying from nowhere": (
        {"a": 1},
        [{"op": "copy", "from": "/b", "path": "/a"}],
        "unprocessable.patch",
    ),
    "testing what is not there": (
        {"a": 1},
        [{"op": "test", "path": "/b", "value": None}],
        "conflict.test_failed",
    ),
    "testing true against 1": (
        {"a": True},
        [{"op": "test", "path": "/a", "value": 1}],
        "conflict.test_failed",
    ),
    "testing 1 against 1.0": ({"a": 1}, [{"op": "test", "path": "/a", "value": 1.0}], {"a": 1}),
    "testing members in another order": (
        {"a": {"b": 1, "c": [2, {"d": None}]}},
        [{"op": "test", "path": "/a", "value": {"c": [2, {"d": None}], "b": 1}}],
        {"a": {"b": 1, "c": [2, {"d": None}]}},
    ),
    "testing elements in another order": (
        {"a": [1, 2]},
        [{"op": "test", "path": "/a", "value": [2, 1]}],
        "conflict.test_failed",
    ),
    "testing the whole": ({"a": 1}, [{"op": "test", "path": "", "value": {"a": 1}}], {"a": 1}),
    "an empty name": ({"": 1}, [{"op": "replace", "path": "/", "value": 2}], {"": 2}),
    "nothing": ({"a": 1}, [], {"a": 1}),
}


def outcome(document: Any, operations: list[dict[str, Any]]) -> Any:
    """Return the patched document, or the code of the failure."""
    try:
        return apply(operations, document)
    except ApiError as error:
        return error.code


CASES = APPENDIX_A | OTHERS


@pytest.mark.parametrize(("document", "operations", "expected"), CASES.values(), ids=CASES)
def test_operations(document: Any, operations: list[dict[str, Any]], expected: Any) -> None:
    assert outcome(document, operations) == expected


def test_the_operation_at_fault_is_named() -> None:
    operations: list[dict[str, Any]] = [
        {"op": "add", "path": "/b", "value": 1},
        {"op": "remove", "path": "/c"},
        {"op": "remove", "path": "/d"},
    ]
    with pytest.raises(ApiError) as error:
        apply(operations, {"a": 1})
    assert [detail.field for detail in error.value.details] == ["[1].path"]
    assert error.value.status == 422


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ({"op": "add", "path": "/a/b", "value": 1}, "Nothing can be added at /a/b."),
        ({"op": "add", "path": "/a/{b}", "value": 1}, "Nothing can be added at /a/{b}."),
        ({"op": "remove", "path": "/list/7"}, "There is nothing to remove at /list/7."),
        (
            {"op": "remove", "path": ""},
            "The whole document cannot be moved or removed. Use a path within it.",
        ),
        ({"op": "replace", "path": "/b", "value": 1}, "There is nothing to replace at /b."),
        (
            {"op": "move", "from": "/list", "path": "/list/0"},
            "There is nothing at /list, or it cannot go to /list/0.",
        ),
        (
            {"op": "move", "from": "", "path": "/b"},
            "The whole document cannot be moved or removed. Use a path within it.",
        ),
        (
            {"op": "copy", "from": "/b", "path": "/c"},
            "There is nothing at /b, or nothing can be added at /c.",
        ),
        ({"op": "test", "path": "/b", "value": 1}, "There is nothing at /b."),
        ({"op": "test", "path": "/a", "value": True}, "The stored value differs."),
    ],
)
def test_messages_are_our_own(operation: dict[str, Any], message: str) -> None:
    with pytest.raises(ApiError) as error:
        apply([operation], {"a": 1, "list": [1]})
    assert [detail.message for detail in error.value.details] == [message]


@pytest.mark.contract("Limits")
def test_copies_that_double_are_stopped() -> None:
    """Twenty-one of them would make gigabytes of a few bytes."""
    operations = [{"op": "copy", "from": "/a", "path": "/a/-"} for _ in range(60)]
    assert outcome({"a": ["x" * 100]}, operations) == "payload_too_large"
    fitting = [{"op": "add", "path": "/a", "value": "x" * (MAX_BODY_BYTES // 2)}]
    assert len(outcome({}, fitting)["a"]) == MAX_BODY_BYTES // 2


@pytest.mark.contract("Limits")
def test_copies_of_next_to_nothing_are_stopped_as_well() -> None:
    """Eleven of them would make two million values of 4 kB."""
    operations = [{"op": "copy", "from": "/a", "path": "/a/-"} for _ in range(11)]
    assert outcome({"a": [[]] * 1000}, operations) == "payload_too_large"
    assert len(outcome({"a": [[]] * 1000}, operations[:5])["a"]) == 1005


def test_a_copy_is_of_its_own() -> None:
    operations: list[dict[str, Any]] = [
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/a/b/c", "value": 1},
    ]
    assert outcome({"a": {"b": {}}}, operations) == {"a": {"b": {"c": 1}}, "b": {"b": {}}}
