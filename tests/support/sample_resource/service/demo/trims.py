"""Trims."""

from service.demo.rows import Organization, state_at


def add_trims(organization: Organization) -> None:
    """Buttons of forty sizes."""
    for number in range(1, 41):
        organization.add(
            "trim",
            name=f"Corozo button {number}L",
            user_defined_id=organization.reference("T", number),
            state=state_at(number),
        )
