// The next days as strips, and their occurrences as a list.

import { hourAxis, strip } from "./day-strip.js";
import { autoText, h } from "./dom.js";
import { card, chip, mark, when } from "./parts.js";
import { dots } from "./timeline.js";
import { clock, day, dayName, moment, shortDay } from "./times.js";
import { t, wordList } from "./words.js";

const DAYS = 7;

/** @param {number} [count] the number of strips, one for each day */
export function strips(ahead, count = DAYS) {
  const today = ahead.days[0].date;
  const items = dots(ahead.items);
  const rows = ahead.days.slice(0, count).map(day => h("div", { class: "day" },
    h("span", null, dayName(day.date, today), " ", h("small", null, shortDay(day.date))),
    strip(day, ahead.quiet, items.filter(item => item.at >= day.start && item.at < day.end),
      day.date === today ? ahead.now : null)));
  return h("section", { class: "card", "aria-hidden": "true" },
    h("h2", null, t("part.days")),
    h("div", { class: "day" }, h("span"), hourAxis()), rows,
    h("p", { class: "legend" }, ["goes", "moved", "dropped"].map(state => chip(state)),
      h("span", { class: "chip night" }, t("quiet"))));
}

/** @param {any[]} items
 * @param {(item: any, content: HTMLElement) => void} [open] fills an item's details */
export function list(items, open) {
  const dates = [...new Set(items.map(item => item.local.slice(0, 10)))];
  return card(t("days.list"), dates.map(date => [
    h("h3", null, day(/** @type {string} */ (date))),
    h("ol", { class: "list" }, items
      .filter(item => item.local.startsWith(date))
      .map(item => h("li", { class: "item pending" },
        open ? detailsRow(row(item), content => open(item, content))
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

/** The channels of an item's part; for parts after the first, also their state and time. */
function channels(part, item) {
  const names = wordList("channel", part.channels);
  if (part === item.parts[0]) return names;
  return h("span", { class: part.state, title: wordList("gate", part.reasons) },
    mark(part.state), " ", names, " ",
    part.state === "dropped" ? h("span", { class: "unseen" }, t("state.dropped"))
      : when(clock(part.local), part.at));
}

/** A row whose details open below it.
 * @param {(content: HTMLElement) => void} open fills the details when they are first opened */
function detailsRow(cells, open) {
  const content = h("div", { class: "why" });
  return h("details", {
    class: "whys",
    ontoggle: event => event.target.open && !content.hasChildNodes() && open(content),
  }, h("summary", { class: "line" }, cells), content);
}

/** @param {any[]} entries
 * @param {(entry: any) => HTMLElement} resume makes an entry's button */
export const cancelledList = (entries, resume) => entries.length > 0 && card(t("cancelled.title"),
  h("ol", { class: "list" }, entries.map(entry => h("li", { class: "line cancelled" },
    h("span", { class: "time" }, when(moment(entry.local), entry.at)),
    h("b", { class: "title" }, autoText(entry.title)),
    h("small", { class: "about" }, autoText(entry.category), " · ",
      wordList("channel", entry.channels), entry.series && ` · ${t("cancelled.series")}`),
    resume(entry)))));
