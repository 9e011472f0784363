// Days as strips, and the occurrences of the days as a list with one row for each.

import { hourAxis, strip } from "./day-strip.js";
import { autoText, h } from "./dom.js";
import { card, chip, mark, when } from "./parts.js";
import { dots } from "./timeline.js";
import { clock, day, dayName, moment, shortDay } from "./times.js";
import { t, wordList } from "./words.js";

const DAYS = 7;

/**
 * A strip for each of the first days.
 * @param {number} [count]
 */
export function strips(ahead, count = DAYS) {
  const today = ahead.days[0].date;
  const all = dots(ahead.items);
  const rows = ahead.days.slice(0, count).map(one => h("div", { class: "day" },
    h("span", null, dayName(one.date, today), " ", h("small", null, shortDay(one.date))),
    strip(one, ahead.quiet, all.filter(item => item.at >= one.start && item.at < one.end),
      one.date === today ? ahead.now : null)));
  return h("section", { class: "card", "aria-hidden": "true" },
    h("h2", null, t("part.days")),
    h("div", { class: "day" }, h("span"), hourAxis()), rows,
    h("p", { class: "legend" }, ["goes", "moved", "dropped"].map(state => chip(state)),
      h("span", { class: "chip night" }, t("quiet"))));
}

/**
 * The items in a list, grouped by day.
 * @param {any[]} items
 * @param {(item: any, inside: HTMLElement) => void} [open] fills an item's details element
 */
export function list(items, open) {
  const dates = [...new Set(items.map(item => item.local.slice(0, 10)))];
  return card(t("days.list"), dates.map(date => [
    h("h3", null, day(/** @type {string} */ (date))),
    h("ol", { class: "list" }, items
      .filter(item => item.local.startsWith(date))
      .map(item => h("li", { class: "item pending" },
        open ? fold(row(item), inside => open(item, inside))
          : h("div", { class: "line" }, row(item))))),
  ]));
}

function row(item) {
  const isOtherDay = item.plannedLocal.slice(0, 10) !== item.local.slice(0, 10);
  return [
    h("span", { class: "time" }, when(clock(item.local), item.at), item.state === "moved"
      && [" ", h("s", null, isOtherDay ? moment(item.plannedLocal) : clock(item.plannedLocal))]),
    h("b", { class: "title" }, autoText(item.title)),
    h("small", { class: "about" }, autoText(item.category), " · ",
      item.parts.map((part, index) => [index > 0 && " · ", channels(part, item)]),
      item.reasons.length > 0 && [" · ", wordList("gate", item.reasons)]),
    chip(item.state),
  ];
}

/** The channels of a part; also the state and the time of each part after the first. */
function channels(part, item) {
  const names = wordList("channel", part.channels);
  if (part === item.parts[0]) return names;
  return h("span", { class: part.state, title: wordList("gate", part.reasons) },
    mark(part.state), " ", names, " ",
    part.state === "dropped" ? h("span", { class: "unseen" }, t("state.dropped"))
      : when(clock(part.local), part.at));
}

/**
 * A row with a details element, which opens below it.
 * @param {any} cells
 * @param {(inside: HTMLElement) => void} open fills the details when they are first opened
 */
function fold(cells, open) {
  const inside = h("div", { class: "why" });
  return h("details", {
    class: "whys",
    ontoggle: event => event.target.open && !inside.hasChildNodes() && open(inside),
  }, h("summary", { class: "line" }, cells), inside);
}

/**
 * The cancelled occurrences, each with a button that resumes it.
 * @param {any[]} entries
 * @param {(entry: any) => HTMLElement} resume
 */
export const cancelledList = (entries, resume) => entries.length > 0 && card(t("cancelled.title"),
  h("ol", { class: "list" }, entries.map(one => h("li", { class: "line cancelled" },
    h("span", { class: "time" }, when(moment(one.local), one.at)),
    h("b", { class: "title" }, autoText(one.title)),
    h("small", { class: "about" }, autoText(one.category), " · ",
      wordList("channel", one.channels), one.series && ` · ${t("cancelled.series")}`),
    resume(one)))));
