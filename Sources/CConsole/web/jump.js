// A dialog that finds pages by title and people by the prefix of their ids.

import { get, query } from "./api.js";
import { h, id, show } from "./dom.js";
import { personAddress } from "./parts.js";
import { opened } from "./people.js";
import { maySeePeople } from "./session.js";
import { t } from "./words.js";

const SEARCH_DELAY = 150;
const MAX_PEOPLE = 8;

/** @typedef {{address: string, title: string, isPerson?: boolean}} Target */

/** The targets whose titles contain the text; titles that begin with it come first.
 * @param {Target[]} targets
 * @param {string} text */
export function matching(targets, text) {
  const lower = text.toLowerCase();
  const at = target => target.title.toLowerCase().indexOf(lower);
  return targets.filter(target => at(target) >= 0)
    .sort((a, b) => Number(at(a) > 0) - Number(at(b) > 0));
}

const person = name => ({ address: personAddress(name), title: name, isPerson: true });

/** @param {Target[]} pages */
export function jump(pages) {
  if (document.querySelector("dialog")) return;
  const list = h("ul", { id: "targets", role: "listbox", "aria-label": t("jump") });
  /** @type {Target[]} */
  let targets = [];
  let active = 0;
  let timer = null;
  const go = target => {
    dialog.close();
    if (target) location.hash = target.address;
  };
  const draw = () => {
    show(list, targets.map((target, index) => h("li", {
      id: `target-${index}`, role: "option", "aria-selected": String(index === active),
      onclick: () => go(target),
    }, target.isPerson ? [h("small", null, t("person")), " ", id(target.title)] : target.title)));
    field.setAttribute("aria-activedescendant", targets.length ? `target-${active}` : "");
    list.children[active]?.scrollIntoView({ block: "nearest" });
  };
  const search = async () => {
    const prefix = field.value.trim();
    const page = await get(`/v1/recipients${query({ prefix, limit: MAX_PEOPLE })}`)
      .catch(() => null);
    if (prefix !== field.value.trim() || !page) return;
    const shown = new Set(targets.map(target => target.address));
    targets.push(...page.recipients.map(({ recipient }) => person(recipient))
      .filter(target => !shown.has(target.address)));
    draw();
  };
  const update = () => {
    const text = field.value.trim();
    targets = matching([...pages, ...maySeePeople() ? opened().map(person) : []], text);
    active = 0;
    draw();
    clearTimeout(timer);
    if (text && maySeePeople()) timer = setTimeout(search, SEARCH_DELAY);
  };
  const field = h("input", {
    id: "jump", type: "search", role: "combobox", "aria-label": t("jump"), autocomplete: "off",
    "aria-expanded": "true", "aria-controls": "targets", spellcheck: "false", dir: "auto",
    maxlength: "128", placeholder: t(maySeePeople() ? "jump.hint" : "pages"), oninput: update,
    onkeydown: event => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && targets.length) active = (active + step + targets.length) % targets.length;
      if (step) draw();
      if (event.key === "Enter") go(targets[active] ?? (maySeePeople() && field.value.trim()
        && person(field.value.trim())));
      if (step || event.key === "Enter") event.preventDefault();
    },
  });
  const dialog = h("dialog", {
    "aria-label": t("jump"), onclose: () => dialog.remove(),
    // The dialog is the target of a click outside its content.
    onclick: event => event.target === dialog && dialog.close(),
  }, h("div", { class: "finder" }, field, list));
  document.body.append(dialog);
  dialog.showModal();
  update();
}
