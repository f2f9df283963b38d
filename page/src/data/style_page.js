// Page of a style: the product as people know it, in sections that are edited in their place.

import { button, el, link } from "./dom.js";
import { deleteButton, restoreControl } from "./deletion.js";
import { changeInPlace, formOf } from "./form.js";
import { historySection } from "./history.js";
import { hashOf } from "./location.js";
import { remember } from "./names.js";
import { neighborsSection } from "./neighbors.js";
import { partSection } from "./record.js";
import { Section } from "./section.js";
import { careSection } from "./style_care.js";
import { chartSection } from "./style_chart.js";
import { completenessSection } from "./style_completeness.js";
import { StyleContext } from "./style_context.js";
import { otherFields, styleHead } from "./style_head.js";
import { colorsSection, filesSection, relationsSection, samplesSection } from "./style_lists.js";
import { materialsSection, stepsSection } from "./style_making.js";
import { Matrix } from "./style_matrix.js";
import { textsSection } from "./style_texts.js";
import { valuesSection } from "./style_values.js";
import { show } from "./values.js";
import { label, t } from "./words.js";

/** Sections, and the other names under which what they fill in is written. */
const ALIASES = {
  "style-colors": "colors",
  "style-skus": "sizes",
  barcodes: "sizes",
  prices: "sizes",
  "style-files": "files",
};

export class StylePage {
  constructor(model, collection, id, actions) {
    this.id = id;
    this.actions = actions;
    this.context = new StyleContext(model, collection, id, Boolean(actions.canWrite));
    this.head = el("div", { class: "head" });
  }

  /** Returns the nodes of the page, and the promise that all of its sections are there. */
  async view() {
    const { context } = this;
    await context.read();
    remember(context.collection, [context.style]);
    this.sections = this.#sections().map(
      (options) => new Section({ ...options, onChange: (section) => this.#changed(section) }),
    );
    const shown = new Set([...this.sections.map(({ name }) => name), "prices"]);
    // Parts without a section of their own are shown as those of other records are.
    const others = context.collection.parts
      .filter(({ name }) => !shown.has(name))
      .map((part) => partSection(context.model, context.collection, part, context.style, this.actions));
    const history = historySection(context.model, context.collection, this.id);
    const neighbors = neighborsSection(context.model, context.collection, context.style);
    this.#showHead();
    const title = context.style.name ?? context.style.number;
    const loading = Promise.all([
      ...this.sections.map((section) => section.load()),
      ...[...others, neighbors, history].map((section) => section.loading),
    ]);
    loading.then(
      () => this.#showHead(),
      () => null,
    );
    const nodes = [
      this.head,
      ...this.sections.map(({ element }) => element),
      ...others.map(({ element }) => element),
      neighbors.element,
      history.element,
    ];
    return { nodes: [el("article", { class: "style-page" }, nodes)], title, loading };
  }

  #sections() {
    const { context } = this;
    const matrix = new Matrix(context);
    const sizes = {
      name: "sizes",
      title: t("Sizes and prices"),
      choose: (listId) => matrix.choose(listId),
      read: () => matrix.read(),
      show: (data) => matrix.show(data, () => this.#section("sizes").load()),
      actions: (data) => matrix.actions(data),
    };
    const completeness =
      context.collection.byChannel &&
      completenessSection(context, (name) => this.#section(ALIASES[name] ?? name));
    const making = [
      materialsSection(context),
      stepsSection(context),
      chartSection(context),
      valuesSection(context),
    ];
    return [
      ...[
        this.#details(),
        colorsSection(context),
        sizes,
        filesSection(context),
        textsSection(context),
        completeness,
        careSection(context),
      ],
      ...[...making, samplesSection(context), relationsSection(context)],
    ].filter(Boolean);
  }

  /** The fields of the style itself. */
  #details() {
    const { context } = this;
    const { model, collection } = context;
    const open = async (done) =>
      formOf(model, collection, { ...(await changeInPlace(collection, context.style.id)), ...done });
    return {
      name: "details",
      title: t("Details"),
      read: async () => context.style,
      show: (style) => {
        const entry = ([name, schema]) => [
          el("dt", {}, label(name, schema)),
          el("dd", {}, show(model, collection, name, schema, style[name])),
        ];
        return el("dl", { class: "members" }, otherFields(context).map(entry));
      },
      actions: () =>
        context.canWrite && collection.replace
          ? [{ text: t("Edit the details"), path: context.path, open, opensAtOnce: true }]
          : [],
    };
  }

  #section(name) {
    return this.sections.find((section) => section.name === name);
  }

  /** After a change of the style or its colors everything is read again, else what the change can complete. */
  async #changed(section) {
    const isShared = ["details", "colors"].includes(section.name);
    if (isShared) await this.context.read();
    const stale = this.sections.filter(
      (other) => other !== section && (isShared || other.name === "completeness"),
    );
    if (isShared) stale.push(section);
    await Promise.all(stale.map((other) => other.load()));
    this.#showHead();
    if (isShared) section.heading.focus();
  }

  #showHead() {
    const { context } = this;
    const files = this.#section("files").data ?? [];
    const pictures = files.filter(({ category, state }) => category === "image" && state === "active");
    const file =
      pictures.find(({ isMain, styleColorId }) => isMain && styleColorId === null) ??
      pictures.find(({ isMain }) => isMain) ??
      pictures[0];
    const jump = ({ name, title }) =>
      el(
        "li",
        {},
        link(
          hashOf({ name: context.collection.name, id: String(context.style.id), action: "at", part: name }),
          title,
        ),
      );
    const jumps = el(
      "nav",
      { class: "jumps", "aria-label": t("Sections") },
      el("ul", {}, this.sections.map(jump)),
    );
    this.head.replaceChildren(
      ...styleHead(context, {
        file,
        channels: this.#section("completeness")?.data,
        controls: this.#controls(),
        jumps,
      }),
    );
  }

  #controls() {
    const { context } = this;
    if (!context.canWrite) return null;
    if (context.style.state === "deleted")
      return restoreControl(context.collection, context.style, context.tag);
    const edit = button(t("Edit"), () => this.goTo("details"));
    return el(
      "div",
      { class: "actions" },
      edit,
      deleteButton(context.model, context.collection, context.style, context.tag),
    );
  }

  /** Shows a section, and opens what is filled in there. */
  goTo(name, choice) {
    return this.#section(name)?.goTo(choice);
  }
}
