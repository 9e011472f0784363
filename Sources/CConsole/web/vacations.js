// The announced vacations of a person.

import { h, show } from "./dom.js";
import { button } from "./states.js";
import { shortDay } from "./times.js";
import { t } from "./words.js";

const PATH = ["vacation", "announced"];

/** A list of the announced vacations, and fields to announce another.
 * @param {import("./store.js").Store} store
 * @param {Record<string, any>} schemas the schemas of the vacation's settings
 * @param {(path: string[], value: any) => void} edit */
export function announcedVacations(store, schemas, edit) {
  const list = h("div");
  // If a cancelled vacation is only in the draft, it is removed from the draft.
  const set = (from, until) => {
    edit([...PATH, from], until ?? (store.stored([...PATH, from]) ? null : undefined));
    draw();
  };
  const draw = () => show(list, firstDays(store).map(from => {
    const until = store.value([...PATH, from]);
    const dates = `${shortDay(from)} – ${shortDay(until)}`;
    return until && h("div", { class: "row" }, h("span", null, dates),
      button(t("cancel"), () => set(from, null), undefined, `${t("cancel")}: ${dates}`));
  }));
  const [first, last] = [t("from"), schemas.until.title].map(name =>
    h("input", { type: "date", "aria-label": `${schemas.announced.title}: ${name}` }));
  first.addEventListener("change", () => last.min = first.value);
  const add = button(t("vacation.add"), () => {
    if (!first.value || !last.value || !last.reportValidity()) return;
    set(first.value, last.value);
    first.value = last.value = "";
  });
  draw();
  return h("fieldset", { class: "row several" }, h("legend", null, schemas.announced.title), list,
    h("div", { class: "actions" }, first, last, add));
}

/** The first days of the stored vacations and of those in the draft, ascending.
 * @param {import("./store.js").Store} store */
function firstDays(store) {
  const drafted = store.draft.map(change => change.path)
    .filter(path => path.length === 3 && path[1] === PATH[1]).map(path => path[2]);
  return [...new Set([...Object.keys(store.stored(PATH) ?? {}), ...drafted])].sort();
}
