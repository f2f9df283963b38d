// The page: a key, the collections at the left, and the view that the address names.

import {
  Failure,
  forgetKey,
  get,
  isKeyKept,
  leaveView,
  parseKey,
  scope,
  STORAGE_KEY,
  storedKey,
  storeKey,
} from "./api.js";
import { actionsOf } from "./deletion.js";
import { alertBox, byId, el, link } from "./dom.js";
import { formView } from "./form.js";
import { ListView } from "./list.js";
import { groupsOf } from "./groups.js";
import { homeView } from "./home.js";
import { keysView } from "./keys.js";
import { hashOf, parseHash } from "./location.js";
import { Model } from "./model.js";
import { forgetDrafts } from "./drafts.js";
import { forgetNames } from "./names.js";
import { recordView } from "./record.js";
import { ACCESSES, fullScope } from "./scopes.js";
import { matchingView, selectedView } from "./selected.js";
import { sheetOf } from "./sheet.js";
import { StylePage } from "./style_page.js";
import { forgetSwatches } from "./swatches.js";
import { mayLeave, release } from "./unsaved.js";
import { uploadView } from "./upload.js";
import { language, offerLanguages, t } from "./words.js";

/** Views of many rows, by what their addresses have in place of an id. */
const TABLE_VIEWS = { upload: uploadView, selected: selectedView, matching: matchingView };
/** Pages of records that show more than their fields, by collection. */
const PAGES = { styles: StylePage };
const NO_ACTIONS = { ofRecord: () => null, ofPart: () => [] };

/** What is known after the key was entered, and the list that is shown. */
const page = {
  model: null,
  caller: null,
  list: null,
  record: null,
  shownPath: "",
  isTraversal: false,
  positions: new Map(),
};

/** Returns whether the key has an access to a collection. Every key reads those that nobody writes. */
function may(access, { name, create, replace }) {
  if (name === "keys") return page.caller.key.scopes.includes("keys:manage");
  if (!create && !replace) return access === "read";
  return page.caller.key.scopes.some((scope) => {
    const [, own, most] = /^([*a-z-]+)[^:]*:(\w+)/.exec(fullScope(scope)) ?? [];
    return (own === "*" || own === name) && ACCESSES.indexOf(most) >= ACCESSES.indexOf(access);
  });
}

const canWrite = (collection) => may("write", collection);

