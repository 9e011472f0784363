// The service's log: the latest journal entries, and new ones.

import { get, query } from "./api.js";
import { autoText, h } from "./dom.js";
import { filters, mark, personLink, relative, select, soft } from "./parts.js";
import { mayAdminister } from "./session.js";
import { empty, liveView, throwUnreachable } from "./states.js";
import { hasText, loadTexts, t, word } from "./words.js";

const POLL_MS = 2_000;
const MAX_ENTRIES = 300;
const levels = ["info", "notice", "warning", "error", "critical"];
const cssClasses = { warning: "moved", error: "failed", critical: "failed" };

/** @param {HTMLElement} root */
export default async function log(root) {
  const filter = {};
  const list = h("section", { class: "card", "aria-label": t("log") });
  const reload = () => journal(list, filter);
  const set = name => event => {
    filter[name] = event.target.value.trim();
    reload();
  };
  const text = name => h("label", null, t(`column.${name}`),
    h("input", { type: "search", onchange: set(name), dir: "auto" }));
  root.append(h("h1", null, t("log")), soft(t("log.about")), filters("card",
    h("label", null, t("log.level"),
      select({ onchange: set("level") }, levels, name => word("level", name))),
    ["recipient", "reminder", "sink"].map(text)), list);
  await reload();
}

/**
 * Shows the entries that match the filter, the latest first, and adds new ones. Consecutive equal
 * entries share a row with their number.
 * @param {Record<string, any>} filter
 * @param {any} [head]
 */
export function journal(root, filter, head) {
  let after = "";
  const list = h("ol", { class: "list log" });
  const field = h("input", { type: "search", dir: "auto", oninput: () => hide() });
  const hide = () => {
    const text = field.value.trim().toLowerCase();
    for (const row of list.children) row.hidden = !row.textContent.toLowerCase().includes(text);
  };
  // Entries are added without a redraw, so that a text selection is kept.
  const add = items => {
    for (const item of items) {
      const last = list.firstElementChild;
      const key = JSON.stringify([item.level, item.recipient, item.actor, entryText(item)]);
      const times = last?.dataset.key === key ? Number(last.dataset.times) + 1 : 1;
      if (times > 1) last.remove();
      list.prepend(entry(item, key, times));
    }
    while (list.children.length > MAX_ENTRIES) list.lastElementChild.remove();
    hide();
    return list.children.length;
  };
  const load = async () => {
    if (mayAdminister()) await loadTexts("audit").catch(throwUnreachable);
    const page = await get(`/v1/log${query({ ...filter, after, limit: MAX_ENTRIES })}`);
    after = page.latest;
    return add(page.entries);
  };
  const onEvent = (name, item) => {
    if (name !== "entry") return undefined;
    const isFirst = !list.children.length;
    after = String(item.number);
    const count = add([item]);
    return isFirst ? count : undefined;
  };
  const search = filter.changes && h("label", null, t("filter.search"), field);
  const draw = count => [head, search && filters("", search), count ? list : empty(t("log.empty"))];
  return liveView(root, load, draw, POLL_MS, {
    path: () => `/v1/log/stream${query({ ...filter, after })}`, onEvent,
  });
}

function entry(item, key, times) {
  const name = cssClasses[item.level];
  return h("li", { class: "entry", "data-key": key, "data-times": times, title: item.actor },
    h("span", { class: "small soft" }, relative(item.at)),
    h("span", { class: name ?? "soft" }, name && [mark(name), " "], word("level", item.level)),
    h("span", { class: "what" }, autoText(entryText(item)), " ",
      item.recipient && personLink(item.recipient), times > 1 && [" ",
        h("span", { class: "chip" }, t("log.times", { count: times }))]));
}

/** The text of an entry: for a change, a sentence in the reader's language, else the message. */
export function entryText({ message, actor, action, recipient: person, subject }) {
  const key = `action.${action}`;
  if (!hasText(key)) return message;
  const sentence = t(key, { actor: actorName(actor), person });
  return subject ? `${sentence}: ${subject}` : sentence;
}

/** The name of an actor; for a token of the console, the user who opened it. */
const actorName = actor =>
  actor.replace(/^token \S+ "console of (.+)"$/, "$1").replace(/^user 0$/, "root");
