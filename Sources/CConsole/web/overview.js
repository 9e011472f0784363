// How the service is: a sentence, what troubles it, its numbers, its sinks.

import { get, post } from "./api.js";
import { bars, quantile, short } from "./bars.js";
import { h, id, refresh, said } from "./dom.js";
import { forecast } from "./forecast.js";
import { card, chip, soft, table, tiles } from "./parts.js";
import { mayAdminister, maySeePeople } from "./session.js";
import { spark } from "./spark.js";
import { button, empty, live, statusStream } from "./states.js";
import { span, utc } from "./times.js";
import { troubles } from "./troubles.js";
import { number, t, word } from "./words.js";

const EVERY = 5_000;

/** @param {HTMLElement} place */
export default async function overview(place) {
  const how = h("div", { class: "page" });
  const day = card();
  const lanes = card();
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
      soft(t("since", {
        version: status.version, since: utc(status.started), zones: status.zoneDatabase,
      }), " ", t("catalogs"), ": ", status.catalogs.join(", "))),
    found.map(one => h("div", { class: one.isBad ? "notice bad" : "notice" },
      h("p", null, h("b", null, one.isBad ? "✕ " : "◐ ", said(one.title))),
      h("p", null, one.hint, one.place && maySeePeople()
        && [" ", h("a", { href: one.place }, t("trouble.look"))]))),
    tiles("tile", [...["due", "pending", "recipients", "deadLetters"].map(name =>
      [name, status[name]]), ["events", status.events.accepted]]),
    status.fleet && card(t("fleet"), h("p", null,
      t("fleet.own", { own: number(status.fleet.own), shards: number(status.fleet.shards) }), " ",
      h("a", { href: "#/fleet" }, t("fleet.nodes", { nodes: number(status.fleet.nodes) })))),
    card(t("next"), status.next.length
      ? h("ol", { class: "list" }, status.next.map(one => next(one, status.now)))
      : empty(t("next.empty"))),
    card(t("late"), bars(status.lateness)),
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

const columns = ["sink", "type", "carries", "breaker", "waiting", "oldest", "retrying", "dead",
  "delivered", "latency", "lastHour", "lastFailure"];

const sinks = status => [h("h2", { id: "sinks" }, t("sinks")),
  table(t("sinks"), mayAdminister() ? [...columns, "acts"] : columns,
    status.lanes.map(lane => cells(lane, status)))];

/** Stops a sink, or lets it go on, if whoever wants that is sure.
 * @returns {Promise<boolean>} whether it is done */
export async function turn(sink, verb) {
  if (verb === "pause" && !confirm(t("pause.sure", { sink }))) return false;
  await post(`/v1/sinks/${encodeURIComponent(sink)}/${verb}`);
  return true;
}

/** As it says itself when it is pressed: rows are drawn in place. */
function pausing({ sink, paused }) {
  const verb = paused ? "resume" : "pause";
  const deed = button(t(verb), ({ currentTarget: { dataset } }) =>
    turn(dataset.sink, dataset.verb), "plain");
  Object.assign(deed.dataset, { sink, verb });
  return deed;
}

/** The channels that a sink carries, each with its place in the route if it is not the first.
 * @param {Record<string, string[]>} routes */
export const carried = (routes, sink) => Object.entries(routes)
  .filter(([, names]) => names.includes(sink))
  .map(([channel, names]) => [word("channel", channel), names.indexOf(sink) + 1])
  .map(([name, place]) => place === 1 ? name : `${name} (${number(place)})`).join(", ");

/** Within how long 99 of 100 batches were answered for; nothing where there are none. */
export const latency = ({ latency: times }) =>
  times.counts.some(Boolean) ? `≤ ${short(quantile(times, 0.99))}` : "";

function cells(lane, status) {
  const age = lane.oldestWaiting
    ? span((Date.parse(status.now) - Date.parse(lane.oldestWaiting)) / 1_000) : "";
  const state = lane.paused ? "paused" : lane.breaker;
  const look = { closed: "goes", open: "failed" }[state] ?? "moved";
  return [
    h("a", { href: `#/sinks/${encodeURIComponent(lane.sink)}` }, id(lane.sink)),
    id(lane.type), carried(status.routes, lane.sink), chip(look, word("breaker", state)),
    lane.waiting + lane.inFlight, age, lane.retrying, lane.deadLetters, lane.answers.delivered,
    latency(lane), spark(lane.lastHour),
    lane.lastFailure && [said(lane.lastFailure.reason), " ",
      h("small", null, utc(lane.lastFailure.at))],
    pausing(lane)];
}
