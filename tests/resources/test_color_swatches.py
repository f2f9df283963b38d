"""Tests of swatches of colors (contract, Swatches; contract, Parts)."""

import pytest

from tests.support.api import Api, replacing

pytestmark = pytest.mark.contract("Swatches")

SWATCHES = "/api/color-swatches"


async def test_a_swatch_is_a_color_value_and_an_image(api: Api) -> None:
    color = (await api.post("/api/colors", {"name": "Ink"})).data["id"]
    path = f"/api/colors/{color}/swatch"
    assert (await api.get(path)).data == {"hex": None, "imageUrl": None}
    image = {"imageUrl": "https://example.com/ink.jpg"}
    assert (await api.put(path, image)).data == {"hex": None, **image}
    patched = await api.patch(path, replacing("/hex", "#00112F"))
    assert patched.data == {"hex": "#00112F", **image}
    [listed] = (await api.get(SWATCHES, {"colorId": color})).data
    assert listed == {"colorId": color, **patched.data}
    for text in ("#00112f", "00112F", "#00112F0", "#0012G4"):
        refused = await api.put(path, {"hex": text, "imageUrl": "http://example.com"})
        assert refused.details == [
            ("validation_error.invalid_value", "hex"),
            ("validation_error.invalid_value", "imageUrl"),
        ]
    cleared = await api.put(SWATCHES, [{"colorId": color}])
    assert cleared.data == [{"colorId": color, "hex": None, "imageUrl": None}]
    assert (await api.get(SWATCHES, {"colorId": color})).data == []
