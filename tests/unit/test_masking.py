"""Tests of the masking of API keys, in every form of them."""

from base64 import b64encode

import pytest

from service.masking import contains_key, contains_key_start, mask_keys
from tests.support.processor_time import LeastTime

pytestmark = pytest.mark.contract("Log")

DIGITS = "0123456789abcdef" * 4
KEY = f"slv_1_22_{DIGITS}"


def percent(text: str, times: int = 1) -> str:
    """Return the text with every character percent-encoded, so many times."""
    encoded = "".join(f"%{ord(each):02X}" for each in text)
    return encoded.replace("%", "%" + "25" * (times - 1)) if times > 1 else encoded


STARTING = {
    "plain": KEY,
    "upper case": KEY.upper(),
    "one letter encoded": KEY.replace("l", "%6C"),
    "encoded": percent(KEY),
    "encoded in lower case": percent(KEY).lower(),
    "encoded twice": percent(KEY, 2),
    "encoded three times": percent(KEY, 3),
    "cut": KEY[:40],
    "cut short": KEY[:12],
    "encoded and cut": percent(KEY)[:100],
}
PARTS = {
    "without its start": KEY[6:],
    "the secret": DIGITS,
    "half of the secret and one": DIGITS[:33],
    "the secret encoded": percent(DIGITS),
    **{f"Base64 after {n}": b64encode(b"x" * n + KEY.encode()).decode() for n in range(4)},
}
HARMLESS = (
    "",
    "/api/colors/slv_1",
    "filter%5B0%5D.property=name&filter%5B0%5D.value=%C3%A9t%C3%A9%20100%25",
    "4bf92f3577b34da6a3ce929d0e0e4736",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "123e4567-e89b-12d3-a456-426614174000",
    "Root=1-67891233-abcdef012345678912345678",
)


@pytest.mark.parametrize("form", (STARTING | PARTS).values(), ids=(STARTING | PARTS).keys())
def test_keys_are_masked(form: str) -> None:
    masked = mask_keys(f"a={form}&b=1")
    assert contains_key(form)
    assert masked.startswith("a=")
    assert masked.endswith("&b=1")
    assert "..." in masked
    assert form not in masked
    assert DIGITS[40:56] not in masked.lower()


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_are_not_masked(text: str) -> None:
    assert mask_keys(text) == text
    assert not contains_key(text)


def test_hex_digits_alone_are_no_start_of_a_key() -> None:
    assert all(contains_key_start(form) for form in STARTING.values())
    assert not contains_key_start(DIGITS)


@pytest.mark.measures
@pytest.mark.parametrize(
    "text",
    ["%25" * 100, "slv_" * 75, "slv_" + "1" * 296, ("a" * 32 + "g") * 9, ("%61" * 32 + "g") * 3],
)
def test_no_text_takes_long(text: str) -> None:
    """The access log shows at most 300 characters of a query."""
    used = LeastTime()
    for _ in used.attempts():
        mask_keys(text)
    assert used.seconds < 0.005
