// The service page: version, watchdog, configuration, reload and backup.

import { get, post } from "./api.js";
import { h, id } from "./dom.js";
import { card, factList, relative, soft, table } from "./parts.js";
import { mayAdminister } from "./session.js";
import { button, liveView, saveByTicket, statusStream, toast } from "./states.js";
import { span } from "./times.js";
import { number, t, word } from "./words.js";

const POLL_MS = 10_000;

/** @param {HTMLElement} root */
export default async function service(root) {
  const content = h("div", { class: "page" });
  const settings = card();
  root.append(h("h1", null, t("service")), content);
  const views = [liveView(content, () => get("/v1/status"), draw, POLL_MS, statusStream)];
  if (mayAdminister()) {
    root.append(settings);
    views.push(liveView(settings, () => get("/v1/configuration"), configuration));
  }
  await Promise.all(views);
}

function draw(status) {
  return [
    card(null, factList([
      [t("fact.version"), status.version], [t("fact.started"), relative(status.started)],
      [t("catalogs"), status.catalogs.join(", ")], [t("fact.zones"), status.zoneDatabase],
      [t("fact.zone"), status.defaultZone],
      [t("fact.store"), `${number(Math.round(status.storeBytes / 1_000))} kB`],
    ]), mayAdminister() && h("div", { class: "actions" }, button(t("check"), check),
      button(t("reload"), reload, "main"),
      button(t("backup"), () => saveByTicket("/v1/backup-tickets")))),
    card(t("watchdog"), table(t("watchdog"), ["part", "age", "allowance"],
      status.watchdog.map(({ part, age, allowance }) => [id(part),
        [age > allowance ? "✕ " : "● ", span(Math.round(age))], span(allowance)]))),
  ];
}

/** The settings that have been set, and a details element with the defaults. */
function configuration({ file, settings }) {
  const defaults = settings.filter(item => item.from === "default");
  return [h("h2", null, t("configuration")),
    soft(t("configuration.about"), file && [" ", h("bdi", { class: "id what" }, file)]),
    settingTable(t("configuration"), settings.filter(item => item.from !== "default")),
    defaults.length > 0 && h("details", null,
      h("summary", null, t("configuration.defaults", { count: defaults.length })),
      settingTable(t("configuration.defaults", { count: defaults.length }), defaults))];
}

/** @param {any[]} settings */
const settingTable = (label, settings) =>
  table(label, ["setting", "value", "from"], settings.map(item => [
    id(item.name), item.hidden ? hidden() : id(item.value),
    item.line ? t("from.line", { line: number(item.line) }) : word("from", item.from)]));

const hidden = () => [h("span", { "aria-hidden": "true" }, "••••••"),
  h("span", { class: "unseen" }, t("configuration.hidden"))];

async function check() {
  const { sound, flaw, sinks, restart } = await post("/v1/configuration-checks");
  toast(sound ? [t("check.sound"), sinks, ...restartNeeded(restart)].filter(Boolean).join(" ")
    : `✕ ${flaw}`);
}

async function reload() {
  const { restart, unavailable, outdated } = await post("/v1/reload");
  toast([t("reload.done"), ...restartNeeded(restart), [...unavailable, ...outdated].join("; ")]
    .filter(Boolean).join(" "));
}

const restartNeeded = (restart = []) =>
  restart.length ? [t("reload.restart"), restart.join(", ")] : [];
