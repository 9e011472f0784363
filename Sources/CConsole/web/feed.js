// The feed: new notifications of all people, without their texts.

import { get, query } from "./api.js";
import { autoText, h, id, show } from "./dom.js";
import { filters, outcomeChip, outcomes, personLink, relative, select, soft } from "./parts.js";
import { button, empty, liveView, statusStream } from "./states.js";
import { t, word, wordList } from "./words.js";

const POLL_MS = 5_000;
const PAGE_SIZE = 50;

/** @param {HTMLElement} root */
export default async function feed(root) {
  const filter = { limit: PAGE_SIZE };
  const list = h("section", { class: "card", "aria-label": t("feed") });
  const names = await get("/v1/catalog").catch(() => ({ categories: [], reminders: [] }));
  const reload = () => new Feed(list, filter).show();
  const set = name => event => {
    filter[name] = event.target.value.trim();
    reload();
  };
  const choice = (name, words, label = one => one) => h("label", null, t(`column.${name}`),
    select({ onchange: set(name) }, ["", ...words], one => one ? label(one) : t("filter.all")));
  root.append(h("h1", null, t("feed")), soft(t("feed.about")), filters("card",
    choice("reminder", names.reminders), choice("category", names.categories),
    choice("outcome", Object.keys(outcomes), one => word("outcome", one)),
    h("label", null, t("column.sink"),
      h("input", { type: "search", onchange: set("sink"), dir: "auto" }))), list);
  await reload();
}

/** The list of notifications. New ones are added at the top, further pages at the end. */
class Feed {
  /**
   * @param {HTMLElement} root
   * @param {Record<string, any>} filter
   */
  constructor(root, filter) {
    this.root = root;
    this.filter = filter;
    this.list = h("ol", { class: "list" });
    /** The rows by notification id, with the JSON that each was drawn from. */
    this.rows = new Map();
    this.below = h("div");
    this.next = null;
  }

  load(after = "") {
    return get(`/v1/notifications${query({ ...this.filter, after })}`);
  }

  show() {
    const onEvent = async name => name === "status" ? this.add(await this.load()) : undefined;
    return liveView(this.root, () => this.load(), page => this.draw(page), POLL_MS,
      { ...statusStream, onEvent });
  }

  draw(page) {
    this.list.replaceChildren();
    this.rows.clear();
    this.append(page);
    return [this.rows.size ? this.list : empty(t(page.next ? "searched" : "feed.empty")),
      this.below];
  }

  /** Adds the new notifications of a page at the top, and replaces changed ones. If the list is
   * empty or has none of the notifications of the page, returns the page for a full redraw. */
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
    if (!before) show(this.root, this.list, this.below);
  }
}

function entry(one) {
  return h("li", { class: "item" },
    h("div", { class: "time small" }, relative(one.at)),
    h("div", { class: "what" },
      personLink(one.recipient, "/notifications"), " ", h("b", null, id(one.reminder)),
      h("small", null, one.category, one.missed > 1 && ` · ${t("feed.missed", {
        count: one.missed })}`),
      one.reasons.length > 0 && h("small", null, wordList("gate", one.reasons)),
      one.deliveries.map(delivery => h("small", null, word("channel", delivery.channel), " ",
        word("outcome", delivery.outcome), delivery.sink && [" · ", id(delivery.sink)],
        delivery.obstacle && [": ", autoText(delivery.obstacle)]))),
    outcomeChip(one.outcome));
}
