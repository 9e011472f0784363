// What the person was told: recent, the inbox of the app, and all of it to search in.

import { ask, get, of, query } from "./api.js";
import { h, said } from "./dom.js";
import { inbox } from "./inbox.js";
import { follow } from "./live.js";
import { filters, outcome, select } from "./parts.js";
import { button, empty, further, live, toast } from "./states.js";
import { body, isShown, note } from "./texts.js";
import { around, moment } from "./times.js";
import { titles } from "./titles.js";
import { explained } from "./why.js";
import { listed, t, word } from "./words.js";

const PAGE = 50;
const channels = ["push", "email", "sms", "inapp"];
const outcomes = ["any", "sending", "delivered", "failed", "dropped", "bundled"];

/** @param {HTMLElement} place */
export async function told(place, person) {
  const recent = h("section", { class: "card", "aria-label": t("recent") });
  const box = h("section", { class: "card", "aria-label": t("inbox") });
  const past = h("section", { class: "card", "aria-label": t("history") });
  place.append(h("div", { class: "two" }, recent, box), past);
  const names = titles(person);
  const all = history(past, person, names);
  const again = () => [showRecent(recent, person, names), inbox(box, person, names), all.renew()];
  await follow(place, person, again);
  await Promise.all([...again(), all.begin()]);
}

/**
 * @param {HTMLElement} place
 * @param {Promise<Record<string, string>>} names of the categories
 */
async function showRecent(place, person, names) {
  const path = of(person, "/notifications");
  const again = () => live(place, () => Promise.all([get(`${path}?limit=20`), names]), draw);
  const remove = async what => {
    const { body } = await ask(path + what, { method: "DELETE" });
    toast(t("dismissed", { count: body.dismissed }));
    again();
  };
  const draw = ([page, known]) => [
    h("div", { class: "head" }, h("h2", null, t("recent")),
      page.notifications.length > 0 && button(t("clearAll"), () => remove(""), "plain")),
    page.notifications.length
      ? h("ol", { class: "list" }, page.notifications.map(one =>
        notification(one, person, known, button("✕", () =>
          remove(`/${encodeURIComponent(one.id)}`), "plain close",
        t("dismiss.what", { title: one.title })))))
      : empty(t(page.allCaughtUp ? "caughtUp" : "recent.empty")),
  ];
  await again();
}

/**
 * @param {Record<string, string>} names of the categories
 * @param {HTMLButtonElement} [dismiss]
 */
const notification = (one, person, names, dismiss) => h("li", { class: "item" },
  h("div", { class: "time small" }, moment(one.local)),
  h("div", { class: "what" },
    h("b", null, said(one.title)),
    h("small", null, said(names[one.category] ?? one.category), " · ",
      listed("channel", one.channels)),
    body(one.body, person),
    one.digest && isShown(person) && h("ul", null,
      one.digest.map(title => h("li", null, said(title))))),
  outcome(one.outcome), dismiss,
  h("div", { class: "actions" }, explained(t("why"), one.title,
    of(person, `/explain${query({ notification: one.id })}`))));

/**
 * All of it, to search in.
 * @param {HTMLElement} place
 * @param {Promise<Record<string, string>>} titles of the categories
 */
function history(place, person, titles) {
  /** @type {Record<string, string>} */
  const wanted = { part: "all", outcome: "any", limit: String(PAGE) };
  const days = { from: "", to: "" };
  const list = h("div");
  /** @type {Record<string, string>} */
  let names = {};
  // Whether there is something that who reads would lose.
  let isLong = true;
  const load = async (after = "") => {
    const asked = query({ ...wanted, ...around(days), after });
    const page = await get(of(person, `/notifications${asked}`));
    note(page.notifications.map(one => one.body), person);
    // By the person's own days, which the service alone can tell.
    const found = page.notifications.filter(({ local }) =>
      (!days.from || local >= days.from) && (!days.to || local.slice(0, 10) <= days.to));
    return { next: page.next, items: found.map(one => notification(one, person, names)) };
  };
  const again = () => {
    isLong = false;
    return live(list, load, draw);
  };
  const draw = page => {
    const items = h("ol", { class: "list" }, page.items);
    const none = empty("");
    /** @returns {[any[], any]} */
    const say = found => {
      if (found.items.length) none.remove();
      none.textContent = t(found.next ? "searched" : "history.empty");
      return [found.items, found.next];
    };
    const more = page.next && further(items, page.next, async after => {
      isLong = true;
      return say(await load(after));
    });
    say(page);
    return [page.items.length ? null : none, items, more];
  };
  return {
    async begin() {
      place.setAttribute("aria-busy", "true");
      names = await titles;
      place.removeAttribute("aria-busy");
      place.append(h("h2", null, t("history")), narrowing(wanted, days, again, names), list);
      await again();
    },
    // Who is at it, or has gone on in it, is left in peace.
    renew: () => isLong || place.contains(document.activeElement) ? null : again(),
  };
}

/**
 * @param {Record<string, string>} wanted
 * @param {Record<string, string>} days
 * @param {Record<string, string>} names of the categories
 */
function narrowing(wanted, days, again, names) {
  const set = name => event => {
    wanted[name] = event.target.value;
    again();
  };
  const date = name => h("label", null, t(name), h("input", {
    type: "date",
    onchange: event => {
      days[name] = event.target.value;
      again();
    },
  }));
  const known = Object.keys(names);
  const choice = (label, key, all, say) => h("label", null, t(label), select(
    { onchange: set(key) }, all, name => !name || name === "any" ? t("filter.all") : say(name)));
  return filters("",
    h("label", null, t("filter.search"),
      h("input", { type: "search", onchange: set("q"), dir: "auto" })),
    known.length > 0 && choice("category", "category", ["", ...known], name => names[name]),
    choice("filter.channel", "channel", ["", ...channels], name => word("channel", name)),
    choice("filter.outcome", "outcome", outcomes, name => word("outcome", name)),
    date("from"), date("to"));
}