function showMessage(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

async function readModel() {
  const response = await fetch("openapi.json");
  if (!response.ok)
    throw new Failure(response.status, "no_document", [
      { field: null, value: t("The OpenAPI document cannot be read.") },
    ]);
  return new Model(await response.json());
}

/** Enters with a key; shows why if it is refused. */
async function enter(key, isKept) {
  showMessage("");
  try {
    const [model, { data }] = await Promise.all([page.model ?? readModel(), get("api/me", [], { key })]);
    scope.organization = String(data.organization.id);
    Object.assign(page, { model, caller: data, list: null, shownPath: "" });
    storeKey(key, isKept);
    for (const collection of model.collections.values()) collection.isReadable = may("read", collection);
    showCaller();
    await route();
  } catch (error) {
    if (!error.rows) throw error;
    leave(
      error.status === 401
        ? t("The service does not know this key, or it has expired or was revoked.")
        : error.message,
    );
  }
}

function leave(message) {
  release();
  forgetKey();
  forgetNames();
  Object.assign(page, { caller: null, list: null, shownPath: "" });
  byId("work").hidden = byId("caller").hidden = true;
  byId("view").replaceChildren();
  byId("entry").hidden = false;
  showMessage(message);
  byId("key").value = "";
  byId("key").focus();
}

function showCaller() {
  const { organization, key } = page.caller;
  const words = { multipleLanguage: t("multiple languages"), pro: t("Pro"), uniqueKeys: t("unique keys") };
  const features = Object.keys(organization.features).filter((name) => organization.features[name]);
  byId("forget").title = isKeyKept() ? t("It is kept in this browser.") : t("It is kept in this tab.");
  const scope =
    { write: t("may write"), read: t("may read only") }[key.scope] ??
    t("has the scopes {0}", key.scopes.join(", "));
  byId("who").replaceChildren(
    el("bdi", {}, organization.name),
    " · ",
    `${key.name ? t("the key “{0}”", key.name) : t("this key")} ${scope}`,
  );
  byId("features").textContent = features.length
    ? t("Features: {0}", features.map((name) => words[name] ?? name).join(", "))
    : "";
  byId("entry").hidden = true;
  byId("work").hidden = byId("caller").hidden = false;
  const item = ({ name, title }) => el("li", {}, link(hashOf({ name }), title));
  const group = ({ title, collections }) =>
    el("li", {}, el("span", { class: "group" }, title), el("ul", {}, collections.map(item)));
  byId("collections").replaceChildren(
    el("li", {}, link("#/", t("Start"))),
    ...groupsOf(page.model).map(group),
  );
}

function markCollection(name) {
  for (const anchor of byId("collections").querySelectorAll("a")) {
    if (anchor.hash === (name ? hashOf({ name }) : "#/")) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
}

/**
 * Returns whether an address names a section of the page that is shown, or its top: there is nothing to
 * read.
 */
function isWithin({ name, id, action }) {
  return (
    Boolean(page.record) &&
    page.recordPath === `${name}/${id}` &&
    (action === "at" || (!action && page.isAtSection))
  );
}

function goWithin(view) {
  page.isAtSection = view.action === "at";
  if (page.isAtSection) return page.record.goTo(view.part, view.entry);
  scrollTo(0, 0);
  return byId("view").querySelector("h1").focus({ preventScroll: true });
}

/** Shows what the address names. */
async function route() {
  if (!page.caller) return;
  const view = parseHash(location.hash);
  const collection = page.model.collections.get(view.name);
  const path = `${view.name}/${view.id}/${view.action}/${view.part}/${view.entry}`;
  const isSameView = path === page.shownPath;
  if (isWithin(view)) return goWithin(view);
  page.record = null;
  leaveView();
  forgetSwatches();
  markCollection(view.name);
  unfold(false);
  try {
    if (!collection) await showStart(view);
    else if (view.name === "keys") await showKeys(view);
    else if (!view.id) await showList(collection, view, isSameView);
    else if (TABLE_VIEWS[view.id] && canWrite(collection) && sheetOf(page.model, collection))
      await showTable(collection, view);
    else await showRecord(collection, view);
    page.shownPath = path;
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!error.rows) throw error;
    if (error.status === 401)
      leave(t("The service does not know this key, or it has expired or was revoked."));
    else showNodes(el("h1", { tabindex: "-1" }, t("Not shown")), alertBox(error.message));
  }
}

async function showStart({ name }) {
  const { nodes, title, loading } = homeView(page.model, page.caller, canWrite);
  showNodes(...(name ? [el("p", { class: "message" }, t("There is no such collection."))] : []), ...nodes);
  setTitle(title);
  await loading;
}

async function showKeys(view) {
  const { nodes, title, loading } = keysView(page.model, page.caller, view);
  showNodes(...nodes);
  setTitle(title);
  await loading;
}

async function showList(collection, view, isSameView) {
  if (!isSameView || !page.list?.element.isConnected) {
    page.list = new ListView(page.model, collection, canWrite(collection));
    showNodes(page.list.element);
    setTitle(collection.title);
  }
  const { isTraversal } = page;
  await page.list.update(view);
  // Whoever comes back goes on where the list was left.
  if (isTraversal) scrollTo(0, page.positions.get(location.hash) ?? 0);
}

async function showTable(collection, view) {
  const { nodes, title } = await TABLE_VIEWS[view.id](page.model, collection, view);
  showNodes(...nodes);
  setTitle(title);
}

async function showRecord(collection, view) {
  const isForm =
    canWrite(collection) &&
    (view.id === "new" ? collection.create : view.action === "edit" && collection.replace);
  const actions = canWrite(collection) ? actionsOf(page.model) : NO_ACTIONS;
  const isPage = !isForm && PAGES[collection.name];
  const record = isPage ? new PAGES[collection.name](page.model, collection, view.id, actions) : null;
  const { nodes, title, loading } = isForm
    ? await formView(page.model, collection, view)
    : await (record ? record.view() : recordView(page.model, collection, view.id, actions));
  showNodes(...nodes);
  setTitle(title);
  Object.assign(page, { record, recordPath: `${view.name}/${view.id}`, isAtSection: view.action === "at" });
  await loading;
  if (record && view.action === "at") record.goTo(view.part, view.entry);
}

/** Replaces the view and moves the focus to its heading, where screen readers and Tab go on. */
function showNodes(...nodes) {
  byId("view").replaceChildren(...nodes.filter(Boolean));
  const heading = byId("view").querySelector("h1");
  if (page.shownPath) heading?.focus({ preventScroll: false });
}

function setTitle(text) {
  document.title = `${text}: Selvedge`;
}

/** Puts the page's fixed texts into the reader's language, and offers the others. */
function speak() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-t], #menu a")) node.textContent = t(node.textContent);
  for (const node of document.querySelectorAll("nav[aria-label], #language"))
    node.setAttribute("aria-label", t(node.getAttribute("aria-label")));
  offerLanguages();
}

/** Shows or hides what phones have behind their button. */
function unfold(isOpen) {
  document.body.classList.toggle("unfolded", isOpen);
  byId("unfold").setAttribute("aria-expanded", String(isOpen));
}

// Where the list was left is known before the address changes.
const { navigation } = /** @type {any} */ (window);
navigation?.addEventListener("navigate", ({ navigationType }) => {
  page.isTraversal = navigationType === "traverse";
  page.positions.set(location.hash, scrollY);
});
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(parseKey(byId("key").value), byId("keep").checked);
});
// The address names the view, so that the link moves the focus alone.
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  /** @type {HTMLElement} */ (document.querySelector("main:not([hidden]) h1"))?.focus();
});
byId("unfold").addEventListener("click", () => unfold(!document.body.classList.contains("unfolded")));
document.addEventListener("keydown", ({ key, defaultPrevented }) => {
  if (key !== "Escape" || defaultPrevented || !document.body.classList.contains("unfolded")) return;
  unfold(false);
  byId("unfold").focus();
});
byId("forget").addEventListener("click", () => {
  if (!mayLeave()) return;
  forgetDrafts();
  leave("");
});
window.addEventListener("hashchange", ({ oldURL }) => {
  if (isWithin(parseHash(location.hash)) || mayLeave()) route();
  else history.pushState(null, "", oldURL);
});
// A key that another tab forgets, or replaces, is forgotten or replaced here.
window.addEventListener("storage", ({ key, oldValue, newValue }) => {
  if (key !== STORAGE_KEY || oldValue !== sessionStorage.getItem(STORAGE_KEY)) return;
  if (newValue) sessionStorage.setItem(STORAGE_KEY, newValue);
  else if (page.caller) leave(t("The key was forgotten in another tab."));
});
speak();
setTitle(t("Data"));
if (storedKey()) enter(storedKey());
else byId("entry").hidden = false;
