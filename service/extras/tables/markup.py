"""XML as a stream of elements, by their local names; document types are refused."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Protocol
from xml.parsers import expat

from service.extras.tables.archives import DAMAGED, WorkbookError


class ElementHandler(Protocol):
    """Receiver of the elements of a document, in their order."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take the begin of an element, by its local name."""

    def end(self, name: str) -> None:
        """Take the end of an element."""

    def text(self, text: str) -> None:
        """Take a piece of text of the element that is open."""


_BUFFER_CHARACTERS: Final = 2**16


def feed(chunks: Iterable[bytes], handler: ElementHandler) -> Iterator[None]:
    """Give the elements of a document to the handler, and yield after each chunk.

    Namespaces do not count: strict and transitional workbooks differ in these alone. Raise
    WorkbookError for what is no well-formed XML, and for a document type, which may define
    entities.
    """
    parser: Any = expat.ParserCreate()
    parser.buffer_text, parser.buffer_size = True, _BUFFER_CHARACTERS
    parser.StartDoctypeDeclHandler = _refuse
    start, end = handler.start, handler.end
    # Most names have no prefix, and a call for each would take a quarter of the time.
    parser.StartElementHandler = lambda name, values: start(
        local(name) if ":" in name else name, values
    )
    parser.EndElementHandler = lambda name: end(local(name) if ":" in name else name)
    parser.CharacterDataHandler = handler.text
    chunk = b""
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
            yield
        if chunk:
            parser.Parse(b"", True)
            yield
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise WorkbookError(DAMAGED) from error


def local(name: str) -> str:
    """Return a name without its prefix."""
    return name.rpartition(":")[2]


def _refuse(*_: object) -> None:
    raise WorkbookError("it has a document type: save it again as XLSX")


class Elements:
    """Elements of a small document: pairs of a path of local names and attributes by local name."""

    def __init__(self) -> None:
        self.all = list[tuple[tuple[str, ...], dict[str, str]]]()
        self._path = list[str]()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Add an element below those that are open."""
        self._path.append(name)
        values = {local(key): value for key, value in attributes.items()}
        self.all.append((tuple(self._path[-2:]), values))

    def end(self, _: str) -> None:
        """Leave an element."""
        self._path.pop()

    def text(self, text: str) -> None:
        """Skip text."""


def elements(chunks: Iterable[bytes], *path: str) -> list[dict[str, str]]:
    """Return the attributes of the elements of this name and that of the one around them."""
    document = Elements()
    for _ in feed(chunks, document):
        pass
    return [values for each, values in document.all if each == path]
