// What everybody is told and is not, as it happens: names and reasons, but none of the words.

import { get, query } from "./api.js";
import { h, id, said, show } from "./dom.js";
import { filters, linked, outcome, select, soft } from "./parts.js";
import { button, empty, live, statusStream } from "./states.js";
import { utc } from "./times.js";
import { listed, number, t, word } from "./words.js";

const EVERY = 5_000;
const PAGE = 50;
const outcomes = ["sending", "delivered", "failed", "dropped", "bundled"];

/** @param {HTMLElement} place */
export default async function feed(place) {
  const wanted = { limit: PAGE };
  const list = h("section", { class: "card", "aria-label": t("feed") });
  const names = await get("/v1/catalog").catch(() => ({ categories: [], reminders: [] }));
  const again = () => new Feed(list, wanted).show();
  const set = name => event => {
    wanted[name] = event.target.value.trim();
    again();
  };
  const choice = (name, words, say = one => one) => h("label", null, t(`column.${name}`),
    select({ onchange: set(name) }, ["", ...words], one => one ? say(one) : t("filter.all")));
  place.append(h("h1", null, t("feed")), soft(t("feed.about")), filters("card",
    choice("reminder", names.reminders), choice("category", names.categories),
    choice("outcome", outcomes, one => word("outcome", one)),
    h("label", null, t("column.sink"),
      h("input", { type: "search", onchange: set("sink"), dir: "auto" }))), list);
  await again();
}

/** What is shown of it: the latest, to which what comes is added, and what was asked for below. */
class Feed {
  /**
   * @param {HTMLElement} place
   * @param {Record<string, any>} wanted
   */
  constructor(place, wanted) {
    this.place = place;
    this.wanted = wanted;
    this.list = h("ol", { class: "list" });
    /** What is shown, with what it was drawn from. */
    this.rows = new Map();
    this.below = h("div");
    this.next = null;
  }

  load(after = "") {
    return get(`/v1/notifications${query({ ...this.wanted, after })}`);
  }

  show() {
    const take = async name => name === "status" ? this.add(await this.load()) : undefined;
    return live(this.place, () => this.load(), page => this.draw(page), EVERY,
      { ...statusStream, take });
  }

  draw(page) {
    this.list.replaceChildren();
    this.rows.clear();
    this.append(page);
    return [this.rows.size ? this.list : empty(t(page.next ? "searched" : "feed.empty")),
      this.below];
  }

  /** Puts what is new above what is there. Where more has come than a page holds, or nothing was
   * there, all is drawn anew. */
  add(page) {
    const fresh = page.notifications;
    if (!this.rows.size || !fresh.some(one => this.rows.has(one.id))) {
      return fresh.length && fresh[0].id !== this.rows.keys().next().value ? page : undefined;
    }
    for (const one of fresh.reverse()) {
      const { row, text } = this.rows.get(one.id) ?? {};
      if (text === JSON.stringify(one) || row?.contains(document.activeElement)) continue;
      if (row) row.replaceWith(this.row(one));
      else this.list.prepend(this.row(one));
    }
    return undefined;
  }

  row(one) {
    const row = entry(one);
    this.rows.set(one.id, { row, text: JSON.stringify(one) });
    return row;
  }

  append(page) {
    this.list.append(...page.notifications.map(one => this.row(one)));
    this.next = page.next;
    show(this.below, this.next && button(t("more"), () => this.more()));
  }

  async more() {
    const before = this.rows.size;
    this.append(await this.load(this.next ?? ""));
    if (!before) show(this.place, this.list, this.below);
  }
}

function entry(one) {
  return h("li", { class: "item" },
    h("div", { class: "time small" }, utc(one.at)),
    h("div", { class: "what" },
      linked(one.recipient, "/told"), " ", h("b", null, id(one.reminder)),
      h("small", null, one.category, one.missed > 1 && ` · ${t("feed.missed", {
        count: number(one.missed) })}`),
      one.reasons.length > 0 && h("small", null, listed("gate", one.reasons)),
      one.deliveries.map(delivery => h("small", null, word("channel", delivery.channel), " ",
        word("outcome", delivery.outcome), delivery.sink && [" · ", id(delivery.sink)],
        delivery.obstacle && [": ", said(delivery.obstacle)]))),
    outcome(one.outcome));
}
