"""ERP: the records of a whole apparel product-data system, identified by its own keys alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Records = list[dict[str, Any]]
RecordSet = tuple[str, Records]
_LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl")
_SIZES: Final = ("S", "M", "L")
_LINES: Final = ("Chest", "Waist", "Sleeve")


@dataclass
class Erp:
    """ERP of 20,000 colors, divided by ``divisor``; ``truth`` is what a night sends."""

    divisor: int
    mark: str = "One"
    """Part of the names that change."""
    changed: float = 1.0
    """Share of the records whose names have the mark; the others have the first one."""
    sold: int = 0
    """Number of colors, and of relations, that are gone."""
    renames: Mapping[str, str] = field(default_factory=dict)
    """New keys of colors, by their former ones."""

    def truth(self) -> Iterator[RecordSet]:
        """Yield the collections in the order of their references, parts after their owners."""
        yield "brands", [self._record("customId", f"B{n}", n) for n in range(2)]
        yield "groups", self._named("G", 500)
        yield "colors", self._colors()
        yield "style-custom-fields", [*map(self._field, self._few(300))]
        yield "sub-suppliers", self._suppliers()
        yield "care-instructions", [*map(self._care, self._few(2_000))]
        yield "size-ranges", self._named("R", 40)
        yield "size-range-sizes", [*map(self._sizes, self._few(40))]
        yield "styles", [*map(self._style, self._few(3_000))]
        yield "measurement-charts", [*map(self._chart, self._few(300))]
        yield "style-relations", self._relations()
        yield "sample-requests", [*map(self._request, self._few(400))]
        yield "measurements", [*map(self._measured, self._few(400))]

    def _few(self, count: int) -> range:
        return range(count // self.divisor)

    def _mark(self, number: int) -> str:
        return self.mark if number % 1000 < self.changed * 1000 else "One"

    def _record(self, own_key: str, key: str, number: int) -> dict[str, Any]:
        return {own_key: key, "name": f"{self._mark(number)} {key}", "state": "active"}

    def _named(self, letter: str, count: int) -> Records:
        return [self._record("userDefinedId", f"{letter}-{n}", n) for n in self._few(count)]

    def _colors(self) -> Records:
        colors = self._named("C", 20_000)[self.sold :]
        new_keys = self.renames.get
        return [
            color | ({"newKey": new_key} if (new_key := new_keys(color["userDefinedId"])) else {})
            for color in colors
        ]

    def _suppliers(self) -> Records:
        return [self._record("customId", f"M-{n}", n) for n in self._few(40)]

    def _field(self, number: int) -> dict[str, Any]:
        values = [{"value": f"{self._mark(n)} {n}", "userDefinedId": f"V-{n}"} for n in range(50)]
        record = self._record("userDefinedId", f"F-{number}", number)
        return record | {"type": "allowedValue", "allowedValues": values}

    def _care(self, number: int) -> dict[str, Any]:
        text = f"{self._mark(number)} {number}"
        languages = [
            {"languageId": {"code": code}, "text": f"{text} {code}"} for code in _LANGUAGES
        ]
        record = {"userDefinedId": f"T-{number}", "text": text, "state": "active"}
        return record | {"languages": languages}

    def _sizes(self, number: int) -> dict[str, Any]:
        sizes = [{"name": name, "sizeId": name} for name in _SIZES]
        return {"sizeRangeId": {"userDefinedId": f"R-{number}"}, "sizes": sizes}

    def _style(self, number: int) -> dict[str, Any]:
        groups = len(self._few(500))
        return self._record("number", f"S-{number}", number) | {
            "brandId": {"customId": f"B{number % 2}"},
            "groupIds": [{"userDefinedId": f"G-{number % groups}"}],
        }

    def _chart(self, number: int) -> dict[str, Any]:
        lines = [
            {
                "name": name,
                "tolerance": "0.5",
                "requested": [
                    {"sizeRangeSizeId": _size(size), "value": "52.50"} for size in _SIZES
                ],
            }
            for name in _LINES
        ]
        return {"styleId": {"number": f"S-{number}"}, "unit": "cm", "lines": lines}

    def _relations(self) -> Records:
        styles = len(self._few(3_000))
        pairs = ((n % styles, (n % styles + 1 + n // styles) % styles) for n in self._few(20_000))
        relations = [
            {"relatedStyleId": {"number": f"S-{to}"}, "styleId": {"number": f"S-{of}"}}
            for of, to in pairs
        ]
        return relations[self.sold :]

    def _request(self, number: int) -> dict[str, Any]:
        return {**_sample(number), "sizeRangeSizeIds": [_size(name) for name in _SIZES]}

    def _measured(self, number: int) -> dict[str, Any]:
        lines = [{"lineId": {"name": name}, "companyMeasurement": "52.10"} for name in _LINES]
        sizes = [{"sizeRangeSizeId": _size(name), "lines": lines} for name in _SIZES]
        return {"sampleRequestId": _sample(number), "sizes": sizes}


def _size(name: str) -> dict[str, Any]:
    return {"sizeRangeId": {"userDefinedId": "R-0"}, "name": name}


def _sample(number: int) -> dict[str, Any]:
    return {"name": f"Proto {number // 5}", "styleId": {"number": f"S-{number % 5}"}}
