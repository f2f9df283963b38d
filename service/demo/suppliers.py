"""Demo sub-suppliers with contacts and facilities, in towns where textiles are made."""

import unicodedata
from typing import Final

from service.demo.rows import Organization, moment, state_at
from service.demo.words import table

_COUNT: Final = 36
"""Number of sub-suppliers of an organization."""
_RELATIONS: Final = ("distributor", "distributor", "manufacturer", "distributor", "agent")
_ROLES: Final = ("Sales", "Merchandising", "Quality", "Shipping")
_COLORS: Final = ("#2f6f8f", "#8f4a2f", "#4f7d3a", "#7a3f86", "#b0812a", "#3d4f8f", "#a03350")


def add_sub_suppliers(organization: Organization) -> None:
    """Add the sub-suppliers with one to three contacts each, and a facility for each process.

    Contacts and facilities of a deleted sub-supplier are deleted, too.
    """
    first = organization.profile.supplier_from
    for index, town in enumerate(table("places")[first : first + _COUNT]):
        state = state_at(index)
        custom_id = _custom_id(organization, index)
        name = organization.profile.supplier_name.format_map(town)
        has_coordinates = index % 3 != 1
        supplier = organization.add(
            "sub_supplier",
            name=name,
            custom_id=custom_id,
            relation_type=_RELATIONS[index % len(_RELATIONS)],
            address=town["street"],
            zip_code=town["zip"],
            city=town["city"],
            state_or_region=town["region"],
            country_code=town["country"],
            web_site=f"https://{custom_id.lower()}.example.com",
            vat_number=None if index % 6 == 5 else f"{town['country']}{500000001 + 7919 * index}",
            mid=_manufacturer_id(town, name),
            avatar_color=_COLORS[index % len(_COLORS)],
            processing_types=", ".join(town["processes"].split("|")).lower(),
            latitude=float(town["latitude"]) if has_coordinates else None,
            longitude=float(town["longitude"]) if has_coordinates else None,
            state=state,
            created_at=moment(5 * index, 11 * index),
        )
        is_deleted = state == "deleted"
        _add_contacts(organization, supplier, index, town, is_deleted=is_deleted)
        _add_facilities(organization, supplier, index, town, is_deleted=is_deleted)


def _custom_id(organization: Organization, index: int) -> str:
    return organization.reference("S", index + 1)


def _manufacturer_id(town: dict[str, str], name: str) -> str:
    """Return a manufacturer id (MID) of US customs: parts of country, name, street and city."""
    words, city = _letters(name).split(), _letters(town["city"]).replace(" ", "")
    digits = "".join(character for character in town["street"] if character.isdigit())
    return f"{town['country']}{words[0][:3]}{words[-1][:3]}{digits}{city[:3]}"


def _letters(text: str) -> str:
    """Return the text in ASCII capitals, without accents and characters that have no such form."""
    plain = unicodedata.normalize("NFKD", text.replace("Ł", "L").replace("ł", "l"))
    return plain.encode("ascii", "ignore").decode().upper()


def _add_contacts(
    organization: Organization, supplier: int, index: int, town: dict[str, str], *, is_deleted: bool
) -> None:
    custom_id = _custom_id(organization, index)
    names = next(entry for entry in table("names") if entry["country"] == town["country"])
    first_names, last_names = names["first"].split("|"), names["last"].split("|")
    for number in range(1 + index % 3):
        role = _ROLES[(index + number) % len(_ROLES)]
        phone = f"+{town['dial']} 555 {1000 + 37 * index + number}"
        organization.add(
            "sub_supplier_contact",
            sub_supplier_id=supplier,
            first_name=first_names[(index + number) % len(first_names)],
            last_name=last_names[(index // 2 + number) % len(last_names)],
            email=f"{role.lower()}.{custom_id.lower()}@example.com",
            phone=phone,
            role=role,
            fax_number=f"{phone}9" if index % 7 == 3 else None,
            country_code=town["country"],
            deleted_with_sub_supplier=is_deleted,
        )


def _add_facilities(
    organization: Organization, supplier: int, index: int, town: dict[str, str], *, is_deleted: bool
) -> None:
    """Add a facility for each process; some are deleted although their sub-supplier is not.

    A facility that is deleted with its sub-supplier has the state before that as ``state_before``.
    """
    for number, process in enumerate(town["processes"].split("|")):
        was_deleted = number == 1 and index % 9 == 4
        organization.add(
            "facility",
            sub_supplier_id=supplier,
            name=f"{town['city']} {process.lower()} plant",
            state="deleted" if was_deleted or is_deleted else "active",
            state_before="active" if is_deleted and not was_deleted else None,
        )
