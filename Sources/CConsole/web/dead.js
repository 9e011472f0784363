// What could not be delivered on any way: counted by what it has in common, to be sent again, or
// thrown away.

import { ask, get, query } from "./api.js";
import { h, id, said, show } from "./dom.js";
import { card, filters, linked, select, soft, table } from "./parts.js";
import { button, empty, live, statusStream, toast } from "./states.js";
import { now, utc } from "./times.js";
import { number, t, word } from "./words.js";

const EVERY = 5_000;
const PAGE = 100;
const kinds = ["reason", "category", "recipient", "sink"];

/**
 * @param {HTMLElement} place
 * @param {string[]} [rest] the sink, if it is about one
 */
export default async function deadLetters(place, rest = []) {
  const desk = new Desk(rest[0] ? { sink: rest[0] } : {});
  place.append(h("h1", null, t("dead")), desk.filters(), desk.groups, desk.list);
  await desk.show();
}

class Desk {
  /** @param {Record<string, string>} wanted */
  constructor(wanted) {
    this.wanted = wanted;
    this.by = "reason";
    this.groups = card();
    this.list = card();
    /** @type {Record<string, HTMLInputElement>} */
    this.fields = {};
    this.letters = [];
    /** How many the service had when they were asked for. */
    this.count = undefined;
    this.page = null;
    this.chosen = new Set();
    this.act = h("div", { class: "actions" });
  }

  filters() {
    return filters("card", kinds.map(kind => {
      const field = this.fields[kind] = h("input", {
        type: "search", dir: "auto", value: this.wanted[kind],
        onchange: () => this.want(kind, field.value.trim()),
      });
      return h("label", null, t(`column.${kind}`), field);
    }));
  }

  want(kind, value) {
    // Who chooses letters after that would lose them by a list that is drawn anew for nothing.
    if (value === (this.wanted[kind] ?? "")) return;
    this.wanted[kind] = value;
    this.chosen.clear();
    this.fields[kind].value = value;
    this.show();
  }

  show() {
    return Promise.all([
      live(this.groups, () => this.askGroups(), all => this.sorts(all)),
      live(this.list, () => this.askPage(), page => this.draw(page), EVERY,
        { ...statusStream, take: (name, status) => this.hear(name, status) }),
    ]);
  }

  askGroups() {
    return get(`/v1/deadletter-groups${query({ ...this.wanted, by: this.by })}`);
  }

  /** Those that are there already while some of them are chosen. */
  async askPage() {
    if (!this.chosen.size) {
      this.page = await get(`/v1/deadletters${query({ ...this.wanted, limit: PAGE })}`);
    }
    return this.page;
  }

  /** Draws anew what others have come to, or have become of; who chooses is left in peace. */
  async hear(name, { deadLetters }) {
    if (name !== "status" || deadLetters === this.count) return undefined;
    if (this.chosen.size || this.groups.contains(document.activeElement)) return undefined;
    this.count = deadLetters;
    const [groups, page] = await Promise.all([this.askGroups(), this.askPage()]);
    show(this.groups, this.sorts(groups));
    const isSame = JSON.stringify(page.deadLetters) === JSON.stringify(this.letters);
    return isSame ? undefined : void show(this.list, this.draw(page));
  }

  /** How many there are of each sort, and what can be done with all that are wanted. */
  sorts(all) {
    const isNarrow = kinds.some(kind => this.wanted[kind]);
    const chooser = select({
      "aria-label": t("dead.by"),
      onchange: event => { this.by = event.target.value; this.show(); },
    }, kinds, kind => t(`column.${kind}`), this.by);
    return [h("div", { class: "head" }, h("h2", null, t("dead.sorts")),
      h("label", null, t("dead.by"), " ", chooser)),
    soft(t(all.whole ? "dead.count" : "dead.atLeast", {
      count: number(all.letters), expired: number(all.expired) })),
    all.groups.length > 0 && table(t("dead.sorts"), [all.by, "letters", "expired"],
      all.groups.map(({ name, letters, expired }) => [
        button(name || t("dead.nameless"), () => this.want(all.by, name), "plain"),
        letters, expired])),
    isNarrow && all.letters > 0 && h("div", { class: "actions" },
      this.deeds(all.letters, all.expired, method => this.pages(method), "all."))];
  }

  draw(page) {
    this.letters = page.deadLetters;
    const there = new Set(this.letters.map(one => one.id));
    this.chosen = new Set([...this.chosen].filter(one => there.has(one)));
    if (!this.letters.length) return empty(t(page.next ? "searched" : "dead.empty"));
    this.tell();
    return [this.act, this.table(),
      page.next && soft(t("dead.more", { count: number(PAGE) }))];
  }

  tell() {
    const chosen = this.letters.filter(one => this.chosen.has(one.id));
    const expired = chosen.filter(one => one.expires < now()).length;
    show(this.act, this.deeds(chosen.length, expired, method => this.each(chosen, method)));
  }

  /**
   * @param {number} letters
   * @param {number} expired
   * @param {(method: string) => Promise<void>} run
   */
  deeds(letters, expired, run, kind = "") {
    const count = number(letters);
    const act = (what, method) => async () => {
      if (!confirm(t(`${what}.sure`, { count, expired: number(expired) }))) return;
      try {
        await run(method);
        toast(t(`${what}.done`, { count }));
      } finally {
        this.chosen.clear();
        this.show();
      }
    };
    const buttons = [button(t(`${kind}resend`, { count }), act("resend", "POST"), "main"),
      button(t(`${kind}throwAway`, { count }), act("throwAway", "DELETE"))];
    for (const one of buttons) one.disabled = !letters;
    return buttons;
  }

  /** @param {any[]} letters */
  async each(letters, method) {
    for (const one of letters) {
      const path = `/v1/deadletters/${encodeURIComponent(one.id)}`;
      await ask(method === "POST" ? `${path}/resend` : path, { method });
    }
  }

  /** All that are wanted, a page after the other. */
  async pages(method) {
    const path = method === "POST" ? "/v1/deadletter-resends" : "/v1/deadletters";
    let after = "";
    do {
      const { body } = await ask(path + query({ ...this.wanted, limit: PAGE, after }), { method });
      after = body.next;
    } while (after);
  }

  table() {
    const areAll = () => this.chosen.size === this.letters.length;
    const all = h("input", {
      type: "checkbox", "aria-label": t("choose.all"), ".checked": areAll(),
      onchange: event => {
        // Each that is chosen says whether all are.
        const isWanted = event.target.checked;
        for (const box of boxes) {
          if (box.checked !== isWanted) box.click();
        }
      },
    });
    const choose = one => h("input", {
      type: "checkbox", "aria-label": t("choose", { what: `${one.recipient} ${one.reminder}` }),
      ".checked": this.chosen.has(one.id),
      onchange: event => {
        this.chosen[event.target.checked ? "add" : "delete"](one.id);
        all.checked = areAll();
        this.tell();
      },
    });
    const boxes = this.letters.map(choose);
    return table(t("dead"),
      [h("td", null, all), "recipient", "what", "channel", "sink", "since", "reason"],
      this.letters.map((one, index) => [
        boxes[index], linked(one.recipient, "/told"),
        [one.reminder, " ", h("small", null, one.category)], word("channel", one.channel),
        id(one.sink), utc(one.at), said(one.reason)]));
  }
}
