// What everybody is told and is not, as it happens: names and reasons, but none of the words.

import { get, query } from "./api.js";
import { button, h, id, said, show } from "./dom.js";
import { chip } from "./days.js";
import { complain, empty, live, statusStream } from "./states.js";
import { utc } from "./times.js";
import { number, t, word } from "./words.js";

const EVERY = 5_000;
const PAGE = 50;
const outcomes = ["sending", "delivered", "failed", "dropped", "bundled"];
const looks = { delivered: "goes", sending: "moved", bundled: "moved", failed: "failed" };

/** @param {HTMLElement} place */
export default async function feed(place) {
  /** @type {Record<string, any>} */
  const wanted = { limit: PAGE };
  const list = h("section", { class: "card", "aria-label": t("feed") });
  const names = await get("/v1/catalog").catch(() => ({ categories: [], reminders: [] }));
  const again = () => new Feed(list, wanted).show();
  const set = name => event => {
    wanted[name] = event.target.value.trim();
    again();
  };
  const choice = (name, words, say = one => one) => h("label", null, t(`column.${name}`),
    h("select", { onchange: set(name) }, h("option", { value: "" }, t("filter.all")),
      words.map(one => h("option", { value: one }, say(one)))));
  place.append(h("h1", null, t("feed")), h("p", { class: "soft" }, t("feed.about")),
    h("form", { class: "filters card", role: "search", onsubmit: event =>
      event.preventDefault() },
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
    /** @type {Map<string, {row: HTMLElement, text: string}>} */
    this.rows = new Map();
    this.below = h("div");
    this.next = null;
  }

  async load(after = "") {
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
    for (const one of [...fresh].reverse()) {
      const known = this.rows.get(one.id);
      const text = JSON.stringify(one);
      if (known?.text === text || known?.row.contains(document.activeElement)) continue;
      const row = entry(one);
      if (known) known.row.replaceWith(row);
      else this.list.prepend(row);
      this.rows.set(one.id, { row, text });
    }
    return undefined;
  }

  append(page) {
    for (const one of page.notifications) {
      const row = entry(one);
      this.rows.set(one.id, { row, text: JSON.stringify(one) });
      this.list.append(row);
    }
    this.next = page.next;
    show(this.below, this.next && button(t("more"), () => this.more()));
  }

  async more() {
    try {
      const before = this.rows.size;
      this.append(await this.load(this.next ?? ""));
      if (!before) show(this.place, this.list, this.below);
    } catch (error) {
      complain(error);
    }
  }
}

function entry(one) {
  const kind = looks[/** @type {keyof typeof looks} */ (one.outcome)] ?? "dropped";
  const label = chip(kind);
  label.lastChild.textContent = word("outcome", one.outcome);
  const path = `#/p/${encodeURIComponent(one.recipient)}/told`;
  return h("li", { class: "item" },
    h("div", { class: "time small" }, utc(one.at)),
    h("div", { class: "what" },
      h("a", { href: path }, id(one.recipient)), " ", h("b", null, id(one.reminder)),
      h("small", null, one.category, one.missed > 1 && ` · ${t("feed.missed", {
        count: number(one.missed) })}`),
      one.reasons.length > 0 && h("small", null,
        one.reasons.map(name => word("gate", name)).join(", ")),
      one.deliveries.map(delivery => h("small", null, word("channel", delivery.channel), " ",
        word("outcome", delivery.outcome), delivery.sink && [" · ", id(delivery.sink)],
        delivery.obstacle && [": ", said(delivery.obstacle)]))),
    label);
}
