"""Demo colors, color groups and color translations."""

from collections.abc import Iterator
from colorsys import hls_to_rgb
from typing import Final

from tests.support.demo.words import Organization, capitalized, state_at, table

_LANGUAGES: Final = ("de", "fr", "es")
_UNTRANSLATED: Final = "it"
"""Italian: some colors are linked to it without a translated name. Their own name is shown."""

_LIGHTNESS: Final = {"Whites and creams": 11, "Beiges": 14, "Pinks": 15, "Browns": 18, "Blacks": 19}

_NOTES: Final = (
    "Lab dip approved on cotton and polyester.",
    "Runs slightly darker on wool; second lab dip requested.",
    "Carryover color, keep the approved standard.",
    "Check color fastness to rubbing before bulk dyeing.",
    "For trims and contrast panels only.",
)


def add_colors(organization: Organization, languages: dict[str, int]) -> None:
    """Add color groups and colors: three of every four base colors, in each modifier.

    Modifiers are words beside a color's name, such as "Washed" (``Profile.color_modifiers``). A
    color is in one to three groups. ``languages`` maps ISO 639-1 codes to ids; it has at least
    German, French, Spanish and Italian. Some colors have translations even in the demo organization
    without the feature multiple_language: it had the feature before.
    """
    families, palettes = _add_groups(organization)
    for index, (base, modifier) in enumerate(_combinations(organization)):
        name, *translations = _names(base, modifier)
        color = organization.add(
            "color",
            name=name,
            user_defined_id=organization.reference("C", 1001 + index),
            user_defined_id2=_second_reference(base, index),
            color_reference=None if index % 12 == 7 else _color_reference(base, index),
            color_note=_NOTES[index // 9 % len(_NOTES)] if index % 9 == 4 else None,
            state=state_at(index),
            hex=None if index % 7 == 6 else _hex(base),
            image_url=f"https://example.com/swatches/{1001 + index}.jpg"
            if index % 5 == 0
            else None,
        )
        groups = {palettes[index % len(palettes)], palettes[(5 * index + 2) % len(palettes)]}
        groups.add(families.get(base["family"], palettes[0]))
        for group in sorted(groups):
            organization.link("color_in_group", color_id=color, color_group_id=group)
        # An organization without the feature still has links from when it had it.
        if index % 4 != 3 if organization.profile.multiple_language else index % 10 == 0:
            _add_translations(organization, color, translations, languages)
        if index % 16 == 2:
            _link(organization, color, languages[_UNTRANSLATED], None)


def _add_groups(organization: Organization) -> tuple[dict[str, int], list[int]]:
    """Add all color groups; return the ids of those that are not deleted.

    A group is a color family or a seasonal palette. The first result has the ids of families by
    name, the second those of palettes in their order.
    """
    profile = organization.profile
    families = list(dict.fromkeys(color["family"] for color in table("colors")))
    seasonal = [f"{palette} {season}" for season in profile.seasons for palette in profile.palettes]
    live: dict[str, int] = {}
    for index, name in enumerate(families + seasonal):
        state = state_at(index)
        id_ = organization.add(
            "color_group",
            name=name,
            user_defined_id=organization.reference("CG", index + 1),
            state=state,
        )
        if state != "deleted":
            live[name] = id_
    named = {name: live[name] for name in families if name in live}
    return named, [live[name] for name in seasonal if name in live]


def _combinations(organization: Organization) -> Iterator[tuple[dict[str, str], list[str]]]:
    bases = table("colors")
    for modifier in organization.profile.color_modifiers:
        for index, base in enumerate(bases):
            if index % 4 != organization.profile.color_skip:
                yield base, modifier


def _names(base: dict[str, str], modifier: list[str]) -> list[str]:
    """Return the name in English, German, French and Spanish.

    All but the English one get a first letter in upper case; that one is as in the data.
    """
    english, *others = modifier
    names = [f"{english} {base['name']}".strip()]
    for code, other in zip(_LANGUAGES, others, strict=True):
        names.append(capitalized(f"{base[code]} {other}".strip()))
    return names


def _second_reference(base: dict[str, str], index: int) -> str | None:
    return None if index % 5 == 4 else f"{base['family'][:3].upper()}{100 + index}"


def _color_reference(base: dict[str, str], index: int) -> str:
    """Return lightness (11 lightest, 19 darkest), hue and chroma, two digits each: 11-0002."""
    lightness, chroma = _LIGHTNESS.get(base["family"], 17), 2 + index * 7 % 60
    return f"{lightness}-{base['hue']}{chroma:02}"


def _hex(base: dict[str, str]) -> str:
    """Return the value of a color's hue and lightness, such as #1B3A57."""
    lightness = (20 - _LIGHTNESS.get(base["family"], 17)) / 9.5
    rgb = hls_to_rgb(int(base["hue"]) / 65, lightness, 0.4)
    return "#" + "".join(f"{round(255 * part):02X}" for part in rgb)


def _add_translations(
    organization: Organization, color: int, names: list[str], languages: dict[str, int]
) -> None:
    for code, name in zip(_LANGUAGES, names, strict=True):
        _link(organization, color, languages[code], name)


def _link(organization: Organization, color: int, language: int, name: str | None) -> None:
    organization.link("color_language", color_id=color, language_id=language, color_name=name)
