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
/** Layers differ in pattern and colour. More patterns would be hard to distinguish. */
const PATTERNS = ["", "M-1 1l2-2M0 6l6-6M5 7l2-2", "M0 3h6", "M3 0v6", "M2 3h2", "M0 1h6M1 0v6"];

/** @typedef {{category: string, title: string, count: number}} Category
 * @typedef {{names: string[], title: string, count: number, pattern: number}} Kind */

/** @param {HTMLElement} root */
export const forecast = root => liveView(root, () => get(`/v1/forecast${query({
  minutes: root.clientWidth < NARROW ? MINUTES.narrow : MINUTES.wide, language: language(),
})}`), answer => draw(answer, root.querySelector("details")?.open === true), POLL_MS);

function draw({ parts, categories, exact, people, asked }, isOpen) {
  const count = sum(parts.map(part => part.count));
  const head = [h("h2", null, t("forecast")),
    soft(t(exact ? "forecast.exact" : "forecast.sample", { count, people, asked }))];
  if (!count) return [head, empty(t("forecast.empty"))];
  const kindList = kinds(categories);
  const { details, open } = hours({ parts, categories }, kindList);
  if (isOpen) open();
  return [head, bars(parts, kindList, open), legend(kindList), details];
}

/** The layers: one for each of the largest categories, and one for all others.
 * @param {Category[]} categories largest first
 * @returns {Kind[]} */
export function kinds(categories) {
  const limit = categories.length > PATTERNS.length ? PATTERNS.length - 1 : categories.length;
  const others = categories.slice(limit);
  const largest = categories.slice(0, limit).map(({ category, title, count }, pattern) =>
    ({ names: [category], title, count, pattern }));
  return others.length ? [...largest, {
    names: others.map(other => other.category), pattern: limit,
    title: t("forecast.others", { count: others.length }),
    count: sum(others.map(other => other.count)),
  }] : largest;
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
export const labels = parts => parts.flatMap((bar, index) =>
  Date.parse(bar.at) % LABEL_MS === 0 ? [{ text: clock(bar), index }] : []);

/** @param {any[]} parts
 * @param {Kind[]} all
 * @param {(index: number) => void} open shows a bar's numbers after a click on the bar */
function bars(parts, all, open) {
  const max = Math.max(...parts.map(part => part.count));
  const width = 100 / parts.length;
  const x = edge => `${(isRightToLeft() ? parts.length - edge : edge) * width}%`;
  const left = index => isRightToLeft() ? index + 1 : index;
  return svg("svg", { class: "bars layers", height: HEIGHT + 20, "aria-hidden": "true",
    onclick: event => {
      const box = event.currentTarget.getBoundingClientRect();
      const fraction = (event.clientX - box.left) / box.width;
      open(Math.floor((isRightToLeft() ? 1 - fraction : fraction) * parts.length));
    } },
  svg("defs", null, all.map(kind => patternElement(kind.pattern))),
  svg("line", { class: "tick", x2: "100%", y1: 0, y2: 0 }),
  svg("text", { class: "most", x: x(0), y: -4 }, number(max)),
  parts.map((part, index) => part.count > 0 && svg("g", null,
    svg("title", null, `${clock(part)} UTC: ${number(part.count)}`),
    layers(part, all).map(({ pattern, count, below }) => svg("rect", {
      fill: `url(#pattern-${pattern})`, x: x(left(index)), width: `${width * 0.85}%`,
      y: HEIGHT - (below + count) / max * HEIGHT,
      height: Math.max(count / max * HEIGHT - 1, 0.5),
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
const legend = all => h("ul", { class: "plain legend" }, all.map(kind =>
  h("li", null, mark(kind.pattern), " ", autoText(kind.title), " ",
    h("span", { class: "soft" }, number(kind.count)))));

/** The table of numbers by category, in UTC.
 * @param {{parts: any[], categories: Category[]}} all
 * @param {Kind[]} kindList */
function hours({ parts, categories }, kindList) {
  const shown = parts.filter(part => part.count);
  const patternOf = name =>
    kindList.find(kind => kind.names.includes(name))?.pattern;
  const attributes = { scope: "col", role: "columnheader", class: "n" };
  const columns = categories.map(({ category, title }) => h("th", attributes,
    mark(patternOf(category)), " ", autoText(title), " ", h("small", null, id(category))));
  const content = table(t("forecast"), ["since", ...columns], [], "wide");
  const body = content.querySelector("tbody");
  const fill = () => body.childElementCount || show(body, shown.map(part =>
    h("tr", { role: "row" },
      h("th", { scope: "row", role: "rowheader", class: "time" }, `${clock(part)} UTC`),
      categories.map(({ category }) =>
        h("td", { class: "n", role: "cell" }, number(part.categories[category] ?? 0))))));
  const details = h("details", { ontoggle: fill },
    h("summary", null, t("forecast.table")), content);
  /** @param {number} [index] the bar whose row is marked; if the bar is empty, the next bar */
  const open = index => {
    fill();
    details.open = true;
    if (index === undefined) return;
    const row = shown.findIndex(part => parts.indexOf(part) >= index);
    body.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const element = body.children[row < 0 ? shown.length - 1 : row];
    element.setAttribute("aria-current", "true");
    focusFirst(element);
  };
  return { details, open };
}
