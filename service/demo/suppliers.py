"""Sub-suppliers with contacts and facilities, in the towns where textiles are made."""

import unicodedata
from typing import Final

from service.demo.rows import Organization, moment, state_at
from service.demo.words import table

_COUNT: Final = 36
_RELATIONS: Final = ("distributor", "distributor", "manufacturer", "distributor", "agent")
_ROLES: Final = ("Sales", "Merchandising", "Quality", "Shipping")
_COLORS: Final = ("#2f6f8f", "#8f4a2f", "#4f7d3a", "#7a3f86", "#b0812a", "#3d4f8f", "#a03350")


def add_sub_suppliers(organization: Organization) -> None:
    """Add the sub-suppliers; what belongs to a deleted one went with it."""
    first = organization.profile.supplier_from
    for index, place in enumerate(table("places")[first : first + _COUNT]):
        state = state_at(index)
        custom_id = organization.reference("S", index + 1)
        name = organization.profile.supplier_name.format_map(place)
        located = index % 3 != 1
        supplier = organization.add(
            "sub_supplier",
            name=name,
            custom_id=custom_id,
            relation_type=_RELATIONS[index % len(_RELATIONS)],
            address=place["street"],
            zip_code=place["zip"],
            city=place["city"],
            state_or_region=place["region"],
            country_code=place["country"],
            web_site=f"https://{custom_id.lower()}.example.com",
            vat_number=None if index % 6 == 5 else f"{place['country']}{500000001 + 7919 * index}",
            mid=_manufacturer_id(place, name),
            avatar_color=_COLORS[index % len(_COLORS)],
            processing_types=", ".join(place["processes"].split("|")).lower(),
            latitude=float(place["latitude"]) if located else None,
            longitude=float(place["longitude"]) if located else None,
            state=state,
            created_at=moment(5 * index, 11 * index),
        )
        _add_contacts(organization, supplier, index, place, custom_id, gone=state == "deleted")
        _add_facilities(organization, supplier, index, place, gone=state == "deleted")


def _manufacturer_id(place: dict[str, str], name: str) -> str:
    """Return country, name, house number and city, as customs abbreviates a manufacturer."""
    words, city = _letters(name).split(), _letters(place["city"]).replace(" ", "")
    digits = "".join(character for character in place["street"] if character.isdigit())
    return f"{place['country']}{words[0][:3]}{words[-1][:3]}{digits}{city[:3]}"


def _letters(text: str) -> str:
    """Return the text in plain capitals."""
    plain = unicodedata.normalize("NFKD", text.replace("Ł", "L").replace("ł", "l"))
    return plain.encode("ascii", "ignore").decode().upper()


def _add_contacts(
    organization: Organization,
    supplier: int,
    index: int,
    place: dict[str, str],
    custom_id: str,
    *,
    gone: bool,
) -> None:
    names = next(entry for entry in table("names") if entry["country"] == place["country"])
    first_names, last_names = names["first"].split("|"), names["last"].split("|")
    for number in range(1 + index % 3):
        role = _ROLES[(index + number) % len(_ROLES)]
        phone = f"+{place['dial']} 555 {1000 + 37 * index + number}"
        organization.add(
            "sub_supplier_contact",
            sub_supplier_id=supplier,
            first_name=first_names[(index + number) % len(first_names)],
            last_name=last_names[(index // 2 + number) % len(last_names)],
            email=f"{role.lower()}.{custom_id.lower()}@example.com",
            phone=phone,
            role=role,
            fax_number=f"{phone}9" if index % 7 == 3 else None,
            country_code=place["country"],
            deleted_with_sub_supplier=gone,
        )


def _add_facilities(
    organization: Organization, supplier: int, index: int, place: dict[str, str], *, gone: bool
) -> None:
    """Add one facility for each process; here and there one had closed before."""
    for number, process in enumerate(place["processes"].split("|")):
        closed = number == 1 and index % 9 == 4
        organization.add(
            "facility",
            sub_supplier_id=supplier,
            name=f"{place['city']} {process.lower()} plant",
            state="deleted" if closed or gone else "active",
            state_before="active" if gone and not closed else None,
        )
