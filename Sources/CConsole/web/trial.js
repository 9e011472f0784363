// What a draft of a catalog changes of what people are told in their next days.

import { h, id } from "./dom.js";
import { number, t, word } from "./words.js";

export const untried = () => section(h("p", { class: "soft" }, t("trial.none")));

/** @param {{people: number, asked: number, exact: boolean, changed: number, changes: any[]}} all */
export function trial(all) {
  const columns = ["reminder", "change", "people", "notifications", "examples"];
  return section([
    h("p", { class: "soft" }, t(all.exact ? "trial.exact" : "trial.sample", {
      changed: number(all.changed), people: number(all.people), asked: number(all.asked),
    })),
    all.changes.length > 0 && h("div", { class: "scroll", tabindex: 0, role: "region",
      "aria-labelledby": "trial" }, h("table", null,
      h("thead", null, h("tr", null, columns.map(name => h("th", { scope: "col",
        class: ["people", "notifications"].includes(name) ? "n" : null }, t(`column.${name}`))))),
      h("tbody", null, all.changes.map(one => h("tr", null,
        h("th", { scope: "row" }, id(one.reminder)), h("td", null, word("change", one.change)),
        h("td", { class: "n" }, number(one.people)),
        h("td", { class: "n" }, number(one.notifications)),
        h("td", null, one.examples.map(name => [
          h("a", { href: `#/p/${encodeURIComponent(name)}` }, id(name)), " "])))))))]);
}

/** @param {import("./dom.js").Child} inside */
const section = inside => h("section", { class: "card" }, h("h2", { id: "trial" }, t("trial")),
  inside);
