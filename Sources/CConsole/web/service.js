// The service itself: what it runs with, and whether each of its parts gets on.

import { ask, get } from "./api.js";
import { button, h, id } from "./dom.js";
import { mayAdminister } from "./session.js";
import { complain, live, toast } from "./states.js";
import { span, utc } from "./times.js";
import { number, t } from "./words.js";

const EVERY = 10_000;

/** @param {HTMLElement} place */
export default place => live(place, () => get("/v1/status"), draw, EVERY);

function draw(status) {
  const facts = {
    version: status.version, started: utc(status.started), catalogs: status.catalogs.join(", "),
    zones: status.zoneDatabase, zone: status.defaultZone,
    store: `${number(Math.round(status.storeBytes / 1_000))} kB`,
  };
  return [
    h("h1", null, t("service")),
    h("section", { class: "card" }, h("dl", { class: "facts" },
      Object.entries(facts).map(([name, value]) => h("div", null,
        h("dt", null, t(`fact.${name}`)), h("dd", { dir: "auto" }, value)))),
    mayAdminister() && h("div", { class: "actions" }, button(t("reload"), reload, "main"))),
    h("section", { class: "card" }, h("h2", { id: "parts" }, t("watchdog")),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "parts" },
        h("table", null,
          h("thead", null, h("tr", null, ["part", "age", "allowance"].map(name =>
            h("th", { scope: "col" }, t(`column.${name}`))))),
          h("tbody", null, status.watchdog.map(part => h("tr", null,
            h("th", { scope: "row" }, id(part.part)),
            h("td", null, part.age > part.allowance ? "✕ " : "● ", span(Math.round(part.age))),
            h("td", null, span(part.allowance)))))))),
  ];
}

async function reload() {
  try {
    const { body } = await ask("/v1/reload", { method: "POST" });
    const left = body.restart?.length ? ` ${t("reload.restart")} ${body.restart.join(", ")}` : "";
    toast(t("reload.done") + left);
  } catch (error) {
    complain(error);
  }
}
