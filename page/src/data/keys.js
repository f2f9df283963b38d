// Page of the organization's API keys: a list, new keys, rotation and deletion. A secret is shown once.

import { forgetKey, readAll, request, storeKey } from "./api.js";
import { ask } from "./ask.js";
import { alertBox, announce, badge, button, el, link, newId, stored } from "./dom.js";
import { keyForm } from "./key_form.js";
import { hashOf } from "./location.js";
import { scopeList } from "./scopes.js";
import { scrolling, timeOf } from "./values.js";
import { counted, t } from "./words.js";

const SOON_MS = 14 * 24 * 60 * 60 * 1000;
const OVERLAPS = [
  [0, t("not at all")],
  [3600, t("an hour")],
  [86400, t("a day")],
  [604800, t("a week")],
];
const DAY = 86400;
const COLUMNS = [t("Key"), t("May"), t("Created"), t("Last used"), t("Ends"), t("Actions")];

/** Returns the nodes of the page, and the promise that the list is there. */
export function keysView(model, caller, { id }) {
  const title = id === "new" ? t("New API key") : t("API keys");
  const page = new KeysPage(model, caller, id);
  if (id !== "new") return { nodes: page.nodes, title, loading: page.read() };
  const view = el("div", {});
  const issued = (key) => {
    view.replaceChildren(
      el("h1", { tabindex: "-1" }, t("The key is made")),
      secretOf(key),
      el("p", {}, link(hashOf({ name: "keys" }), t("All API keys"))),
    );
    view.querySelector("h1").focus();
  };
  view.append(...keyForm(model, caller, issued));
  return { nodes: [view], title, loading: null };
}

/** Returns the part of the page that shows a key's secret, and copies it. */
function secretOf({ name, key }) {
  const secret = el("code", { class: "secret", tabindex: "0", "aria-label": t("Secret of the key") }, key);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(key);
    } catch {
      // Pages that are not on https have no clipboard of their own.
      getSelection().selectAllChildren(secret);
      if (!document.execCommand("copy")) return announce(t("It is selected: copy it by the keyboard."));
    }
    copying.textContent = t("Copied");
    return announce(t("The key is copied."));
  };
  const copying = button(t("Copy"), copy, { class: "" });
  const warning = t(
    "Copy it now: it is shown this once, and nobody can read it later. Whoever has it can do all that the " +
      "key may. Keep it where passwords are kept.",
  );
  return el(
    "section",
    { class: "card issued" },
    el("h2", {}, stored(name)),
    el("p", { class: "message", role: "alert" }, warning),
    el("div", { class: "actions" }, secret, copying),
  );
}

class KeysPage {
  constructor(model, { key: own }, id) {
    this.model = model;
    this.own = own;
    this.id = id;
    this.secret = el("div", {});
    this.list = el(
      "div",
      { class: "results", "aria-busy": "true" },
      el("p", { class: "quiet" }, t("Loading …")),
    );
    this.heading = el("h1", { tabindex: "-1" }, t("API keys"));
    this.nodes = [
      this.heading,
      el(
        "p",
        { class: "quiet" },
        t(
          "Programs and people use the service by keys. Each has a name, and scopes that say what it may do.",
        ),
      ),
      el("div", { class: "actions" }, link(hashOf({ name: "keys", id: "new" }), t("New API key"))),
      this.secret,
      this.list,
    ];
  }

  async read() {
    try {
      const keys = await readAll("api/keys");
      this.names = new Map(keys.map(({ id, name }) => [`key:${id}`, name]));
      const head = el(
        "thead",
        {},
        el(
          "tr",
          {},
          COLUMNS.map((title) => el("th", { scope: "col" }, title)),
        ),
      );
      this.list.replaceChildren(
        scrolling(
          t("API keys"),
          el(
            "table",
            { class: "keys" },
            head,
            el(
              "tbody",
              {},
              keys.toReversed().map((key) => this.#row(key)),
            ),
          ),
        ),
      );
      announce(counted(keys.length, "{0} key", "{0} keys"));
      this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    } finally {
      this.list.setAttribute("aria-busy", "false");
    }
  }

  /** Asks before an act, after which the list is read again. */
  #ask(act) {
    const after = async () => {
      this.heading.focus();
      await this.read().catch((error) => {
        if (!error.rows) throw error;
        this.list.replaceChildren(alertBox(error.message));
      });
    };
    ask({ ...act, after });
  }

