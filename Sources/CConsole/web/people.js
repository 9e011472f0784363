// The list of people, searched by a prefix of the id; remembers the people opened in this tab.

import { get, query } from "./api.js";
import { h } from "./dom.js";
import { card, personAddress, personLink, relative, row, table } from "./parts.js";
import { empty, liveView, moreButton } from "./states.js";
import { t } from "./words.js";

const KEY = "chimed.opened";
const MAX_OPENED = 12;
const PAGE = 50;
const SEARCH_AFTER = 200;
const columns = ["recipient", "pending", "due"];

/** The people that this tab opened last.
 * @returns {string[]} */
export const opened = () => JSON.parse(sessionStorage.getItem(KEY) ?? "[]");

export function rememberOpened(person) {
  const others = opened().filter(other => other !== person);
  sessionStorage.setItem(KEY, JSON.stringify([person, ...others].slice(0, MAX_OPENED)));
}

/** @param {HTMLElement} root */
export default async function people(root) {
  let timer = null;
  const list = card();
  const load = async (after = "") => {
    const page = await get(`/v1/recipients${query({
      prefix: field.value.trim(), after, limit: PAGE })}`);
    return [page.recipients.map(cells), page.next];
  };
  const search = () => liveView(list, load, found);
  const found = answer => {
    const [rows, next] = answer;
    if (!rows.length) return empty(t(field.value ? "people.none" : "people.empty"));
    const all = table(t("people"), columns, rows);
    return [all, next && moreButton(all.querySelector("tbody"), next, async after => {
      const [others, last] = await load(after);
      return [others.map(one => row(columns, one)), last];
    })];
  };
  const field = h("input", {
    id: "person", type: "search", maxlength: "128", autocomplete: "off",
    spellcheck: "false", dir: "auto",
    oninput: () => { clearTimeout(timer); timer = setTimeout(search, SEARCH_AFTER); },
  });
  const recent = opened().map(name => h("li", null, personLink(name)));
  root.append(
    h("h1", null, t("people")),
    h("form", {
      class: "card search", role: "search",
      onsubmit: event => {
        event.preventDefault();
        if (field.value.trim()) location.hash = personAddress(field.value.trim());
      },
    },
      h("label", { for: "person" }, t("people.id")), field,
      h("button", { class: "main" }, t("open"))),
    recent.length ? card(t("people.recent"), h("ul", { class: "plain" }, recent)) : "", list);
  field.focus();
  await search();
}

const cells = one => [personLink(one.recipient), one.pending, relative(one.due)];
