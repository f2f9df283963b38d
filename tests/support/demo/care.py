"""Demo care instructions, and materials, icons and layers of care labels, with translations."""

from typing import Final

from tests.support.demo.words import Organization, positions, rotated, state_at, table

_LANGUAGES: Final = ("de", "fr", "es", "nl", "it")
"""Languages of the translations, in the order in which a text has them."""


def add_care(organization: Organization, languages: dict[str, int]) -> None:
    """Add the four lists, which have the same shape; some texts lack translations.

    ``languages`` maps ISO 639-1 codes to ids; it has at least those of _LANGUAGES. Both
    organizations get translations, whatever their features.
    """
    # A deleted care instruction leaves no row; a deleted material does.
    _add(organization, "care_instruction", "care_instructions", languages, soft=False)
    _add(organization, "care_instruction_material", "materials", languages, soft=True)
    _add(organization, "care_instruction_icon", "icons", languages, soft=True)
    _add(organization, "care_instruction_layer", "layers", languages, soft=True)


def _add(
    organization: Organization, kind: str, source: str, languages: dict[str, int], *, soft: bool
) -> None:
    entries = rotated(table(source), organization.profile.first)
    states = [state_at(index, soft=soft) for index in range(len(entries))]
    order = positions(states)
    for index, entry in enumerate(entries):
        owner = organization.add(
            kind,
            user_defined_id=entry["code"],
            text=entry["en"],
            **{name: entry[name] for name in entry if name == "symbol"},
            state=states[index],
            position=order[index],
        )
        # Every sixth text lacks its last two translations, every ninth all of them.
        missing = 5 if index % 9 == 8 else 2 if index % 6 == 5 else 0
        for code in _LANGUAGES[: len(_LANGUAGES) - missing]:
            organization.add(
                f"{kind}_translation",
                **{f"{kind}_id": owner},
                language_id=languages[code],
                text=entry[code],
            )
