// The list of people, with a search; remembers the people opened in this tab.

import { get, query } from "./api.js";
import { h } from "./dom.js";
import { card, personAddress, personLink, relative, row, table } from "./parts.js";
import { empty, liveView, moreButton } from "./states.js";
import { t } from "./words.js";

const KEY = "chimed.opened";
const MAX_OPENED = 12;
const PAGE = 50;
const SEARCH_AFTER = 200;
const MAX_REQUESTS = 10;
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
  let shown = [];
  const list = card();
  // First those whose id begins with the text, then others whose id or profile contains it.
  const load = async ({ isSearch = false, after = "" } = {}) => {
    const text = field.value.trim();
    const people = [];
    for (let requests = 0; requests < MAX_REQUESTS && people.length < PAGE; requests++) {
      const page = await get(`/v1/recipients${query({
        [isSearch ? "search" : "prefix"]: text, after, limit: PAGE })}`);
      people.push(...page.recipients.filter(one => !isSearch || !one.recipient.startsWith(text)));
      if (!page.next && (isSearch || !text)) return [people, null];
      isSearch ||= !page.next;
      after = page.next ?? "";
    }
    return [people, { isSearch, after }];
  };
  const search = () => liveView(list, load, found);
  const found = ([people, next]) => {
    shown = people;
    if (!people.length && !next) return empty(t(field.value ? "people.none" : "people.empty"));
    const all = table(t("people"), columns, people.map(cells));
    return [!people.length && empty(t("searched")), all,
      next && moreButton(all.querySelector("tbody"), next, async cursor => {
        const [others, last] = await load(cursor);
        return [others.map(one => row(columns, cells(one))), last];
      })];
  };
  const open = async () => {
    const text = field.value.trim();
    if (!text) return;
    clearTimeout(timer);
    await search();
    const one = shown.find(one => one.recipient === text) ?? (shown.length === 1 && shown[0]);
    if (one) location.hash = personAddress(one.recipient);
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
        open();
      },
    },
      h("label", { for: "person" }, t("people.id")), field,
      h("button", { class: "main" }, t("open"))),
    recent.length ? card(t("people.recent"), h("ul", { class: "plain" }, recent)) : "", list);
  field.focus();
  await search();
}

const cells = one => [
  one.name ? h("span", null, personLink(one.recipient), " ", h("bdi", null, one.name))
    : personLink(one.recipient),
  one.pending, relative(one.due),
];