  #isOwn({ id }) {
    return String(id) === String(this.own.id);
  }

  #row(key) {
    const { name, id, source, scopes, createdAt, createdBy, lastUsedAt } = key;
    const more = source === String(id) ? t("Key {0}", id) : t("Key {0} · source {1}", id, source);
    const head = el(
      "th",
      { scope: "row" },
      stored(name),
      " ",
      this.#isOwn(key) && badge(t("in use here"), "ready"),
      el("div", { class: "quiet small-print" }, more),
    );
    const cells = [
      scopeList(this.model, scopes),
      [timeOf(createdAt), el("div", { class: "quiet small-print" }, this.#maker(createdBy))],
      lastUsedAt === null ? el("span", { class: "quiet" }, t("not yet")) : timeOf(lastUsedAt),
      this.#end(key),
      el(
        "div",
        { class: "actions" },
        button(t("Rotate …"), () => this.#rotate(key), { "aria-label": t("Rotate {0}", name) }),
        button(t("Delete …"), () => this.#delete(key), { "aria-label": t("Delete {0}", name) }),
      ),
    ];
    const cell = (nodes, index) => el("td", { "data-title": COLUMNS[index + 1] }, nodes);
    return el("tr", { "aria-current": String(id) === this.id ? "true" : undefined }, head, cells.map(cell));
  }

  #maker(createdBy) {
    const [kind, who] = (createdBy ?? "").split(/:(.*)/s);
    if (kind === "key") return [t("by "), el("bdi", {}, this.names.get(createdBy) ?? t("key {0}", who))];
    return who ? t("by the operator {0}", who) : "";
  }

  #end({ expiresAt }) {
    if (expiresAt === null) return el("span", { class: "quiet" }, t("never"));
    const left = Date.parse(expiresAt) - Date.now();
    const mark = left <= 0 ? badge(t("expired"), "rejected") : left < SOON_MS && badge(t("soon"), "open");
    return [timeOf(expiresAt), " ", mark];
  }

  #rotate(key) {
    const id = newId("overlap");
    const overlap = el(
      "select",
      { id },
      OVERLAPS.map(([seconds, text]) => el("option", { value: seconds, selected: seconds === DAY }, text)),
    );
    const act = async () => {
      const { data } = await request("POST", `api/keys/${key.id}/rotate`, {
        body: { overlapSeconds: Number(overlap.value) },
      });
      // Whoever rotates the key of the page goes on with the new secret.
      if (this.#isOwn(key)) storeKey(data.key);
      this.secret.replaceChildren(secretOf(data));
    };
    const nodes = [
      el("p", {}, t("The key gets a new secret, which works at once. Name, scopes and end stay.")),
      el("p", { class: "choice" }, el("label", { for: id }, t("The present secret works on for")), overlap),
      el("p", { class: "quiet" }, t("A secret from before the present one ends now.")),
      this.#isOwn(key) && el("p", {}, t("This page goes on with the new secret.")),
    ];
    this.#ask({
      question: t("Rotate “{0}”?", key.name),
      nodes: nodes.filter(Boolean),
      verb: t("Rotate"),
      refusal: t("It is not rotated."),
      act,
    });
  }

  #delete(key) {
    const act = async () => {
      await request("DELETE", `api/keys/${key.id}`);
      announce(t("Deleted."));
      if (!this.#isOwn(key)) return;
      forgetKey();
      location.reload();
    };
    const used =
      key.lastUsedAt === null
        ? t("It has not been used yet.")
        : [t("It was last used on "), timeOf(key.lastUsedAt), "."];
    const nodes = [
      el("p", {}, used),
      el(
        "ul",
        {},
        [
          t("Programs that use it are refused within a second."),
          t("Exports and long polls that run with it break off."),
          t("Webhooks that it created or changed last are paused."),
          t("It cannot be restored; what it wrote stays."),
        ].map((text) => el("li", {}, text)),
      ),
      this.#isOwn(key) &&
        el("p", { class: "message" }, t("This is the key of this page, which then asks for another one.")),
    ];
    this.#ask({
      question: t("Delete “{0}”?", key.name),
      nodes: nodes.filter(Boolean),
      verb: t("Delete"),
      refusal: t("It is not deleted."),
      act,
    });
  }
}
