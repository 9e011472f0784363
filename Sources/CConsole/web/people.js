// The list of people, a search, and the people that this tab opened last.

import { get, query } from "./api.js";
import { h } from "./dom.js";
import { card, personAddress, personLink, relative, row, table } from "./parts.js";
import { empty, liveView, moreButton } from "./states.js";
import { t } from "./words.js";

const KEY = "chimed.opened";
const MAX_OPENED = 12;
const PAGE_SIZE = 50;
const SEARCH_DELAY = 200;
// How many pages a search loads until one is not empty.
const MAX_PAGES = 10;
const columns = ["recipient", "pending", "due"];

/** @returns {string[]} */
export const opened = () => JSON.parse(sessionStorage.getItem(KEY) ?? "[]");

export function rememberOpened(person) {
  const others = opened().filter(other => other !== person);
  sessionStorage.setItem(KEY, JSON.stringify([person, ...others].slice(0, MAX_OPENED)));
}

/** @param {HTMLElement} root */
export default async function people(root) {
  let timer = null;
  let matches = [];
  const list = card();
  const load = async (after = "") => {
    let page = { recipients: [], next: after };
    for (let request = 0; request < MAX_PAGES && !page.recipients.length; request++) {
      page = await get(`/v1/recipients${query({
        search: field.value.trim(), after: page.next, limit: PAGE_SIZE })}`);
      if (!page.next) break;
    }
    return page;
  };
  const search = () => liveView(list, load, draw);
  const draw = ({ recipients: people, next }) => {
    matches = people;
    if (!people.length && !next) return empty(t(field.value ? "people.none" : "people.empty"));
    const view = table(t("people"), columns, people.map(cells));
    return [!people.length && empty(t("searched")), view,
      next && moreButton(view.querySelector("tbody"), next, async after => {
        const page = await load(after);
        return [page.recipients.map(person => row(columns, cells(person))), page.next];
      })];
  };
  const open = async event => {
    event.preventDefault();
    clearTimeout(timer);
    await search();
    if (matches.length) location.hash = personAddress(matches[0].recipient);
  };
  const field = h("input", {
    id: "person", type: "search", maxlength: "128", autocomplete: "off",
    spellcheck: "false", dir: "auto",
    oninput: () => { clearTimeout(timer); timer = setTimeout(search, SEARCH_DELAY); },
  });
  const recent = opened().map(name => h("li", null, personLink(name)));
  root.append(
    h("h1", null, t("people")),
    h("form", { class: "card search", role: "search", onsubmit: open },
      h("label", { for: "person" }, t("people.id")), field,
      h("button", { class: "main" }, t("open"))),
    recent.length ? card(t("people.recent"), h("ul", { class: "plain" }, recent)) : "", list);
  field.focus();
  await search();
}

const cells = person => [
  [personLink(person.recipient), " ", h("bdi", null, person.name)],
  person.pending, relative(person.due),
];
