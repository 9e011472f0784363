// How the service is: a sentence, what troubles it, its numbers, its sinks.

import { ask, get } from "./api.js";
import { bars, quantile, short } from "./bars.js";
import { button, h, id, refresh, said } from "./dom.js";
import { forecast } from "./forecast.js";
import { mayAdminister, maySeePeople } from "./session.js";
import { spark } from "./spark.js";
import { complain, empty, live, statusStream } from "./states.js";
import { span, utc } from "./times.js";
import { troubles } from "./troubles.js";
import { number, t, word } from "./words.js";

const EVERY = 5_000;

/** @param {HTMLElement} place */
export default async function overview(place) {
  const how = h("div", { class: "page" });
  const day = h("section", { class: "card" });
  const lanes = h("section", { class: "card" });
  place.append(how, day, lanes);
  const all = live(how, () => get("/v1/status"), status => {
    refresh(lanes, sinks(status));
    return draw(status);
  }, EVERY, statusStream);
  await Promise.all([all, forecast(day)]);
}

function draw(status) {
  const found = troubles(status);
  const health = !found.length ? "health.good"
    : found.some(one => one.isBad) ? "health.bad" : "health.fair";
  return [
    h("div", null, h("h1", null, t(health)),
      h("p", { class: "soft" }, t("since", {
        version: status.version, since: utc(status.started), zones: status.zoneDatabase,
      }), " ", t("catalogs"), ": ", status.catalogs.join(", "))),
    found.map(one => h("div", { class: one.isBad ? "notice bad" : "notice" },
      h("p", null, h("b", null, one.isBad ? "✕ " : "◐ ", said(one.title))),
      h("p", null, one.hint, one.place && maySeePeople()
        && [" ", h("a", { href: one.place }, t("trouble.look"))]))),
    h("div", { class: "tiles" }, tile("due", status.due), tile("pending", status.pending),
      tile("recipients", status.recipients), tile("deadLetters", status.deadLetters),
      tile("events", status.events.accepted)),
    status.fleet && h("section", { class: "card" }, h("h2", null, t("fleet")), h("p", null,
      t("fleet.own", { own: number(status.fleet.own), shards: number(status.fleet.shards) }), " ",
      h("a", { href: "#/fleet" }, t("fleet.nodes", { nodes: number(status.fleet.nodes) })))),
    h("section", { class: "card" }, h("h2", null, t("next")), status.next.length
      ? h("ol", { class: "list" }, status.next.map(one => next(one, status.now)))
      : empty(t("next.empty"))),
    h("section", { class: "card" }, h("h2", { id: "late" }, t("late")), bars(status.lateness)),
  ];
}

/** When something is due, for how many, and what one of them is told then. */
const next = (one, now) => h("li", { class: "entry" },
  h("span", null, utc(one.at)),
  h("span", { class: "soft" }, t("in", {
    span: span(Math.max(0, Date.parse(one.at) - Date.parse(now)) / 1_000),
  })),
  h("span", { class: "what" }, id(one.reminder)),
  h("span", null, t("next.people", { count: number(one.recipients) })));

const tile = (name, value) =>
  h("div", { class: "tile" }, h("b", null, number(value)), h("span", null, t(`tile.${name}`)));

const columns = ["sink", "type", "carries", "breaker", "waiting", "oldest", "retrying", "dead",
  "delivered", "latency", "lastHour", "lastFailure"];
const numbers = new Set(["waiting", "oldest", "retrying", "dead", "delivered", "latency"]);

function sinks(status) {
  const all = mayAdminister() ? [...columns, "acts"] : columns;
  return [h("h2", { id: "sinks" }, t("sinks")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "sinks" },
      h("table", null,
        h("thead", null, h("tr", null, all.map(name =>
          h("th", { scope: "col", class: numbers.has(name) ? "n" : null },
            t(`column.${name}`))))),
        h("tbody", null, status.lanes.map(lane => sink(lane, status)))))];
}

/** Stops a sink, or lets it go on, as the row says when it is pressed: rows are drawn in place. */
const pausing = lane => button(t(lane.paused ? "resume" : "pause"), async event => {
  const { sink, verb } = event.currentTarget.closest("tr").dataset;
  if (verb === "pause" && !confirm(t("pause.sure", { sink }))) return;
  await ask(`/v1/sinks/${encodeURIComponent(sink)}/${verb}`, { method: "POST" }).catch(complain);
}, "plain");

/** The channels that a sink carries, each with its place in the route if it is not the first.
 * @param {Record<string, string[]>} routes */
export const carried = (routes, sink) => Object.entries(routes)
  .filter(([, names]) => names.includes(sink))
  .map(([channel, names]) => [word("channel", channel), names.indexOf(sink) + 1])
  .map(([name, place]) => place === 1 ? name : `${name} (${number(place)})`).join(", ");

/** Within how long 99 of 100 batches were answered for; nothing where there are none. */
export const latency = ({ latency: times }) =>
  times.counts.some(Boolean) ? `≤ ${short(quantile(times, 0.99))}` : "";

function sink(lane, status) {
  const age = lane.oldestWaiting
    ? span((Date.parse(status.now) - Date.parse(lane.oldestWaiting)) / 1_000) : "";
  const looks = { closed: "goes", half_open: "moved", open: "failed" };
  const marks = { closed: "●", half_open: "◐", open: "✕" };
  const state = lane.paused ? "paused" : lane.breaker.replace("-", "_");
  const breaker = /** @type {keyof typeof looks} */ (state);
  const verb = lane.paused ? "resume" : "pause";
  return h("tr", { "data-sink": lane.sink, "data-verb": verb },
    h("th", { scope: "row" },
      h("a", { href: `#/sinks/${encodeURIComponent(lane.sink)}` }, id(lane.sink))),
    h("td", null, id(lane.type)),
    h("td", null, carried(status.routes, lane.sink)),
    h("td", null, h("span", { class: `chip ${looks[breaker] ?? "moved"}` },
      h("span", { "aria-hidden": "true" }, marks[breaker] ?? "◐"), " ",
      word("breaker", state))),
    [lane.waiting + lane.inFlight, age, lane.retrying, lane.deadLetters, lane.answers.delivered,
      latency(lane)]
      .map(value => h("td", { class: "n" }, typeof value === "number" ? number(value) : value)),
    h("td", null, spark(lane.lastHour)),
    h("td", null, lane.lastFailure && [said(lane.lastFailure.reason), " ",
      h("small", null, utc(lane.lastFailure.at))]),
    mayAdminister() && h("td", null, pausing(lane)));
}
