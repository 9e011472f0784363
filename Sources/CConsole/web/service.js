// The service itself: what it runs with, and whether each of its parts gets on.

import { get, post } from "./api.js";
import { h, id } from "./dom.js";
import { card, facts, soft, table } from "./parts.js";
import { mayAdminister } from "./session.js";
import { button, live, save, statusStream, toast } from "./states.js";
import { span, utc } from "./times.js";
import { number, t, word } from "./words.js";

const EVERY = 10_000;

/** @param {HTMLElement} place */
export default async function service(place) {
  const how = h("div", { class: "page" });
  const settings = card();
  place.append(h("h1", null, t("service")), how);
  const waits = [live(how, () => get("/v1/status"), draw, EVERY, statusStream)];
  if (mayAdminister()) {
    place.append(settings);
    waits.push(live(settings, () => get("/v1/configuration"), configuration));
  }
  await Promise.all(waits);
}

function draw(status) {
  return [
    card(null, facts([
      [t("fact.version"), status.version], [t("fact.started"), utc(status.started)],
      [t("catalogs"), status.catalogs.join(", ")], [t("fact.zones"), status.zoneDatabase],
      [t("fact.zone"), status.defaultZone],
      [t("fact.store"), `${number(Math.round(status.storeBytes / 1_000))} kB`],
    ]), mayAdminister() && h("div", { class: "actions" }, button(t("check"), check),
      button(t("reload"), reload, "main"),
      button(t("backup"), () => save("/v1/backup-tickets")))),
    card(t("watchdog"), table(t("watchdog"), ["part", "age", "allowance"],
      status.watchdog.map(({ part, age, allowance }) => [id(part),
        [age > allowance ? "✕ " : "● ", span(Math.round(age))], span(allowance)]))),
  ];
}

const configuration = ({ file, settings }) => [h("h2", null, t("configuration")),
  soft(t("configuration.about"), file && [" ", h("bdi", { class: "id what" }, file)]),
  table(t("configuration"), ["setting", "value", "from"], settings.map(one => [
    id(one.name), one.hidden ? hidden() : id(one.value),
    one.line ? t("from.line", { line: number(one.line) }) : word("from", one.from)]))];

const hidden = () => [h("span", { "aria-hidden": "true" }, "••••••"),
  h("span", { class: "unseen" }, t("configuration.hidden"))];

/** Whether a reload would take what the files say. */
async function check() {
  const { sound, flaw, sinks, restart } = await post("/v1/configuration-checks");
  toast(sound ? [t("check.sound"), sinks, ...left(restart)].filter(Boolean).join(" ")
    : `✕ ${flaw}`);
}

async function reload() {
  const { restart } = await post("/v1/reload");
  toast([t("reload.done"), ...left(restart)].join(" "));
}

/** What only a restart takes. */
const left = (restart = []) =>
  restart.length ? [t("reload.restart"), restart.join(", ")] : [];
