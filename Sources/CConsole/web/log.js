// The service's log: the latest journal entries, followed live.

import { get, query } from "./api.js";
import { autoText, h } from "./dom.js";
import { filters, mark, personLink, select, soft } from "./parts.js";
import { mayAdminister } from "./session.js";
import { empty, liveView, throwUnreachable } from "./states.js";
import { utc } from "./times.js";
import { hasText, loadTexts, t, word } from "./words.js";

const EVERY = 2_000;
const SHOWN = 300;
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
 * The entries that match the filter, latest first, and new ones as they come.
 * @param {HTMLElement} root
 * @param {Record<string, any>} filter
 * @param {any} [head]
 */
export function journal(root, filter, head) {
  let entries = [];
  let after = "";
  const list = h("ol", { class: "list log" });
  // Entries are added without a redraw, so that a text selection is kept.
  const add = fresh => {
    entries = [...fresh, ...entries].slice(0, SHOWN);
    list.prepend(...fresh.map(entry));
    while (list.children.length > SHOWN) list.lastElementChild.remove();
    return entries;
  };
  const load = async () => {
    if (mayAdminister()) await loadTexts("audit").catch(throwUnreachable);
    const page = await get(`/v1/log${query({ ...filter, after, limit: SHOWN })}`);
    after = page.latest;
    return add(page.entries.reverse());
  };
  const onEvent = (name, one) => {
    if (name !== "entry") return undefined;
    const isFirst = !entries.length;
    after = String(one.number);
    add([one]);
    return isFirst ? entries : undefined;
  };
  const draw = found => [head, found.length ? list : empty(t("log.empty"))];
  return liveView(root, load, draw, EVERY, {
    path: () => `/v1/log/stream${query({ ...filter, after })}`, onEvent,
  });
}

function entry(one) {
  const name = cssClasses[one.level];
  return h("li", { class: "entry" },
    h("time", { class: "small soft" }, utc(one.at)),
    h("span", { class: name ?? "soft" }, name && [mark(name), " "], word("level", one.level)),
    h("span", { class: "what" }, autoText(entryText(one)), " ",
      one.recipient && personLink(one.recipient)));
}

/** The message of an entry; of a change, a sentence in the reader's language. */
export function entryText({ message, actor, action, recipient: person, subject }) {
  const key = `action.${action}`;
  if (!hasText(key)) return message;
  const sentence = t(key, { actor: actor.replace(/\buser 0\b/, "root"), person });
  return subject ? `${sentence}: ${subject}` : sentence;
}
