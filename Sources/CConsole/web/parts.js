// What pages are made of.

import { h, id, said } from "./dom.js";
import { number, t, word } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * @param {Child} [title]
 * @param {...Child} children
 */
export const card = (title, ...children) =>
  h("section", { class: "card" }, title && h("h2", null, title), children);

/** @param {...Child} children */
export const soft = (...children) => h("p", { class: "soft" }, children);

/** Where a person, or a part of what is known of them, is shown. */
export const address = (person, part = "") => `#/p/${encodeURIComponent(person)}${part}`;

export const linked = (person, part = "") => h("a", { href: address(person, part) }, id(person));

const marks = { goes: "●", moved: "◐", dropped: "○", failed: "✕" };

/** What says the same as the colour does. */
export const mark = look => h("span", { "aria-hidden": "true" }, marks[look]);

export const chip = (look, text = t(`state.${look}`)) =>
  h("span", { class: `chip ${look}` }, mark(look), " ", text);

const outcomes = { delivered: "goes", sending: "moved", bundled: "moved", failed: "failed" };

export const outcome = name => chip(outcomes[name] ?? "dropped", word("outcome", name));

/**
 * What there is to say of something; nothing of what is empty.
 * @param {any[][]} entries each a name and a value
 */
export const facts = entries => h("dl", { class: "facts" }, entries
  .filter(([, value]) => value)
  .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, said(value)))));

/** @param {any[][]} entries each a word of that kind, and a number */
export const tiles = (kind, entries) =>
  h("div", { class: "tiles" }, entries.map(([name, value]) => h("div", { class: "tile" },
    h("b", null, number(value)), h("span", null, t(`${kind}.${name}`)))));

/** The columns whose values are compared with each other. */
const compared = new Set(["waiting", "oldest", "retrying", "dead", "delivered", "latency",
  "letters", "expired", "pending", "people", "notifications"]);

const aligned = column => compared.has(column) ? "n" : null;

/**
 * A table, which is moved to and fro where there is no room for it.
 * @param {string} label
 * @param {any[]} columns names of columns, or cells
 * @param {any[][]} rows
 */
export const table = (label, columns, rows) =>
  h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    h("table", null,
      h("thead", null, h("tr", null, columns.map(name => name instanceof Node ? name
        : h("th", { scope: "col", class: aligned(name) }, t(`column.${name}`))))),
      h("tbody", null, rows.map(cells => row(columns, cells)))));

/**
 * The first cell says what it is about, unless the column is one to choose rows in.
 * @param {any[]} columns
 * @param {any[]} cells
 */
export const row = (columns, cells) => h("tr", null, columns.map((name, index) => {
  const isHead = index === 0 && name.nodeName !== "TD";
  const cell = cells[index];
  return h(isHead ? "th" : "td", { scope: isHead && "row", class: aligned(name) },
    typeof cell === "number" ? number(cell) : cell);
}));

/**
 * @param {Record<string, any>|null} attributes
 * @param {string[]} names
 * @param {(name: string) => string} [say]
 * @param {string} [chosen]
 */
export const select = (attributes, names, say = name => name, chosen) =>
  h("select", attributes, names.map(name =>
    h("option", { value: name, selected: name === chosen }, say(name))));

/** What a list is narrowed by; each field takes effect by itself.
 * @param {...Child} fields */
export const filters = (kind, ...fields) => h("form", {
  class: `filters ${kind}`, role: "search", onsubmit: event => event.preventDefault(),
}, fields);
