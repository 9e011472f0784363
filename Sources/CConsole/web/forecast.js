// The forecast of the next 24 hours: bars with a layer for each category. A click on a bar opens
// the table of numbers.

import { get, query } from "./api.js";
import { autoText, focusFirst, h, id, show, svg } from "./dom.js";
import { sum } from "./histogram.js";
import { soft, table } from "./parts.js";
import { empty, liveView } from "./states.js";
import { isRightToLeft, language, number, t } from "./words.js";

const POLL_MS = 60_000;
const HEIGHT = 120;
/** The minutes of a bar on wide and on narrow screens. */
const MINUTES = { wide: 15, narrow: 60 };
const NARROW = 480;
const LABEL_MS = 4 * 3_600_000;
/** One pattern for each colour, so that layers differ not only in colour. More than these would be
 * hard to distinguish. */
const PATTERNS = ["", "M-1 1l2-2M0 6l6-6M5 7l2-2", "M0 3h6", "M3 0v6", "M2 3h2", "M0 1h6M1 0v6"];

/**
 * @typedef {{category: string, title: string, count: number}} Category
 * @typedef {{names: string[], title: string, count: number, pattern: number}} Kind
 */

/** @param {HTMLElement} root */
export const forecast = root => liveView(root, () => get(`/v1/forecast${query({
  minutes: root.clientWidth < NARROW ? MINUTES.narrow : MINUTES.wide, language: language(),
})}`), all => draw(all, root.querySelector("details")?.open === true), POLL_MS);

function draw(all, isOpen) {
  const count = sum(all.parts.map(part => part.count));
  const head = [h("h2", null, t("forecast")),
    soft(t(all.exact ? "forecast.exact" : "forecast.sample", {
      count, people: all.people, asked: all.asked,
    }))];
  if (!count) return [head, empty(t("forecast.empty"))];
  const found = kinds(all.categories);
  const { fold, open } = hours(all, found);
  if (isOpen) open();
  return [head, bars(all.parts, found, open), legend(found), fold];
}

/** The layers: one for each of the largest categories, and one for all others.
 * @param {Category[]} categories largest first
 * @returns {Kind[]} */
export function kinds(categories) {
  const own = categories.length > PATTERNS.length ? PATTERNS.length - 1 : categories.length;
  const rest = categories.slice(own);
  const all = categories.slice(0, own).map(({ category, title, count }, pattern) =>
    ({ names: [category], title, count, pattern }));
  return rest.length ? [...all, {
    names: rest.map(one => one.category), pattern: own,
    title: t("forecast.others", { count: rest.length }),
    count: sum(rest.map(one => one.count)),
  }] : all;
}

/** The layers of a bar from the bottom up, each with the sum of the layers below it.
 * @param {{categories: Record<string, number>}} part
 * @param {Kind[]} all */
export function layers(part, all) {
  let below = 0;
  return all.map(({ names, pattern }) => {
    const count = sum(names.map(name => part.categories[name] ?? 0));
    below += count;
    return { pattern, count, below: below - count };
  }).filter(layer => layer.count);
}

/** The hour labels below the bars, each with the index of its bar.
 * @param {{at: string}[]} parts */
export const labels = parts => parts.flatMap((part, index) =>
  Date.parse(part.at) % LABEL_MS === 0 ? [{ text: clock(part), index }] : []);

/**
 * @param {any[]} parts
 * @param {Kind[]} all
 * @param {(index: number) => void} open shows a bar's numbers after a click on the bar
 */
function bars(parts, all, open) {
  const most = Math.max(...parts.map(part => part.count));
  const width = 100 / parts.length;
  const x = edge => `${(isRightToLeft() ? parts.length - edge : edge) * width}%`;
  const left = index => isRightToLeft() ? index + 1 : index;
  return svg("svg", { class: "bars layers", height: HEIGHT + 20, "aria-hidden": "true",
    onclick: event => {
      const box = event.currentTarget.getBoundingClientRect();
      const part = (event.clientX - box.left) / box.width;
      open(Math.floor((isRightToLeft() ? 1 - part : part) * parts.length));
    } },
  svg("defs", null, all.map(one => patternElement(one.pattern))),
  svg("line", { class: "tick", x2: "100%", y1: 0, y2: 0 }),
  svg("text", { class: "most", x: x(0), y: -4 }, number(most)),
  parts.map((part, index) => part.count > 0 && svg("g", null,
    svg("title", null, `${clock(part)} UTC: ${number(part.count)}`),
    layers(part, all).map(({ pattern, count, below }) => svg("rect", {
      fill: `url(#pattern-${pattern})`, x: x(left(index)), width: `${width * 0.85}%`,
      y: HEIGHT - (below + count) / most * HEIGHT,
      height: Math.max(count / most * HEIGHT - 1, 0.5),
    })))),
  labels(parts).map(({ text, index }) => svg("text", { x: x(index), y: HEIGHT + 16 }, text)));
}

const patternElement = pattern => svg("pattern",
  { id: `pattern-${pattern}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
  svg("rect", { fill: `var(--pattern-${pattern})`, width: 6, height: 6 }),
  svg("path", { d: PATTERNS[pattern] }));

const mark = pattern => svg("svg", { class: "mark", width: 18, height: 18, "aria-hidden": "true" },
  svg("rect", { fill: `url(#pattern-${pattern})`, width: 18, height: 18, rx: 3 }));

const clock = part => part.at.slice(11, 16);

/** @param {Kind[]} all */
const legend = all => h("ul", { class: "plain legend" }, all.map(one =>
  h("li", null, mark(one.pattern), " ", autoText(one.title), " ",
    h("span", { class: "soft" }, number(one.count)))));

/** The table of numbers by category, in UTC.
 * @param {{parts: any[], categories: Category[]}} all
 * @param {Kind[]} found */
function hours({ parts, categories }, found) {
  const shown = parts.filter(part => part.count);
  const patternOf = name =>
    found.find(one => one.names.includes(name))?.pattern;
  const attributes = { scope: "col", role: "columnheader", class: "n" };
  const columns = categories.map(({ category, title }) => h("th", attributes,
    mark(patternOf(category)), " ", autoText(title), " ", h("small", null, id(category))));
  const inside = table(t("forecast"), ["since", ...columns], [], "wide");
  const body = inside.querySelector("tbody");
  const fill = () => body.childElementCount || show(body, shown.map(part =>
    h("tr", { role: "row" },
      h("th", { scope: "row", role: "rowheader", class: "time" }, `${clock(part)} UTC`),
      categories.map(({ category }) =>
        h("td", { class: "n", role: "cell" }, number(part.categories[category] ?? 0))))));
  const fold = h("details", { ontoggle: fill }, h("summary", null, t("forecast.table")), inside);
  /** @param {number} [index] the bar whose row is marked; if the bar is empty, the next one */
  const open = index => {
    fill();
    fold.open = true;
    if (index === undefined) return;
    const row = shown.findIndex(part => parts.indexOf(part) >= index);
    body.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const element = body.children[row < 0 ? shown.length - 1 : row];
    element.setAttribute("aria-current", "true");
    focusFirst(element);
  };
  return { fold, open };
}
