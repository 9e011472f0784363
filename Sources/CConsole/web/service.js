// The service itself: what it runs with, and whether each of its parts gets on.

import { ask, get } from "./api.js";
import { button, h, id, said } from "./dom.js";
import { mayAdminister } from "./session.js";
import { complain, live, save, statusStream, toast } from "./states.js";
import { span, utc } from "./times.js";
import { number, t, word } from "./words.js";

const EVERY = 10_000;

/** @param {HTMLElement} place */
export default async function service(place) {
  const how = h("div", { class: "page" });
  const settings = h("section", { class: "card" });
  place.append(h("h1", null, t("service")), how);
  const waits = [live(how, () => get("/v1/status"), draw, EVERY, statusStream)];
  if (mayAdminister()) {
    place.append(settings);
    waits.push(live(settings, () => get("/v1/configuration"), configuration));
  }
  await Promise.all(waits);
}

function draw(status) {
  const facts = {
    version: status.version, started: utc(status.started), catalogs: status.catalogs.join(", "),
    zones: status.zoneDatabase, zone: status.defaultZone,
    store: `${number(Math.round(status.storeBytes / 1_000))} kB`,
  };
  return [
    h("section", { class: "card" }, h("dl", { class: "facts" },
      Object.entries(facts).map(([name, value]) => h("div", null,
        h("dt", null, t(`fact.${name}`)), h("dd", null, said(value))))),
    mayAdminister() && h("div", { class: "actions" }, button(t("check"), check),
      button(t("reload"), reload, "main"),
      button(t("backup"), () => save("/v1/backup-tickets")))),
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

function configuration({ file, settings }) {
  return [h("h2", { id: "settings" }, t("configuration")),
    h("p", { class: "soft" }, t("configuration.about"), file && [" ", h("bdi", { class: "id what" }, file)]),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "settings" },
      h("table", null,
        h("thead", null, h("tr", null, ["setting", "value", "from"].map(name =>
          h("th", { scope: "col" }, t(`column.${name}`))))),
        h("tbody", null, settings.map(one => h("tr", null,
          h("th", { scope: "row" }, id(one.name)),
          h("td", null, one.hidden ? hidden() : id(one.value)),
          h("td", null, one.line ? t("from.line", { line: number(one.line) })
            : word("from", one.from)))))))];
}

const hidden = () => [h("span", { "aria-hidden": "true" }, "••••••"),
  h("span", { class: "unseen" }, t("configuration.hidden"))];

/** Whether a reload would take what the files say. */
async function check() {
  try {
    const { body } = await ask("/v1/configuration-checks", { method: "POST" });
    if (!body.sound) return toast(`✕ ${body.flaw}`);
    const left = body.restart.length ? `${t("reload.restart")} ${body.restart.join(", ")}` : "";
    toast([t("check.sound"), body.sinks, left].filter(Boolean).join(" "));
  } catch (error) {
    complain(error);
  }
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
