"""Tables and what they mean: examples that `selvedge import` and the upload of `/data` share."""

from typing import Any, Final, NamedTuple


class TableCase(NamedTuple):
    """A table of a collection, and the documents of its rows; none if it is refused."""

    collection: str
    table: str | bytes
    documents: list[dict[str, Any]] | None


def _cell(collection: str, column: str, text: str, value: Any) -> TableCase:
    return TableCase(collection, f'{column}\n"{text}"\n', [{column: value}])


_DELIMITERS: Final = (",", ";", "\t", "|")
_FLAGS: Final = {"TRUE": True, "wahr": "wahr", "1": True, "0": False, "No": False, " yes ": True}
_WHOLE_NUMBERS: Final = {
    "12": 12,
    " 12 ": 12,
    "12.0": 12,
    "12.5": "12.5",
    "1.2E+05": "1.2E+05",
    "1,200": "1,200",
    str(2**63 - 1): 2**63 - 1,
    str(2**63): str(2**63),
    str(-(2**63)): -(2**63),
}
_DECIMALS: Final = {"48.5": 48.5, "-1e-05": -1e-05, "1e400": "1e400", "48,5": "48,5"}
_ENCODINGS: Final = ("utf-8", "utf-8-sig", "utf-16")
TABLE_CASES: Final = [
    TableCase(
        "sub-suppliers",
        'name,latitude,zipCode,customId\r\nAda,48.5,01234,\r\n"Bo, ""Ltd""",7,,B',
        [
            {"name": "Ada", "latitude": 48.5, "zipCode": "01234"},
            {"name": 'Bo, "Ltd"', "latitude": 7, "customId": "B"},
        ],
    ),
    TableCase("styles", "name,groupIds\nParka,3; 4\n", [{"name": "Parka", "groupIds": [3, 4]}]),
    TableCase(
        "sub-suppliers",
        "contacts[0].email,contacts[1].email,contacts[1].role\na@x.y,,\n,b@x.y,QA\n",
        [{"contacts": [{"email": "a@x.y"}]}, {"contacts": [{"email": "b@x.y", "role": "QA"}]}],
    ),
    TableCase(
        "colors",
        "name,translations[0].languageId,translations[0].colorName\nRed,8,Rot\nBlue,,\n",
        [
            {"name": "Red", "translations": [{"languageId": 8, "colorName": "Rot"}]},
            {"name": "Blue"},
        ],
    ),
    TableCase(
        "size-ranges",
        "sizes[0].id,sizes[0].name,sizes[0].isDeactivated,sizes[0].gradingGroupId\n7,36,TRUE,2\n",
        [{"sizes": [{"id": 7, "name": "36", "isDeactivated": True, "gradingGroupId": 2}]}],
    ),
    TableCase(
        "sample-requests",
        "measurements[0].sizeRangeSizeId,measurements[0].lines[0].companyMeasurement\n7,36.50\n",
        [{"measurements": [{"sizeRangeSizeId": 7, "lines": [{"companyMeasurement": "36.50"}]}]}],
    ),
    *(_cell("style-custom-fields", "isMandatory", *case) for case in _FLAGS.items()),
    *(_cell("style-custom-fields", "maxChar", *case) for case in _WHOLE_NUMBERS.items()),
    *(_cell("sub-suppliers", "latitude", *case) for case in _DECIMALS.items()),
    TableCase(
        "sub-suppliers",
        "name;latitude\nAda;48,5\nBo;-7.25\nCy; 1,5 \nDi;1,5 km\n",
        [
            {"name": "Ada", "latitude": 48.5},
            {"name": "Bo", "latitude": -7.25},
            {"name": "Cy", "latitude": 1.5},
            {"name": "Di", "latitude": "1,5 km"},
        ],
    ),
    TableCase(
        "styles",
        "name;measurementChart.lines[0].name;measurementChart.lines[0].tolerance\nA;1,5;1,50\n",
        [{"name": "A", "measurementChart": {"lines": [{"name": "1,5", "tolerance": "1.50"}]}}],
    ),
    *(
        TableCase(
            "styles",
            f'number{delimiter}name{delimiter}groupIds\rS1{delimiter}"a,b;c\td|e"{delimiter}"3;4"\r',
            [{"number": "S1", "name": "a,b;c\td|e", "groupIds": [3, 4]}],
        )
        for delimiter in _DELIMITERS
    ),
    *(
        TableCase("brands", "name\nGrößen\n".encode(name), [{"name": "Größen"}])
        for name in _ENCODINGS
    ),
    TableCase(
        "sub-suppliers",
        "Name,CONTACTS[0].eMail,,\nAda,a@x.y,,\n\n,,,\nBo,,,,,\n",
        [{"name": "Ada", "contacts": [{"email": "a@x.y"}]}, {"name": "Bo"}],
    ),
    TableCase(
        "sub-suppliers",
        'name,contacts,city,zipCode\nAda,[],"""""",\nBo,,"""",""""""""\n',
        [{"name": "Ada", "contacts": [], "city": ""}, {"name": "Bo", "city": '"', "zipCode": '"'}],
    ),
    TableCase(
        "colors",
        "name,colorNote\n'=1+1,''@x\n'plain,'\"=x\n\"a;'=b,'-c\n'\uff1dd\",5'-x\n",
        [
            {"name": "=1+1", "colorNote": "'@x"},
            {"name": "'plain", "colorNote": '"=x'},
            {"name": "a;=b,-c\n\uff1dd", "colorNote": "5'-x"},
        ],
    ),
    TableCase("styles", "groupIds\n'-3;'-4\n", [{"groupIds": [-3, -4]}]),
    TableCase("brands", 'name\n"A\nB"\n a"b \n', [{"name": "A\nB"}, {"name": ' a"b '}]),
    *(
        TableCase("sub-suppliers", table, None)
        for table in (
            *("", "name,Name\nA,B\n", "naem\nA\n", "contacts[0].mail\nA\n", "contacts.email\nA\n"),
            *("name[0]\nA\n", "name\nA,B\n", 'name\n"A\n', 'name\n"5" inch"\n'),
            *("contacts,contacts[0].email\n[],y\n", "contacts\nx\n", "contacts[0]\nx\n"),
            "name\nA\n".encode("utf-16-le"),
        )
    ),
]
