// A person's notifications: the recent ones, the inbox of the app, and the history with a search.

import { get, personPath, query, request } from "./api.js";
import { categoryTitles } from "./category-titles.js";
import { autoText, h } from "./dom.js";
import { inbox } from "./inbox.js";
import { filters, outcomeChip, outcomes, select, when } from "./parts.js";
import { followRecipient } from "./recipient-stream.js";
import { button, empty, liveView, moreButton, showError, toast } from "./states.js";
import { checkTexts, mayShowTexts, messageBody } from "./text-views.js";
import { instantRange, moment } from "./times.js";
import { whyDetails } from "./why.js";
import { t, word, wordList } from "./words.js";

const PAGE_SIZE = 50;
const channels = ["push", "email", "sms", "inapp"];

/** @param {HTMLElement} root */
export async function notifications(root, person) {
  const recent = h("section", { class: "card", "aria-label": t("recent") });
  const box = h("section", { class: "card", "aria-label": t("inbox") });
  const past = h("section", { class: "card", "aria-label": t("history") });
  root.append(h("div", { class: "two" }, recent, box), past);
  const names = categoryTitles(person);
  const all = history(past, person, names);
  const reload = () => [showRecent(recent, person, names), inbox(box, person, names), all.renew()];
  await followRecipient(root, person, reload);
  await Promise.all([...reload(), all.begin()]);
}

/**
 * @param {HTMLElement} root
 * @param {Promise<Record<string, string>>} names category titles by name
 */
async function showRecent(root, person, names) {
  const path = personPath(person, "/notifications");
  const load = () => Promise.all([get(`${path}?limit=20`), names]);
  const reload = () => liveView(root, load, draw);
  const remove = id => request(`${path}/${encodeURIComponent(id)}`, { method: "DELETE" });
  // The ids of cleared notifications, removed only when that can no longer be undone.
  let hidden = new Set();
  const unhide = () => {
    hidden = new Set();
    reload();
  };
  const clear = async () => {
    if (!confirm(t("clearAll.sure"))) return;
    hidden = new Set(await recentIds(path));
    const ids = [...hidden];
    reload();
    toast(t("cleared"), {
      label: t("undo"), act: unhide,
      otherwise: () => removeEach(ids, remove).catch(showError).finally(unhide),
    });
  };
  const dismiss = async one => {
    const { body } = await remove(one.id);
    toast(t("dismissed", { count: body.dismissed }));
    reload();
  };
  const draw = ([page, known]) => {
    const shown = page.notifications.filter(one => !hidden.has(one.id));
    return [
      h("div", { class: "head" }, h("h2", null, t("recent")),
        shown.length > 0 && button(t("clearAll"), clear, "plain")),
      shown.length
        ? h("ol", { class: "list" }, shown.map(one => notification(one, person, known,
          button("✕", () => dismiss(one), "plain close",
            t("dismiss.what", { title: one.title })))))
        : empty(t(page.allCaughtUp ? "caughtUp" : "recent.empty")),
    ];
  };
  await reload();
}

/** The ids of all recent notifications. */
async function recentIds(path) {
  const ids = [];
  for (let after = ""; after !== null;) {
    const page = await get(path + query({ limit: 100, after }));
    ids.push(...page.notifications.map(one => one.id));
    after = page.next ?? null;
  }
  return ids;
}

/** Removes notifications, except those that are no longer recent. */
async function removeEach(ids, remove) {
  for (const id of ids) {
    await remove(id).catch(error => {
      if (error.status !== 404) throw error;
    });
  }
}

/**
 * @param {Record<string, string>} names category titles by name
 * @param {HTMLButtonElement} [dismiss]
 */
const notification = (one, person, names, dismiss) => h("li", { class: "item" },
  h("div", { class: "time small" }, when(moment(one.local), one.at)),
  h("div", { class: "what" },
    h("b", null, autoText(one.title)),
    h("small", null, autoText(names[one.category] ?? one.category), " · ",
      wordList("channel", one.channels)),
    messageBody(one.body, person),
    one.digest && mayShowTexts(person) && h("ul", null,
      one.digest.map(title => h("li", null, autoText(title))))),
  outcomeChip(one.outcome), dismiss,
  h("div", { class: "actions" }, whyDetails(t("why"), one.title,
    personPath(person, `/explain${query({ notification: one.id })}`))));

/**
 * The history of all notifications, with filters.
 * @param {HTMLElement} root
 * @param {Promise<Record<string, string>>} titles category titles by name
 */
function history(root, person, titles) {
  /** @type {Record<string, string>} */
  const filter = { part: "all", outcome: "any", limit: String(PAGE_SIZE) };
  const days = { from: "", to: "" };
  const list = h("div");
  /** @type {Record<string, string>} */
  let names = {};
  // Whether further pages are shown, which a reload would remove.
  let isLong = true;
  const load = async (after = "") => {
    const parameters = query({ ...filter, ...instantRange(days), after });
    const page = await get(personPath(person, `/notifications${parameters}`));
    checkTexts(page.notifications.map(one => one.body), person);
    // The query covers more than the person's local days.
    const found = page.notifications.filter(({ local }) =>
      (!days.from || local >= days.from) && (!days.to || local.slice(0, 10) <= days.to));
    return { next: page.next, items: found.map(one => notification(one, person, names)) };
  };
  const reload = () => {
    isLong = false;
    return liveView(list, load, draw);
  };
  const draw = page => {
    const items = h("ol", { class: "list" }, page.items);
    const none = empty("");
    /** @returns {[any[], any]} */
    const showPage = found => {
      if (found.items.length) none.remove();
      none.textContent = t(found.next ? "searched" : "history.empty");
      return [found.items, found.next];
    };
    const more = page.next && moreButton(items, page.next, async after => {
      isLong = true;
      return showPage(await load(after));
    });
    showPage(page);
    return [page.items.length ? null : none, items, more];
  };
  return {
    async begin() {
      root.setAttribute("aria-busy", "true");
      names = await titles;
      root.removeAttribute("aria-busy");
      root.append(h("h2", null, t("history")), filterForm(filter, days, reload, names), list);
      await reload();
    },
    // Reloads unless further pages are shown or the history has the focus.
    renew: () => isLong || root.contains(document.activeElement) ? null : reload(),
  };
}

/**
 * @param {Record<string, string>} filter
 * @param {Record<string, string>} days
 * @param {Record<string, string>} names category titles by name
 */
function filterForm(filter, days, reload, names) {
  const set = name => event => {
    filter[name] = event.target.value;
    reload();
  };
  const date = name => h("label", null, t(name), h("input", {
    type: "date",
    onchange: event => {
      days[name] = event.target.value;
      reload();
    },
  }));
  const known = Object.keys(names);
  const choice = (key, all, title) => h("label", null, t(`column.${key}`), select(
    { onchange: set(key) }, all, name => !name || name === "any" ? t("filter.all") : title(name)));
  return filters("",
    h("label", null, t("filter.search"),
      h("input", { type: "search", onchange: set("q"), dir: "auto" })),
    known.length > 0 && choice("category", ["", ...known], name => names[name]),
    choice("channel", ["", ...channels], name => word("channel", name)),
    choice("outcome", ["any", ...Object.keys(outcomes)], name => word("outcome", name)),
    date("from"), date("to"));
}
