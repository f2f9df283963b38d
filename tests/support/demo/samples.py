"""Demo measurement charts and sample requests, with the values measured on samples."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from tests.support.demo.sizes import Sizes
from tests.support.demo.styles import Catalog
from tests.support.demo.words import Organization, moment, positions, state_at, table

_ROUNDS: Final = (
    "Proto 1",
    "Proto 2",
    "Fit 1",
    "Fit 2",
    "Salesman sample",
    "Photo sample",
    "Size set",
    "Pre-production",
    "Top of production",
)
_COMMENTS: Final = (
    "Shorten the body by 1.5 cm and keep the shape of the hem.",
    "Sleeve pitch is good now. Please take 0.5 cm off the bicep.",
    "Neck opening is too wide; follow the requested measurement.",
    None,
    "Fit approved, proceed with the size set.",
    "Collar collapses at center back, try the firmer interlining.",
    None,
)
_STATUSES: Final = (
    "commented",
    "received",
    "sent",
    "confirmed",
    "requested",
    "planned",
    "cancelled",
)
_DEVIATIONS: Final = tuple(
    map(Decimal, ("0.00", "0.25", "-0.50", "1.25", "-0.25", "0.75", "-1.10"))
)


def add_samples(organization: Organization, catalog: Catalog, ranges: dict[str, Sizes]) -> None:
    """Add charts and samples for the styles of the first garment, in the default size range.

    The first style has a request for each round (``_ROUNDS``) of each season, any other one two at
    most. A request has about half of the sizes. ``ranges`` has the sizes by the code of their size
    range.
    """
    sizes = ranges[organization.profile.default_size_range]
    seasons = organization.profile.seasons
    names = [f"{name} {season}" for season in seasons for name in _ROUNDS]
    types = _add_types(organization)
    first, *others = catalog.styles[0]
    _add_style_samples(organization, first, names, sizes, types)
    for index, style in enumerate(others):
        _add_style_samples(organization, style, names[index : index + 2], sizes, types)


def _add_types(organization: Organization) -> list[int]:
    """Add a sample type for each round of each line; return those of the first line."""
    rounds = [(line, name) for line in ("Women", "Men", "Kids", "Home") for name in _ROUNDS]
    # The first line's types have sample requests, so none of them is deleted.
    states = [state_at(index, soft=index >= len(_ROUNDS)) for index in range(len(rounds))]
    ids = [
        organization.add(
            "sample_type",
            user_defined_id=f"{line[0]}-{name.upper().replace(' ', '-')}",
            name=f"{name}, {line.lower()}",
            comment_deadline_days=5 + index % 3 * 5 if index % 4 else None,
            state=state,
            position=position,
        )
        for index, ((line, name), state, position) in enumerate(
            zip(rounds, states, positions(states), strict=True)
        )
    ]
    return ids[: len(_ROUNDS)]


def _add_style_samples(
    organization: Organization, style: int, names: Sequence[str], sizes: Sizes, types: Sequence[int]
) -> None:
    lines = [
        organization.add(
            "measurement_line",
            style_id=style,
            name=point["name"],
            tolerance=Decimal(point["tolerance"]),
            is_deactivated=point["name"] == "Hood height",
        )
        for point in table("points_of_measure")
    ]
    _add_chart(organization, sizes, lines)
    for index, name in enumerate(names):
        request = organization.add(
            "sample_request",
            style_id=style,
            name=name,
            # Some requests were made before the style had a unit.
            unit=None if index % 6 == 5 else "cm",
            requested_at=moment(20 * index, 7 * index),
            sample_type_id=types[index % len(types)],
            status=_STATUSES[index % len(_STATUSES)],
            deadline=moment(20 * index + 30).date(),
            expected_at=moment(20 * index + 28).date() if index % 3 else None,
            status_changed_at=moment(20 * index + 5, 7 * index),
        )
        for size_index, size in list(enumerate(sizes.values()))[1 + index % 2 :: 2]:
            _add_measured_size(organization, request, size, size_index, lines)


def _add_chart(organization: Organization, sizes: Sizes, lines: Sequence[int]) -> None:
    for line, point in zip(lines, table("points_of_measure"), strict=True):
        for size_index, size in enumerate(sizes.values()):
            organization.link(
                "measurement_line_value",
                measurement_line_id=line,
                size_range_size_id=size,
                value=_requested(point, size_index),
            )


def _requested(point: Mapping[str, str], size_index: int) -> Decimal:
    """Return the chart's value of a point of measure in a size: its base in the third (index 2)."""
    return Decimal(point["base"]) + Decimal(point["step"]) * (size_index - 2)


def _add_measured_size(
    organization: Organization, request: int, size: int, size_index: int, lines: Sequence[int]
) -> None:
    organization.link(
        "sample_request_size",
        sample_request_id=request,
        size_range_size_id=size,
        designer_comment=_COMMENTS[(request + size_index) % len(_COMMENTS)],
        is_approved=(request + size_index) % 4 == 0,
        is_designer_visible_only=(request + 2 * size_index) % 5 == 0,
    )
    for index, (line, point) in enumerate(zip(lines, table("points_of_measure"), strict=True)):
        requested = _requested(point, size_index)
        seed = request + 3 * index + 5 * size_index
        company = _DEVIATIONS[seed % len(_DEVIATIONS)]
        supplier = _DEVIATIONS[(2 * seed + 3) % len(_DEVIATIONS)]
        is_off = abs(company) > Decimal(point["tolerance"])
        organization.link(
            "sample_request_measurement",
            sample_request_id=request,
            size_range_size_id=size,
            measurement_line_id=line,
            requested_measurement=requested,
            company_measurement=None if seed % 6 == 5 else requested + company,
            supplier_measurement=None if seed % 4 == 3 else requested + supplier,
            new_measurement=requested - company if is_off else None,
        )
