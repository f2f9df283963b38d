"""Demo size ranges with their sizes, as apparel brands lay them out."""

from tests.support.demo.words import Organization, state_at, table

Sizes = dict[str, int]
"""Ids of a size range's sizes by name, in the range's order."""


def add_size_ranges(organization: Organization) -> dict[str, Sizes]:
    """Add the size ranges, and return their sizes by the code of the range, deleted ones too.

    A range whose sizes are graded from those of another one comes after it in
    ``data/size_ranges.csv``.
    """
    ranges: dict[str, Sizes] = {}
    for index, entry in enumerate(table("size_ranges")):
        names = entry["sizes"].split()
        first_size = organization.rows.next_id("size_range_size")
        state = state_at(index)
        range_id = organization.add(
            "size_range",
            name=entry["name"],
            user_defined_id=organization.reference("SR", index + 1),
            state=state,
            is_advanced_grading=organization.profile.pro and index % 3 == 0,
            is_default=entry["code"] == organization.profile.default_size_range,
            default_grading_size_id=first_size + names.index(entry["grading_size"]),
        )
        related = ranges.get(entry["related"], {})
        ranges[entry["code"]] = {
            name: organization.add(
                "size_range_size",
                size_range_id=range_id,
                name=name,
                size_id=f"{entry['code']}-{name}",
                related_size_range_size_id=_related(related, name, size_index),
                grading_group_id=10 * (index + 1) + 3 * size_index // len(names) + 1,
                is_deactivated=name == entry["deactivated"],
            )
            for size_index, name in enumerate(names)
        }
    return ranges


def _related(sizes: Sizes, name: str, index: int) -> int | None:
    """Return the id of the size of the same name, else at the index or the last; None without."""
    ids = list(sizes.values())
    return sizes.get(name) or (ids[min(index, len(ids) - 1)] if ids else None)
