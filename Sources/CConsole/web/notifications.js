// A person's notifications: the recent notifications, the app's inbox, and a searchable history.

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
  const recentRoot = h("section", { class: "card", "aria-label": t("recent") });
  const inboxRoot = h("section", { class: "card", "aria-label": t("inbox") });
  const historyRoot = h("section", { class: "card", "aria-label": t("history") });
  root.append(h("div", { class: "two" }, recentRoot, inboxRoot), historyRoot);
  const names = categoryTitles(person);
  const historyView = history(historyRoot, person, names);
  const reload = () => [showRecent(recentRoot, person, names), inbox(inboxRoot, person, names),
    historyView.renew()];
  await followRecipient(root, person, reload);
  await Promise.all([...reload(), historyView.begin()]);
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
  // The ids of cleared notifications. They are removed once the user can no longer undo that.
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
  const dismiss = async entry => {
    const { body } = await remove(entry.id);
    toast(t("dismissed", { count: body.dismissed }));
    reload();
  };
  const draw = ([page, titles]) => {
    const shown = page.notifications.filter(entry => !hidden.has(entry.id));
    return [
      h("div", { class: "head" }, h("h2", null, t("recent")),
        shown.length > 0 && button(t("clearAll"), clear, "plain")),
      shown.length
        ? h("ol", { class: "list" }, shown.map(entry => notification(entry, person, titles,
          button("✕", () => dismiss(entry), "plain close",
            t("dismiss.what", { title: entry.title })))))
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
    ids.push(...page.notifications.map(entry => entry.id));
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
const notification = (entry, person, names, dismiss) => h("li", { class: "item" },
  h("div", { class: "time small" }, when(moment(entry.local), entry.at)),
  h("div", { class: "what" },
    h("b", null, autoText(entry.title)),
    h("small", null, autoText(names[entry.category] ?? entry.category), " · ",
      wordList("channel", entry.channels)),
    messageBody(entry.body, person),
    entry.digest && mayShowTexts(person) && h("ul", null,
      entry.digest.map(title => h("li", null, autoText(title))))),
  outcomeChip(entry.outcome), dismiss,
  h("div", { class: "actions" }, whyDetails(t("why"), entry.title,
    personPath(person, `/explain${query({ notification: entry.id })}`))));

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
    checkTexts(page.notifications.map(entry => entry.body), person);
    // The query covers more than the person's local days.
    const found = page.notifications.filter(({ local }) =>
      (!days.from || local >= days.from) && (!days.to || local.slice(0, 10) <= days.to));
    return { next: page.next, items: found.map(entry => notification(entry, person, names)) };
  };
  const reload = () => {
    isLong = false;
    return liveView(list, load, draw);
  };
  const draw = page => {
    const items = h("ol", { class: "list" }, page.items);
    const emptyNotice = empty("");
    /** @returns {[any[], any]} */
    const showPage = found => {
      if (found.items.length) emptyNotice.remove();
      emptyNotice.textContent = t(found.next ? "searched" : "history.empty");
      return [found.items, found.next];
    };
    const more = page.next && moreButton(items, page.next, async after => {
      isLong = true;
      return showPage(await load(after));
    });
    showPage(page);
    return [page.items.length ? null : emptyNotice, items, more];
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
  const categories = Object.keys(names);
  const choice = (key, all, title) => h("label", null, t(`column.${key}`), select(
    { onchange: set(key) }, all, name => !name || name === "any" ? t("filter.all") : title(name)));
  return filters("",
    h("label", null, t("filter.search"),
      h("input", { type: "search", onchange: set("q"), dir: "auto" })),
    categories.length > 0 && choice("category", ["", ...categories], name => names[name]),
    choice("channel", ["", ...channels], name => word("channel", name)),
    choice("outcome", ["any", ...Object.keys(outcomes)], name => word("outcome", name)),
    date("from"), date("to"));
}
