// Elements that several pages use.

import { autoText, h, id } from "./dom.js";
import { distance, utc } from "./times.js";
import { number, t, word } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */

/** @param {Child} [title]
 * @param {...Child} children */
export const card = (title, ...children) =>
  h("section", { class: "card" }, title && h("h2", null, title), children);

/** @param {...Child} children */
export const soft = (...children) => h("p", { class: "soft" }, children);

export const personAddress = (person, suffix = "") => `#/p/${encodeURIComponent(person)}${suffix}`;

export const personLink = (person, suffix = "") =>
  h("a", { href: personAddress(person, suffix) }, id(person));

export const when = (text, instant) =>
  h("time", { datetime: instant, title: utc(instant) }, text);

/** A time relative to now, which `main.js` updates; without an instant, the argument. */
export const relative = instant => instant
  && h("time", { datetime: instant, title: utc(instant), "data-relative": "" }, distance(instant));

const marks = { goes: "●", moved: "◐", dropped: "○", failed: "✕" };

export const mark = state => h("span", { "aria-hidden": "true" }, marks[state]);

export const chip = (state, text = t(`state.${state}`)) =>
  h("span", { class: `chip ${state}` }, mark(state), " ", text);

/** The outcomes of notifications, each with its mark. */
export const outcomes = {
  sending: "moved", delivered: "goes", accepted: "goes", received: "goes", complained: "failed",
  failed: "failed", bounced: "failed", dropped: "dropped", bundled: "moved",
};

export const outcomeChip = name => chip(outcomes[name], word("outcome", name));

/** A list of names and values, without empty values.
 * @param {any[][]} entries pairs of a name and a value */
export const factList = entries => h("dl", { class: "facts" }, entries
  .filter(([, value]) => value)
  .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, autoText(value)))));

/** @param {any[][]} entries pairs of a name and a number; the text key is the kind and the name */
export const tiles = (kind, entries) =>
  h("div", { class: "tiles" }, entries.map(([name, value]) => h("div", { class: "tile" },
    h("b", null, number(value)), h("span", null, t(`${kind}.${name}`)))));

const numericColumns = new Set(["waiting", "oldest", "retrying", "dead", "delivered", "latency",
  "letters", "expired", "pending", "people", "notifications"]);

const cellClass = column => numericColumns.has(column) ? "n" : null;

/**
 * A table. On narrow screens each row is a card with the names of the columns; a table of the kind
 * "wide" scrolls sideways instead. Without explicit roles, screen readers would not recognize a
 * table of cards.
 * @param {any[]} columns names of columns, or header cells
 * @param {any[][]} rows
 */
export const table = (label, columns, rows, kind = "") =>
  h("div", { class: `scroll ${kind}`, tabindex: 0, role: "region", "aria-label": label },
    h("table", { role: "table" },
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map(name =>
        name instanceof Node ? name
          : h("th", { scope: "col", role: "columnheader", class: cellClass(name) },
            t(`column.${name}`))))),
      h("tbody", { role: "rowgroup" }, rows.map(cells => row(columns, cells)))));

const isChoice = column => column.nodeName === "TD";

/** A row. Its first cell is the header, unless it is a checkbox.
 * @param {any[]} columns
 * @param {any[]} cells */
export const row = (columns, cells) => h("tr", { role: "row" }, columns.map((name, index) => {
  const isHead = index === 0 && !isChoice(name);
  const cell = cells[index];
  const label = name.textContent ?? t(`column.${name}`);
  return h(isHead ? "th" : "td", {
    scope: isHead && "row", role: isHead ? "rowheader" : "cell", class: cellClass(name),
    "data-label": !isHead && !isChoice(name) && label,
  }, typeof cell === "number" ? number(cell) : cell);
}));

/**
 * @param {Record<string, any>|null} attributes
 * @param {string[]} names
 * @param {(name: string) => string} [label]
 * @param {string} [chosen]
 */
export const select = (attributes, names, label = name => name, chosen) =>
  h("select", attributes, names.map(name =>
    h("option", { value: name, selected: name === chosen }, label(name))));

/** @param {...Child} fields */
export const filters = (kind, ...fields) => h("form", {
  class: `filters ${kind}`, role: "search", onsubmit: event => event.preventDefault(),
}, fields);
