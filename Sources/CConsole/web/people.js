// Opens a person by their id; remembers in this tab whom one has opened.

import { h, id } from "./dom.js";
import { t } from "./words.js";

const KEY = "chimed.opened";
const KEPT = 12;

/** @returns {string[]} */
const opened = () => JSON.parse(sessionStorage.getItem(KEY) ?? "[]");

export function remember(person) {
  const others = opened().filter(other => other !== person);
  sessionStorage.setItem(KEY, JSON.stringify([person, ...others].slice(0, KEPT)));
}

/** @param {HTMLElement} place */
export async function people(place) {
  const field = h("input", {
    id: "person", type: "search", required: true, maxlength: "128", autocomplete: "off",
    spellcheck: "false", dir: "auto",
  });
  const list = opened().map(name => h("li", null, h("a", { href: address(name) }, id(name))));
  place.append(
    h("h1", null, t("people")),
    h("form", {
      class: "card search",
      onsubmit: event => {
        event.preventDefault();
        location.hash = address(field.value.trim());
      },
    },
      h("label", { for: "person" }, t("people.id")), field,
      h("button", { class: "main" }, t("open"))),
    list.length ? h("section", { class: "card" }, h("h2", null, t("people.recent")),
      h("ul", { class: "plain" }, list)) : "");
  field.focus();
}

const address = person => `#/p/${encodeURIComponent(person)}`;
