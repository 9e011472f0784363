// The additional windows of a person's quiet hours.

import { h, show } from "./dom.js";
import { button } from "./states.js";
import { t } from "./words.js";

const PATH = ["quietHours", "windows"];

/** A list of the windows, and fields to add another.
 * @param {import("./store.js").Store} store
 * @param {Record<string, any>} schemas the schemas of the settings of quiet hours
 * @param {(path: string[], value: any) => void} edit */
export function quietWindows(store, { windows, start, end }, edit) {
  const titles = windows["x-titles"];
  const list = h("div");
  const current = () => store.value(PATH) ?? [];
  const set = value => {
    edit(PATH, value);
    draw(value);
  };
  const draw = value => show(list, value.map(entry => {
    const days = entry.days.map(day => titles[day]).join(", ");
    const text = `${days} \u2066${entry.start}–${entry.end}\u2069`;
    const remove = () => set(value.filter(other => other !== entry));
    return h("div", { class: "row" }, h("span", null, text),
      button(t("window.remove"), remove, undefined, `${t("window.remove")}: ${text}`));
  }));
  const time = title => h("input", { type: "time", "aria-label": `${windows.title}: ${title}` });
  const [first, last] = [time(start.title), time(end.title)];
  const days = Object.keys(titles).map(name => ({ name, box: h("input", { type: "checkbox" }) }));
  const add = button(t("window.add"), () => {
    const chosen = days.filter(day => day.box.checked).map(day => day.name);
    if (!first.value || !last.value || chosen.length === 0) return;
    set([...current(), {
      days: chosen, start: first.value, end: last.value === "00:00" ? "24:00" : last.value,
    }]);
  });
  draw(current());
  return h("fieldset", { class: "row several" }, h("legend", null, windows.title), list,
    h("div", { class: "chips" }, days.map(({ name, box }) =>
      h("label", null, box, h("span", null, titles[name])))),
    h("div", { class: "actions" }, first, last, add));
}
