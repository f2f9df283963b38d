"""Shared components: equal parts of several operations become one component with one name."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

import orjson

_WORD: Final = re.compile(r"[A-Za-z0-9]+")

Part = dict[str, Any]


class SharedComponents:
    """Components of a kind, as ``responses``; different ones of a name are numbered from 2.

    A part with one reference to it is no component: ``components`` puts it in place of that.
    """

    def __init__(self, kind: str) -> None:
        self._home = f"#/components/{kind}/"
        self._names = dict[tuple[str, bytes], str]()
        self._parts = dict[str, Part]()
        self._references = defaultdict[str, list[Part]](list)

    def reference(self, name: str, part: Part) -> Part:
        """Return a reference to the component of a part, which is new if no part equals it."""
        key = name, orjson.dumps(part)
        if key not in self._names:
            number = 1 + sum(used == name for used, _ in self._names)
            self._names[key] = name if number == 1 else f"{name}{number}"
            self._parts[self._names[key]] = part
        reference = {"$ref": self._home + self._names[key]}
        self._references[self._names[key]].append(reference)
        return reference

    def components(self) -> dict[str, Part]:
        """Return every component by name, sorted; replace single references by their parts."""
        for name, references in self._references.items():
            if len(references) == 1:
                references[0].clear()
                references[0].update(self._parts.pop(name))
        return {name: self._parts[name] for name in sorted(self._parts)}


def share_parameters(path_items: Iterable[Part]) -> dict[str, Part]:
    """Put references in place of parameters that operations repeat; return their components.

    Parameters that all operations of a path have become parameters of the path.
    """
    lists = [parameters for path_item in path_items for parameters in _lists(path_item)]
    counts = Counter(map(orjson.dumps, chain.from_iterable(lists)))
    shared = SharedComponents("parameters")
    for parameters in lists:
        for index, parameter in enumerate(parameters):
            if counts[orjson.dumps(parameter)] > 1:
                words = _WORD.findall(parameter["name"])
                name = "".join(word[:1].upper() + word[1:] for word in words)
                parameters[index] = shared.reference(name, parameter)
    return shared.components()


def _lists(path_item: Part) -> Iterator[list[Part]]:
    """Yield the lists of the operations of a path, then that of the path if it gets one.

    A path with several operations gets the parameters that all of them have.
    """
    operations = [*path_item.values()]
    common = _common([operation["parameters"] for operation in operations])
    for operation in operations:
        own = [parameter for parameter in operation["parameters"] if parameter not in common]
        operation["parameters"] = own
        if not own:
            del operation["parameters"]
        yield own
    if common:
        path_item["parameters"] = common
        yield common


def _common(lists: list[list[Part]]) -> list[Part]:
    """Return the parameters that all of several lists have."""
    first, *others = lists
    return [each for each in first if others and all(each in other for other in others)]
