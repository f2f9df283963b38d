"use strict";
// The key is kept for this tab alone, under the name that the page of docs reads as well.
const KEPT = "selvedge.key";
const part = (id) => document.getElementById(id);
const here = new URL(".", location.href).href.replace(/\/$/, "");

function tell(text) {
  part("told").textContent = text;
  part("told").hidden = !text;
}

/** The key in what was pasted, with or without the header's words before it. */
function keyIn(text) {
  return text.trim().replace(/^(?:authorization:\s*)?(?:bearer\s+)*/i, "");
}

function fillLines(key) {
  for (const place of document.querySelectorAll("#lines b")) place.textContent = key || "KEY";
}

function show(colors) {
  const cells = ({ name, userDefinedId, state, id }) => [name, userDefinedId ?? "", state, id];
  const rows = colors.map((color) => {
    const row = document.createElement("tr");
    for (const text of cells(color)) row.insertCell().textContent = text;
    return row;
  });
  part("rows").replaceChildren(...rows);
  part("table").hidden = !rows.length;
  part("none").hidden = rows.length > 0;
  part("colors").hidden = false;
}

/** The answer to a request; a text that says what is wrong is thrown. */
async function ask(path, key) {
  if (!/^[\x21-\x7e]+$/.test(key)) throw "This is no key: keys are letters, digits and underscores.";
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(path, { headers, cache: "no-store" }).catch(() => {
    throw "The service does not answer. Is it still running?";
  });
  const body = await answer.json().catch(() => null);
  if (answer.ok && body) return body;
  if (answer.status === 401) throw "The service does not know this key, or it has expired or was revoked.";
  const rows = body?.error?.details ?? [];
  throw `The service answered ${answer.status}: ${rows.map((row) => row.value).join(" ")}`;
}

async function enter(key) {
  tell("");
  try {
    show((await ask("api/colors?pageSize=5", key)).data);
    sessionStorage.setItem(KEPT, key);
    part("key").value = key;
    part("forget").hidden = false;
    fillLines(key);
  } catch (wrong) {
    forget();
    tell(String(wrong));
  }
}

function forget() {
  sessionStorage.removeItem(KEPT);
  part("colors").hidden = part("forget").hidden = true;
  fillLines("");
}

/** A button beside a line that copies it; browsers allow that on secure or local pages only. */
function copying(line) {
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

part("here").textContent = here;
for (const place of document.querySelectorAll("#lines i")) place.textContent = here;
if (navigator.clipboard) {
  for (const line of document.querySelectorAll(".line")) line.append(copying(line));
}
part("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(keyIn(part("key").value));
});
part("forget").addEventListener("click", () => {
  forget();
  tell("");
  part("key").value = "";
});
const kept = sessionStorage.getItem(KEPT);
if (kept) enter(kept);
