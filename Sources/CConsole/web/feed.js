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
  const choice = (name, words, label = text => text) => h("label", null, t(`column.${name}`),
    select({ onchange: set(name) }, ["", ...words], text => text ? label(text) : t("filter.all")));
  root.append(h("h1", null, t("feed")), soft(t("feed.about")), filters("card",
    choice("reminder", names.reminders), choice("category", names.categories),
    choice("outcome", Object.keys(outcomes), name => word("outcome", name)),
    h("label", null, t("column.sink"),
      h("input", { type: "search", onchange: set("sink"), dir: "auto" }))), list);
  await reload();
}

/** The notifications: new ones at the top, further pages at the end. */
class Feed {
  /** @param {HTMLElement} root
   * @param {Record<string, any>} filter */
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

  /** Adds a page's new notifications at the top, and replaces changed ones. If the list has none
   * of the page's notifications, returns the page for a full redraw. */
  add(page) {
    const items = page.notifications;
    if (!this.rows.size || !items.some(item => this.rows.has(item.id))) {
      return items.length && items[0].id !== this.rows.keys().next().value ? page : undefined;
    }
    for (const item of items.reverse()) {
      const { row, text } = this.rows.get(item.id) ?? {};
      if (text === JSON.stringify(item) || row?.contains(document.activeElement)) continue;
      if (row) row.replaceWith(this.row(item));
      else this.list.prepend(this.row(item));
    }
    return undefined;
  }

  row(item) {
    const row = entry(item);
    this.rows.set(item.id, { row, text: JSON.stringify(item) });
    return row;
  }

  append(page) {
    this.list.append(...page.notifications.map(item => this.row(item)));
    this.next = page.next;
    show(this.below, this.next && button(t("more"), () => this.more()));
  }

  async more() {
    const count = this.rows.size;
    this.append(await this.load(this.next ?? ""));
    if (!count) show(this.root, this.list, this.below);
  }
}

function entry(item) {
  return h("li", { class: "item" },
    h("div", { class: "time small" }, relative(item.at)),
    h("div", { class: "what" },
      personLink(item.recipient, "/notifications"), " ", h("b", null, id(item.reminder)),
      h("small", null, item.category, item.missed > 1 && ` · ${t("feed.missed", {
        count: item.missed })}`),
      item.reasons.length > 0 && h("small", null, wordList("gate", item.reasons)),
      item.deliveries.map(delivery => h("small", null, word("channel", delivery.channel), " ",
        word("outcome", delivery.outcome), delivery.sink && [" · ", id(delivery.sink)],
        delivery.obstacle && [": ", autoText(delivery.obstacle)]))),
    outcomeChip(item.outcome));
}
