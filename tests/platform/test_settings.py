"""Tests of settings: defaults, and one clear line for each bad value."""

from dataclasses import fields
from pathlib import Path

import pytest

from service.settings import Settings, SettingsError
from tests.support.operator_pages import setting_rows

pytestmark = pytest.mark.contract("Settings")


def test_defaults() -> None:
    settings = Settings.from_environment({})
    assert settings.database_url is None
    assert (settings.host, settings.port, settings.pool_size) == ("127.0.0.1", 8080, 4)
    assert settings.workers >= 1
    assert settings.data_dir == Path(".data").absolute()


def test_the_page_has_every_setting_with_its_default() -> None:
    rows = setting_rows()
    assert [*rows] == [field.name.upper() for field in fields(Settings)]
    documented = {name: row[0].strip("`") for name, row in rows.items() if row[0].startswith("`")}
    assert Settings.from_environment(documented) == Settings.from_environment({})


def test_an_empty_value_counts_as_absent() -> None:
    empty = dict.fromkeys(("DATABASE_URL", "HOST", "PORT", "WORKERS", "DATA_DIR"), "")
    assert Settings.from_environment(empty) == Settings.from_environment({})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("PORT", "8080.0"),
        ("PORT", "\uff18\uff10\uff18\uff10"),
        ("WORKERS", "0"),
        ("WORKERS", "many"),
        ("POOL_SIZE", "0"),
        ("POOL_SIZE", "9" * 5000),
        ("HISTORY_DAYS", "-1"),
        ("HISTORY_EXCEPT", "nothing"),
        ("CORS_ORIGINS", "*"),
        ("CORS_ORIGINS", "app.example.com"),
        ("CORS_ORIGINS", "https://app.example.com/"),
        ("CORS_ORIGINS", "https://App.example.com"),
        ("CORS_ORIGINS", "https://app.example.com, ftp://files.example.com"),
        ("PICTURE_SOURCES", "*"),
        ("PICTURE_SOURCES", "https://images.example.com; script-src *"),
        ("PUBLIC_URL", "api.example.com"),
        ("PUBLIC_URL", "https://api.example.com/?a=b"),
        ("PUBLIC_URL", 'https://api.example.com>; rel="x"'),
        ("LOG_LEVEL", "loud"),
        ("TRACES", "yes"),
        ("DATA_DIR", __file__),
        ("DATABASE_URL", "mysql://localhost/selvedge"),
        ("DATABASE_URL", "postgresql://localhost:port/selvedge"),
        ("DATABASE_URL", "postgresql://localhost:5432,localhost:port/selvedge"),
        ("DATABASE_URL", "postgresql://user:%E4@localhost/selvedge"),  # no UTF-8
        ("DATABASE_URL", "/var/run/postgresql"),
    ],
)
def test_a_bad_value_is_refused_in_one_line_that_names_it(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment({name: value})
    message = str(caught.value)
    assert name in message
    assert "\n" not in message


def test_a_public_url_has_no_slash_at_its_end() -> None:
    for url in ("https://api.example.com", "http://[::1]:8080/a/b-c"):
        assert Settings.from_environment({"PUBLIC_URL": f"{url}/"}).public_url == url
    assert Settings.from_environment({}).public_url == ""


def test_origins_are_separated_by_commas_or_spaces() -> None:
    given = "https://app.example.com, http://localhost:3000  http://[::1]:8080"
    settings = Settings.from_environment({"CORS_ORIGINS": given})
    assert settings.cors_origins == (
        "https://app.example.com",
        "http://localhost:3000",
        "http://[::1]:8080",
    )
    assert Settings.from_environment({"CORS_ORIGINS": " "}).cors_origins == ()
    sources = Settings.from_environment({"PICTURE_SOURCES": f"https:, {given}"}).picture_sources
    assert sources == ("https:", *settings.cors_origins)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://user:secret@localhost/selvedge",
        *(f"postgresql://user:{sign}secret@localhost/selvedge" for sign in "@/?#%"),
        *(f"postgresql://user:secret{sign}1@localhost/selvedge" for sign in "@/?#%["),
        "postgresql://user:secret@localhost:port/selvedge",
    ],
)
def test_no_message_repeats_the_database_password(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment({"DATABASE_URL": url})
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_database_may_have_several_hosts_and_a_password_any_sign() -> None:
    several = "postgresql://user@localhost:5432,127.0.0.1:5433/selvedge"
    signs = "postgresql://user:%C3%A4%40%2F%3F%23%25%5B:@localhost:5433/selvedge?sslmode=require"
    for url in (several, signs):
        assert Settings.from_environment({"DATABASE_URL": url}).database_url == url
