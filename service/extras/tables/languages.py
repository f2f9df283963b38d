"""Languages by code: their ids, which are part of the interface, and their names."""

from typing import Final, NamedTuple


class TextLanguage(NamedTuple):
    """Language of texts."""

    code: str
    id: int
    name: str


_NAMES: Final = (
    "en English; ar Arabic; bg Bulgarian; bn Bengali; ca Catalan; cs Czech; da Danish; "
    "de German; el Greek; es Spanish; et Estonian; fa Persian; fi Finnish; fr French; "
    "he Hebrew; hi Hindi; hr Croatian; hu Hungarian; id Indonesian; is Icelandic; "
    "it Italian; ja Japanese; ko Korean; lt Lithuanian; lv Latvian; ms Malay; "
    "nb Norwegian Bokmål; nl Dutch; pl Polish; pt Portuguese; ro Romanian; ru Russian; "
    "sk Slovak; sl Slovenian; sr Serbian; sv Swedish; ta Tamil; th Thai; tr Turkish; "
    "uk Ukrainian; ur Urdu; vi Vietnamese; zh Chinese"
)
"""Codes and names in the order of the ids, which begin with 1."""

LANGUAGES: Final = tuple(
    TextLanguage(text[:2], language_id, text[3:])
    for language_id, text in enumerate(_NAMES.split("; "), start=1)
)
