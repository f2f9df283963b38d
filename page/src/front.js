"use strict";
// Item of the session storage, which the pages /data and /docs share. It lasts as long as the tab.
const STORAGE_KEY = "selvedge.key";
const LANGUAGE_KEY = "selvedge.language";
let words = {};
const t = (text, ...parts) => (words.texts?.[text] ?? text).replace(/\{(\d)\}/g, (_, index) => parts[index]);
/** @returns {any} */
const byId = (id) => document.getElementById(id);
// The language that the reader chose on any page, else the first one of the browser that the pages speak.
const spoken = [localStorage.getItem(LANGUAGE_KEY), ...navigator.languages.map((tag) => tag.slice(0, 2))];
const language =
  spoken.find((code) => [...byId("language").options].some(({ value }) => value === code)) ?? "en";
const baseUrl = new URL(".", location.href).href.replace(/\/$/, "");

function showMessage(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

/** Strips "Authorization: Bearer" from a pasted key. */
function parseKey(text) {
  return text.trim().replace(/^(?:authorization:\s*)?(?:bearer\s+)*/i, "");
}

/** Returns the key without its secret, as the lines show it. A button copies them with the whole key. */
const withoutSecret = (key) => key.replace(/^(slv_\d+_\d+_).+$/, "$1…") || "KEY";

function fillCommands(key) {
  for (const placeholder of document.querySelectorAll("#lines b"))
    placeholder.textContent = withoutSecret(key);
}

/** Returns a line with the whole key. */
function commandOf(line) {
  const key = sessionStorage.getItem(STORAGE_KEY) ?? "";
  const text = line.querySelector("code").textContent;
  return key ? text.replace(withoutSecret(key), () => key) : text;
}

function showStyles(styles) {
  const cells = ({ number, name, status, id }) => [
    number,
    name,
    words.values?.[status] ?? status.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    id,
  ];
  const rows = styles.map((style) => {
    const row = document.createElement("tr");
    for (const text of cells(style)) row.insertCell().textContent = text;
    return row;
  });
  byId("rows").replaceChildren(...rows);
  byId("table").hidden = !rows.length;
  byId("none").hidden = rows.length > 0;
  byId("records").hidden = false;
}

/** Returns the body of a GET. Throws a message for the user if it fails. */
async function get(path, key) {
  if (!/^[\x21-\x7e]+$/.test(key)) throw t("This is no key: keys are letters, digits and underscores.");
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(path, { headers, cache: "no-store" }).catch(() => {
    throw t("The service does not answer. Is it still running?");
  });
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  if (response.status === 401)
    throw t("The service does not know this key, or it has expired or was revoked.");
  const details = body?.error?.details ?? [];
  throw [
    t("The service answered {0}.", response.status),
    ...details.map((detail) => words.errors?.[detail.type] ?? detail.value),
  ].join(" ");
}

async function useKey(key) {
  showMessage("");
  try {
    showStyles((await get("api/styles?pageSize=5", key)).data);
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
  byId("records").hidden = byId("forget").hidden = true;
  fillCommands("");
}

/** Returns a button that copies a command. Browsers allow it on secure or local pages only. */
function copyButton(line) {
  const button = document.createElement("button");
  button.className = "plain";
  button.textContent = t("Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(commandOf(line));
    button.textContent = t("Copied");
    setTimeout(() => (button.textContent = t("Copy")), 2000);
  });
  return button;
}

/** Puts the page into the reader's language, and offers the others. */
async function speak() {
  byId("language").value = language;
  byId("language").addEventListener("change", ({ target }) => {
    localStorage.setItem(LANGUAGE_KEY, target.value);
    location.reload();
  });
  if (language === "en") return;
  const response = await fetch(`data/words.${language}.json`);
  if (!response.ok) return;
  words = await response.json();
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-t], nav a"))
    node.textContent = t(node.textContent.replace(/\s+/g, " "));
  for (const node of document.querySelectorAll("nav, #language")) node.ariaLabel = t(node.ariaLabel);
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-name]")))
    node.textContent = words.collections[node.dataset.name][0];
  document
    .querySelectorAll(".holdings h3")
    .forEach((node, index) => (node.textContent = Object.keys(words.groups)[index]));
}

async function start() {
  await speak();
  if (navigator.clipboard)
    for (const line of document.querySelectorAll(".line")) line.append(copyButton(line));
  const storedKey = sessionStorage.getItem(STORAGE_KEY);
  if (storedKey) await useKey(storedKey);
}

byId("here").textContent = baseUrl;
for (const placeholder of document.querySelectorAll("#lines i")) placeholder.textContent = baseUrl;
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(parseKey(byId("key").value));
});
byId("forget").addEventListener("click", () => {
  forgetKey();
  showMessage("");
  byId("key").value = "";
});
start();
