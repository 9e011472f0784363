// Finds a person by the beginning of their id; remembers in this tab whom one has opened.

import { get, query } from "./api.js";
import { h, id } from "./dom.js";
import { empty, further, live } from "./states.js";
import { utc } from "./times.js";
import { number, t } from "./words.js";

const KEY = "chimed.opened";
const KEPT = 12;
const PAGE = 50;
const SEARCH_AFTER = 200;

/** @returns {string[]} */
const opened = () => JSON.parse(sessionStorage.getItem(KEY) ?? "[]");

export function remember(person) {
  const others = opened().filter(other => other !== person);
  sessionStorage.setItem(KEY, JSON.stringify([person, ...others].slice(0, KEPT)));
}

/** @param {HTMLElement} place */
export default async function people(place) {
  /** @type {any} */
  let timer = null;
  const list = h("section", { class: "card" });
  const search = () => live(list, () => get(page(field.value.trim())), found);
  const found = answer => {
    const rows = h("tbody", null, answer.recipients.map(row));
    return answer.recipients.length
      ? [table(rows), answer.next && further(rows, answer.next, async after => {
        const more = await get(page(field.value.trim(), after));
        return [more.recipients.map(row), more.next];
      })]
      : empty(t(field.value ? "people.none" : "people.empty"));
  };
  const field = h("input", {
    id: "person", type: "search", maxlength: "128", autocomplete: "off",
    spellcheck: "false", dir: "auto",
    oninput: () => { clearTimeout(timer); timer = setTimeout(search, SEARCH_AFTER); },
  });
  const recent = opened().map(name => h("li", null, h("a", { href: address(name) }, id(name))));
  place.append(
    h("h1", null, t("people")),
    h("form", {
      class: "card search", role: "search",
      onsubmit: event => {
        event.preventDefault();
        if (field.value.trim()) location.hash = address(field.value.trim());
      },
    },
      h("label", { for: "person" }, t("people.id")), field,
      h("button", { class: "main" }, t("open"))),
    recent.length ? h("section", { class: "card" }, h("h2", null, t("people.recent")),
      h("ul", { class: "plain" }, recent)) : "", list);
  field.focus();
  await search();
}

const page = (prefix, after = "") => `/v1/recipients${query({ prefix, after, limit: PAGE })}`;

const address = person => `#/p/${encodeURIComponent(person)}`;

const table = rows => h("div", { class: "scroll", tabindex: 0, role: "region",
  "aria-label": t("people") }, h("table", null, h("thead", null, h("tr", null,
  ["person", "pending", "due"].map(name => h("th", { scope: "col",
    class: name === "pending" ? "n" : null }, t(`column.${name}`))))), rows));

const row = one => h("tr", null,
  h("th", { scope: "row" }, h("a", { href: address(one.recipient) }, id(one.recipient))),
  h("td", { class: "n" }, number(one.pending)), h("td", null, one.due ? utc(one.due) : ""));
