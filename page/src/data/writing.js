// Section of a view in which rows are checked by a dry run and written: progress, what came of each row, and
// how to go on.

import { alertBox, announce, button, el, stored } from "./dom.js";
import { Results } from "./results.js";
import { Writer } from "./writer.js";
import { counted, t } from "./words.js";

export class Writing {
  /**
   * `head` says how a row is shown: the `title` of its first column, its `number` and its `name`.
   * `rejectsOf` returns the
   * controls and the hint for rejected rows. `onBusy` is called with whether rows are being sent.
   * `isDeletion` deletes records.
   */
  constructor(sheet, { head, rejectsOf, onBusy = (_isBusy) => null, isDeletion = false }) {
    this.sheet = sheet;
    this.head = head;
    this.rejectsOf = rejectsOf;
    this.onBusy = onBusy;
    this.isDeletion = isDeletion;
    this.element = el("section", { "aria-label": t("Result") });
  }

  clear(...nodes) {
    this.isWritten = false;
    this.element.replaceChildren(...nodes);
  }

  /**
   * Sends a dry run of rows, and offers to write them. `languages` has the codes of languages by the names of
   * lists whose other languages stay.
   */
  dryRun(rows, languages = new Map()) {
    return this.#start(rows, { isDryRun: true, languages });
  }

  #start(rows, options) {
    return this.#run(new Writer(this.sheet, rows, { ...options, isDeletion: this.isDeletion }));
  }

  /** Runs a writer, and shows what came of it. After a failure, or when it is stopped, it can go on. */
  async #run(writer) {
    const bar = el("progress", { max: writer.rows.length, "aria-label": t("Rows") });
    const count = el("span", {});
    const onProgress = () => {
      bar.value = writer.done;
      count.textContent = t("{0} of {1}", writer.done, writer.rows.length);
      writer.isStopped ||= !this.element.isConnected;
    };
    const stop = button(t("Stop"), () => (writer.isStopped = stop.disabled = true));
    this.clear(el("p", { class: "actions" }, bar, count, stop));
    this.isWriting = !writer.isDryRun;
    // Neither another file nor other values begin meanwhile.
    this.onBusy(true);
    onProgress();
    let failure = null;
    try {
      await writer.run(onProgress);
    } catch (error) {
      if (!error.rows || error.status === 401) throw error;
      failure = error;
    } finally {
      this.isWriting = false;
      this.onBusy(false);
    }
    await this.#show(writer, failure);
  }

  async #show(writer, failure) {
    const { isDryRun, isDone, rows, languages } = writer;
    const results = new Results(
      this.sheet,
      rows.filter(({ kind }) => kind),
      this.head,
    );
    const title = isDryRun
      ? t("What would change")
      : isDone
        ? t("What was written")
        : t("What was written until now");
    const good = rows.filter(({ kind }) => kind && kind !== "failed" && kind !== "unchanged").length;
    const write =
      isDone &&
      isDryRun &&
      good > 0 &&
      button(
        this.isDeletion
          ? counted(good, "Delete {0} row", "Delete {0} rows")
          : counted(good, "Write {0} row", "Write {0} rows"),
        () => this.#start(rows, { isDryRun: false, languages }),
        { class: "" },
      );
    const goOn = !isDone && button(t("Go on"), () => this.#run(writer), { class: "" });
    const rejected = rows.filter(({ kind }) => kind === "failed");
    const { controls = [], hint = "" } = rejected.length ? this.rejectsOf(rejected) : {};
    const why =
      failure &&
      alertBox(
        t("It stopped: {0} What is written stays written; going on writes nothing twice.", failure.message),
      );
    const heading = el("h2", { tabindex: "-1" }, title);
    await results.show();
    const nodes = [
      heading,
      why,
      el("p", {}, results.summary),
      el("div", { class: "actions" }, write, goOn, controls),
      hint && el("p", { class: "quiet" }, hint),
      this.#madeNode(rows.filter(({ kind }) => kind && kind !== "failed")),
      results.element,
    ];
    this.clear(...nodes.filter(Boolean));
    this.isWritten = isDone && !isDryRun;
    heading.focus();
    announce(`${title}: ${results.summary}`);
  }

  /** Returns what is made beside the rows, by collections; or nothing. */
  #madeNode(rows) {
    const names = new Map();
    for (const { collection, text } of rows.flatMap(({ makes }) => makes))
      names.set(collection.title, (names.get(collection.title) ?? new Set()).add(text));
    const lines = [...names].map(([title, texts]) =>
      el("li", {}, `${title}: `, el("ins", {}, stored([...texts].join(", ")))),
    );
    return (
      lines.length > 0 &&
      el("div", { class: "made" }, t("New records, named in cells:"), el("ul", { class: "changes" }, lines))
    );
  }
}
