// Dead letters: the number in each group, and actions to resend or discard them.

import { get, query, request } from "./api.js";
import { autoText, h, id, show } from "./dom.js";
import { card, filters, personLink, relative, select, soft, table } from "./parts.js";
import { button, empty, liveView, statusStream, toast } from "./states.js";
import { now } from "./times.js";
import { t, word } from "./words.js";

const POLL_MS = 5_000;
const PAGE_SIZE = 100;
const kinds = ["reason", "category", "recipient", "sink"];

/** @param {HTMLElement} root
 * @param {string[]} [rest] a sink to filter by */
export default async function deadLetters(root, rest = []) {
  const page = new DeadLetterPage(rest[0] ? { sink: rest[0] } : {});
  root.append(h("h1", null, t("dead")), page.filterForm(), page.groups, page.list);
  await page.show();
}

class DeadLetterPage {
  /** @param {Record<string, string>} filter */
  constructor(filter) {
    this.filter = filter;
    this.groupBy = "reason";
    this.groups = card();
    this.list = card();
    /** @type {Record<string, HTMLInputElement>} */
    this.fields = {};
    this.letters = [];
    this.count = undefined;
    this.page = null;
    this.selected = new Set();
    this.actionBar = h("div", { class: "actions selection", "aria-live": "polite" });
  }

  filterForm() {
    return filters("card", kinds.map(kind => {
      const field = this.fields[kind] = h("input", {
        type: "search", dir: "auto", value: this.filter[kind],
        onchange: () => this.setFilter(kind, field.value.trim()),
      });
      return h("label", null, t(`column.${kind}`), field);
    }));
  }

  setFilter(kind, value) {
    // A redraw without a change would lose the selection.
    if (value === (this.filter[kind] ?? "")) return;
    this.filter[kind] = value;
    this.selected.clear();
    this.fields[kind].value = value;
    this.show();
  }

  show() {
    return Promise.all([
      liveView(this.groups, () => this.loadGroups(), answer => this.drawGroups(answer)),
      liveView(this.list, () => this.loadPage(), page => this.draw(page), POLL_MS,
        { ...statusStream, onEvent: (name, status) => this.onStatus(name, status) }),
    ]);
  }

  loadGroups() {
    return get(`/v1/deadletter-groups${query({ ...this.filter, by: this.groupBy })}`);
  }

  /** Loads the first page; while letters are selected, returns the current page. */
  async loadPage() {
    if (!this.selected.size) {
      this.page = await get(`/v1/deadletters${query({ ...this.filter, limit: PAGE_SIZE })}`);
    }
    return this.page;
  }

  /** Redraws when the number of dead letters changes, unless a letter is selected or a group has
   * the focus. */
  async onStatus(name, { deadLetters }) {
    if (name !== "status" || deadLetters === this.count) return undefined;
    if (this.selected.size || this.groups.contains(document.activeElement)) return undefined;
    this.count = deadLetters;
    const [groups, page] = await Promise.all([this.loadGroups(), this.loadPage()]);
    show(this.groups, this.drawGroups(groups));
    const isSame = JSON.stringify(page.deadLetters) === JSON.stringify(this.letters);
    return isSame ? undefined : void show(this.list, this.draw(page));
  }

  drawGroups({ by, whole, letters, expired, groups }) {
    const isFiltered = kinds.some(kind => this.filter[kind]);
    const chooser = select({
      "aria-label": t("dead.by"),
      onchange: event => { this.groupBy = event.target.value; this.show(); },
    }, kinds, kind => t(`column.${kind}`), this.groupBy);
    return [h("div", { class: "head" }, h("h2", null, t("dead.groups")),
      h("label", null, t("dead.by"), " ", chooser)),
    soft(t(whole ? "dead.count" : "dead.atLeast", { count: letters, expired })),
    groups.length > 0 && table(t("dead.groups"), [by, "letters", "expired"],
      groups.map(({ name, ...counts }) => [
        button(name || t("dead.unnamed"), () => this.setFilter(by, name), "plain"),
        counts.letters, counts.expired])),
    isFiltered && letters > 0 && h("div", { class: "actions" },
      this.actions(letters, expired, method => this.applyToAll(method), "all."))];
  }

  draw(page) {
    this.letters = page.deadLetters;
    const ids = new Set(this.letters.map(letter => letter.id));
    this.selected = new Set([...this.selected].filter(id => ids.has(id)));
    if (!this.letters.length) return empty(t(page.next ? "searched" : "dead.empty"));
    this.drawActions();
    return [this.table(), page.next && soft(t("dead.more", { count: PAGE_SIZE })), this.actionBar];
  }

  drawActions() {
    const selected = this.letters.filter(letter => this.selected.has(letter.id));
    const expired = selected.filter(letter => letter.expires < now()).length;
    show(this.actionBar, selected.length ? this.actions(selected.length, expired,
      method => this.applyToEach(selected, method)) : soft(t("dead.select")));
  }

  /** @param {number} letters
   * @param {number} expired
   * @param {(method: string) => Promise<void>} run */
  actions(letters, expired, run, kind = "") {
    const act = (key, method) => async () => {
      if (!confirm(t(`${key}.sure`, { count: letters, expired }))) return;
      try {
        await run(method);
        toast(t(`${key}.done`, { count: letters }));
      } finally {
        this.selected.clear();
        this.show();
      }
    };
    return [button(t(`${kind}resend`, { count: letters }), act("resend", "POST"), "main"),
      button(t(`${kind}letters.discard`, { count: letters }), act("letters.discard", "DELETE"))];
  }

  /** @param {any[]} letters */
  async applyToEach(letters, method) {
    for (const letter of letters) {
      const path = `/v1/deadletters/${encodeURIComponent(letter.id)}`;
      await request(method === "POST" ? `${path}/resend` : path, { method });
    }
  }

  async applyToAll(method) {
    const path = method === "POST" ? "/v1/deadletter-resends" : "/v1/deadletters";
    let after = "";
    do {
      const parameters = query({ ...this.filter, limit: PAGE_SIZE, after });
      const { body } = await request(path + parameters, { method });
      after = body.next;
    } while (after);
  }

  table() {
    const isAllSelected = () => this.selected.size === this.letters.length;
    const allBox = h("input", {
      type: "checkbox", "aria-label": t("select.all"), ".checked": isAllSelected(),
      onchange: event => {
        // A click calls the listener; setting `checked` does not.
        const isWanted = event.target.checked;
        for (const box of boxes) {
          if (box.checked !== isWanted) box.click();
        }
      },
    });
    const checkbox = letter => h("input", {
      type: "checkbox",
      "aria-label": t("select", { what: `${letter.recipient} ${letter.reminder}` }),
      ".checked": this.selected.has(letter.id),
      onchange: event => {
        this.selected[event.target.checked ? "add" : "delete"](letter.id);
        allBox.checked = isAllSelected();
        this.drawActions();
      },
    });
    const boxes = this.letters.map(checkbox);
    return table(t("dead"),
      [h("td", { role: "cell" }, allBox), "recipient", "reminder", "channel", "sink", "since",
        "reason"],
      this.letters.map((letter, index) => [
        boxes[index], personLink(letter.recipient, "/notifications"),
        [letter.reminder, " ", h("small", null, letter.category)], word("channel", letter.channel),
        id(letter.sink), relative(letter.at), autoText(letter.reason)]));
  }
}
