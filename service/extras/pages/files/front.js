"use strict";
// Item of the session storage, which the pages /data and /docs share. It lasts as long as the tab.
const STORAGE_KEY = "selvedge.key";
const byId = (id) => document.getElementById(id);
const baseUrl = new URL(".", location.href).href.replace(/\/$/, "");

function showMessage(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

/** Strips "Authorization: Bearer" from a pasted key. */
function parseKey(text) {
  return text.trim().replace(/^(?:authorization:\s*)?(?:bearer\s+)*/i, "");
}

function fillCommands(key) {
  for (const placeholder of document.querySelectorAll("#lines b")) placeholder.textContent = key || "KEY";
}

function showColors(colors) {
  const cells = ({ name, userDefinedId, state, id }) => [name, userDefinedId ?? "", state, id];
  const rows = colors.map((color) => {
    const row = document.createElement("tr");
    for (const text of cells(color)) row.insertCell().textContent = text;
    return row;
  });
  byId("rows").replaceChildren(...rows);
  byId("table").hidden = !rows.length;
  byId("none").hidden = rows.length > 0;
  byId("colors").hidden = false;
}

/** Returns the body of a GET. Throws a message for the user if it fails. */
async function get(path, key) {
  if (!/^[\x21-\x7e]+$/.test(key)) throw "This is no key: keys are letters, digits and underscores.";
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(path, { headers, cache: "no-store" }).catch(() => {
    throw "The service does not answer. Is it still running?";
  });
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  if (response.status === 401) throw "The service does not know this key, or it has expired or was revoked.";
  const details = body?.error?.details ?? [];
  throw `The service answered ${response.status}: ${details.map((detail) => detail.value).join(" ")}`;
}

async function useKey(key) {
  showMessage("");
  try {
    showColors((await get("api/colors?pageSize=5", key)).data);
    sessionStorage.setItem(STORAGE_KEY, key);
    byId("key").value = key;
    byId("forget").hidden = false;
    fillCommands(key);
  } catch (message) {
    forgetKey();
    showMessage(String(message));
  }
}

function forgetKey() {
  sessionStorage.removeItem(STORAGE_KEY);
  byId("colors").hidden = byId("forget").hidden = true;
  fillCommands("");
}

/** Returns a button that copies a command. Browsers allow it on secure or local pages only. */
function copyButton(line) {
  const button = document.createElement("button");
  button.className = "plain";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(line.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return button;
}

byId("here").textContent = baseUrl;
for (const placeholder of document.querySelectorAll("#lines i")) placeholder.textContent = baseUrl;
if (navigator.clipboard) {
  for (const line of document.querySelectorAll(".line")) line.append(copyButton(line));
}
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(parseKey(byId("key").value));
});
byId("forget").addEventListener("click", () => {
  forgetKey();
  showMessage("");
  byId("key").value = "";
});
const storedKey = sessionStorage.getItem(STORAGE_KEY);
if (storedKey) useKey(storedKey);
