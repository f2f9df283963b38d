"""Demo suppliers and sub-suppliers with contacts and facilities, in textile towns."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from service.schemas.formats import check_digit
from tests.support.demo.words import Organization, Row, moment, rotated, state_at, table

_COUNT: Final = 36
"""Number of sub-suppliers of an organization."""
_RELATIONS: Final = ("distributor", "distributor", "manufacturer", "distributor", "agent")
_ROLES: Final = ("Sales", "Merchandising", "Quality", "Shipping")
_PAYMENT: Final = ("30 days net", "60 days net", "Letter of credit at sight", None)
_PROCESSES: Final = {
    **dict.fromkeys(("Sewing", "Linking", "Bonding", "Seam sealing"), "assembly"),
    **dict.fromkeys(("Fulling", "Pressing", "Coating"), "finishing"),
    **dict.fromkeys(("Lasting", "Down filling", "Molding", "Plating"), "other"),
    "Laundry": "washing",
}
"""Processes whose names differ from those of facilities."""
_COLORS: Final = ("#2f6f8f", "#8f4a2f", "#4f7d3a", "#7a3f86", "#b0812a", "#3d4f8f", "#a03350")


def add_suppliers(organization: Organization) -> tuple[list[int], list[int]]:
    """Add the suppliers; return the ids of the live ones that make styles, and items.

    The sub-suppliers of a supplier are those of its country; some of them are deleted.
    """
    rows = organization.rows.tables["sub_supplier"]
    sub_suppliers = [row for row in rows if row["organization_id"] == organization.id]
    towns = {town["city"]: town for town in table("places")}
    makers: tuple[list[int], list[int]] = ([], [])
    for index, entry in enumerate(rotated(table("suppliers"), organization.profile.first)):
        state, town = state_at(index), towns[entry["city"]]
        custom_id = organization.reference("SUP", index + 1)
        supplier = organization.add(
            "supplier",
            name=entry["name"],
            custom_id=custom_id,
            is_style_supplier="styles" in entry["makes"],
            is_item_supplier="items" in entry["makes"],
            currency_code=entry["currency"],
            delivery_terms=entry["delivery"],
            payment_terms=_PAYMENT[index % len(_PAYMENT)],
            lead_time_days=None if index % 9 == 8 else 30 + 15 * (index % 6),
            **_address(town, has_coordinates=index % 4 != 3),
            web_site=f"https://{_letters(entry['name']).lower().replace(' ', '-')}.example.com",
            vat_number=f"{town['country']}{600000001 + 7919 * index}",
            mid=_manufacturer_id(town, entry["name"]),
            gln=_location_number(1_000 + index) if index % 3 else None,
            state=state,
            created_at=moment(3 * index, 7 * index),
        )
        for number, role in enumerate(_ROLES[: 1 + index % 3]):
            organization.add(
                "supplier_contact",
                supplier_id=supplier,
                email=f"{role.lower()}.{custom_id.lower()}@example.com",
                phone=f"+{town['dial']} 555 {6000 + 10 * index + number}",
                role=role,
                country_code=town["country"],
            )
        for row in sub_suppliers:
            if row["country_code"] == town["country"]:
                organization.link(
                    "supplier_sub_supplier", supplier_id=supplier, sub_supplier_id=row["id"]
                )
        for kind, ids in zip(("styles", "items"), makers, strict=True):
            if kind in entry["makes"] and state != "deleted":
                ids.append(supplier)
    return makers


def _address(town: dict[str, str], *, has_coordinates: bool) -> Row:
    return {
        "address": town["street"],
        "zip_code": town["zip"],
        "city": town["city"],
        "state_or_region": town["region"],
        "country_code": town["country"],
        "latitude": float(town["latitude"]) if has_coordinates else None,
        "longitude": float(town["longitude"]) if has_coordinates else None,
    }


def _location_number(number: int) -> str:
    """Return a GLN with a prefix of GS1 that is reserved for demonstrations."""
    digits = f"95200000{number:04}"
    return digits + check_digit(digits)


def add_sub_suppliers(organization: Organization) -> None:
    """Add the sub-suppliers with one to three contacts each, and a facility for each process.

    Contacts and facilities of a deleted sub-supplier are deleted, too.
    """
    first = organization.profile.supplier_from
    for index, town in enumerate(table("places")[first : first + _COUNT]):
        state = state_at(index)
        custom_id = _custom_id(organization, index)
        name = organization.profile.supplier_name.format_map(town)
        supplier = organization.add(
            "sub_supplier",
            name=name,
            custom_id=custom_id,
            relation_type=_RELATIONS[index % len(_RELATIONS)],
            **_address(town, has_coordinates=index % 3 != 1),
            web_site=f"https://{custom_id.lower()}.example.com",
            vat_number=None if index % 6 == 5 else f"{town['country']}{500000001 + 7919 * index}",
            mid=_manufacturer_id(town, name),
            avatar_color=_COLORS[index % len(_COLORS)],
            processing_types=", ".join(town["processes"].split("|")).lower(),
            state=state,
            created_at=moment(5 * index, 11 * index),
        )
        is_deleted = state == "deleted"
        _add_contacts(organization, supplier, index, town)
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
    organization: Organization, supplier: int, index: int, town: dict[str, str]
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
            **_address(town, has_coordinates=index % 3 != 1),
            gln=_location_number(2000 + 10 * index + number) if number == 0 else None,
            os_id=f"{town['country']}20210{85 + index}A{number}B2C3" if index % 2 else None,
            processes=[_PROCESSES.get(process, process.lower())],
            state="deleted" if was_deleted or is_deleted else "active",
            state_before="active" if is_deleted and not was_deleted else None,
        )


def add_supply_chains(organization: Organization, styles: Sequence[int]) -> None:
    """Add the steps and contacts of styles: fabric, dyeing, assembly by the supplier, packing."""
    tables, own = organization.rows.tables, organization.id
    facilities = [
        row
        for row in tables["facility"]
        if row["organization_id"] == own and row["state"] == "active"
    ]
    of_process = {
        process: [row for row in facilities if row["processes"] == [process]]
        for process in ("knitting", "weaving", "dyeing")
    }
    suppliers = {row["id"]: row for row in tables["supplier"]}
    by_id = {row["id"]: row for row in tables["style"]}
    for index, style in enumerate(styles):
        supplier = by_id[style]["supplier_id"]
        for process in ("weaving" if index % 3 else "knitting", "dyeing"):
            plants = of_process[process]
            plant = plants[index % len(plants)]
            site: Row = {"sub_supplier_id": plant["sub_supplier_id"], "facility_id": plant["id"]}
            _add_step(organization, style, process, 2, site)
        if supplier is not None:
            _add_step(organization, style, "assembly", 1, {"supplier_id": supplier})
        country = ("PT", "NL", "DE")[index % 3]
        _add_step(organization, style, "packing", 1, {"country_code": country})
        contacts = [("Design", "brand", "Design team", "design@example.com")]
        if supplier is not None:
            name = str(suppliers[supplier]["name"])
            contacts.append(("Merchandising", "supplier", name, "merchandising@example.com"))
        for role, type_, name, email in contacts:
            organization.add(
                "style_contact",
                style_id=style,
                role=role,
                type=type_,
                name=name,
                email=email,
                phone=None,
            )


def _add_step(organization: Organization, style: int, process: str, tier: int, site: Row) -> None:
    organization.add(
        "style_supplier_facility",
        style_id=style,
        process=process,
        process_name=None,
        tier=tier,
        **{"supplier_id": None, "sub_supplier_id": None, "facility_id": None, "country_code": None}
        | site,
    )
