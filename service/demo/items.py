"""Demo items and item categories, some items without a category and the reverse."""

from service.demo.rows import Organization, moment, state_at
from service.demo.words import rotated, table


def add_items(organization: Organization) -> None:
    """Add all categories with their items, and three items without a category, one of them deleted.

    No category is deleted, as their deletes are hard; inactive ones have an end date.
    """
    names: list[tuple[int | None, str]] = []
    for index, entry in enumerate(rotated(table("items"), organization.profile.first)):
        state = state_at(index, soft=False)
        category = organization.add(
            "item_category",
            name=entry["category"],
            state=state,
            begin_date=moment(index, 17 * index),
            end_date=None if state == "active" else moment(300 + index),
        )
        names += [(category, name) for name in entry["items"].split("|") if name]
    names += [(None, "Gift box with magnetic lid"), (None, "Spare button bag")]
    for number, (category_id, name) in enumerate(names, start=1):
        organization.add(
            "item",
            number=organization.reference("I", 10 * number),
            name=name,
            item_category_id=category_id,
            state=state_at(number, soft=False),
        )
    last_number = organization.reference("I", 10 * len(names) + 10)
    organization.add(
        "item",
        number=last_number,
        name="Discontinued snap",
        item_category_id=None,
        state="deleted",
    )
