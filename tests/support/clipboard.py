"""Clipboard of a page: what its fields copy, and what is pasted into them."""

from typing import Final

from tests.support.browser import Page

_SEND: Final = """((kind, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const options = { clipboardData: data, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new ClipboardEvent(kind, options));
  return data.getData("text/plain");
})(...arguments)"""


def paste(page: Page, text: str) -> None:
    """Paste into the field that has the focus."""
    page.driver.execute_script(_SEND, "paste", text)


def copied(page: Page) -> str:
    """Return what the field that has the focus copies."""
    return str(page.driver.execute_script(f"return {_SEND}", "copy", ""))
