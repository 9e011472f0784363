// The overview: health, troubles, counters, forecast and sinks.

import { get } from "./api.js";
import { autoText, h, id, patch } from "./dom.js";
import { forecast } from "./forecast.js";
import { histogram } from "./histogram.js";
import { channelList, latencyText, pauseButton } from "./lanes.js";
import { card, chip, soft, table, tiles } from "./parts.js";
import { mayAdminister, maySeePeople } from "./session.js";
import { sparkline } from "./sparkline.js";
import { empty, liveView, statusStream } from "./states.js";
import { span, utc } from "./times.js";
import { troubles } from "./troubles.js";
import { t, word } from "./words.js";

const POLL_MS = 5_000;

/** @param {HTMLElement} root */
export default async function overview(root) {
  const content = h("div", { class: "page" });
  const day = card();
  const lanes = card();
  root.append(content, day, lanes);
  const view = liveView(content, () => get("/v1/status"), status => {
    patch(lanes, sinks(status));
    return draw(status);
  }, POLL_MS, statusStream);
  await Promise.all([view, forecast(day)]);
}

function draw(status) {
  const problems = troubles(status);
  const health = !problems.length ? "health.good"
    : problems.some(item => item.isBad) ? "health.bad" : "health.warnings";
  return [
    h("div", null, h("h1", null, t(health)),
      soft(t("since", {
        version: status.version, since: utc(status.started), zones: status.zoneDatabase,
      }), " ", t("catalogs"), ": ", status.catalogs.join(", "))),
    problems.map(item => h("div", { class: item.isBad ? "notice bad" : "notice" },
      h("p", null, h("b", null, item.isBad ? "✕ " : "◐ ", autoText(item.title))),
      h("p", null, item.hint),
      h("div", { class: "actions" }, mayOpen(item.link)
        && h("a", { class: "button", href: item.link }, t("trouble.show")),
      item.paused && mayAdminister() && pauseButton({ sink: item.paused, paused: true })))),
    tiles("tile", [...["due", "pending", "recipients", "deadLetters"].map(name =>
      [name, status[name]]), ["events", status.events.accepted]]),
    status.fleet && card(t("fleet"), h("p", null,
      t("fleet.own", { own: status.fleet.own, shards: status.fleet.shards }), " ",
      h("a", { href: "#/fleet" }, t("fleet.nodes", { nodes: status.fleet.nodes })))),
    card(t("next"), status.next.length
      ? h("ol", { class: "list" }, status.next.map(entry => next(entry, status.now)))
      : empty(t("next.empty"))),
    card(t("lateness"), histogram(status.lateness)),
  ];
}

/** @param {string} link */
const mayOpen = link => /^#.(sinks|fleet)/.test(link) || (link === "#/dead" ? maySeePeople()
  : link && mayAdminister());

/** An instant with due occurrences: time, one reminder and number of people. */
const next = (entry, now) => h("li", { class: "entry" },
  h("span", null, utc(entry.at)),
  h("span", { class: "soft" }, t("in", {
    span: span(Math.max(0, Date.parse(entry.at) - Date.parse(now)) / 1_000),
  })),
  h("span", { class: "what" }, id(entry.reminder)),
  h("span", null, t(entry.more ? "next.least" : "next.people", { count: entry.recipients })));

const columns = ["sink", "type", "channels", "breaker", "waiting", "oldest", "retrying", "dead",
  "delivered", "latency", "lastHour", "lastFailure"];

const sinks = status => [h("h2", { id: "sinks" }, t("sinks")),
  table(t("sinks"), mayAdminister() ? [...columns, "actions"] : columns,
    status.lanes.map(lane => cells(lane, status)))];

function cells(lane, status) {
  const age = lane.oldestWaiting
    ? span((Date.parse(status.now) - Date.parse(lane.oldestWaiting)) / 1_000) : "";
  const state = lane.paused ? "paused" : lane.breaker;
  const name = { closed: "goes", open: "failed" }[state] ?? "moved";
  return [
    h("a", { href: `#/sinks/${encodeURIComponent(lane.sink)}` }, id(lane.sink)),
    id(lane.type), channelList(status.routes, lane.sink), chip(name, word("breaker", state)),
    lane.waiting + lane.inFlight, age, lane.retrying, lane.deadLetters, lane.answers.delivered,
    latencyText(lane), sparkline(lane.lastHour),
    lane.lastFailure && [autoText(lane.lastFailure.reason), " ",
      h("small", null, utc(lane.lastFailure.at))],
    pauseButton(lane)];
}
