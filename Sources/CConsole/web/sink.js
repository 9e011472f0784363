// One sink: how it is, what it could not deliver, and what the journal says of it.

import { get } from "./api.js";
import { h, id, said, show } from "./dom.js";
import { journal } from "./log.js";
import { carried, latency, turn } from "./overview.js";
import { card, facts, tiles } from "./parts.js";
import { mayAdminister, maySeePeople } from "./session.js";
import { tester } from "./sinktest.js";
import { spark } from "./spark.js";
import { button, empty, live, statusStream, toast } from "./states.js";
import { utc } from "./times.js";
import { number, t, word } from "./words.js";

const EVERY = 5_000;
const MINUTE = 60_000;
const answers = ["delivered", "retried", "rejected", "outages", "orphaned", "setAside"];

/**
 * @param {HTMLElement} place
 * @param {string[]} rest
 */
export default async function sink(place, [name]) {
  const how = h("div", { class: "page" });
  const log = h("section", { class: "card", "aria-label": t("log") });
  const deeds = h("div", { class: "actions" });
  const past = card();
  place.append(h("h1", null, t("sink"), " ", id(name)), how, past, deeds);
  let isPaused;
  const look = () => live(how, () => get("/v1/status"), status => {
    const lane = status.lanes.find(one => one.sink === name);
    // Drawn anew with each look, the button would lose the focus of who is about to press it.
    if (lane?.paused !== isPaused) {
      isPaused = lane?.paused;
      show(deeds, lane && mayAdminister() && pausing(lane, () => look()));
    }
    return draw(lane, status);
  }, EVERY, statusStream);
  if (mayAdminister()) place.append(tester(name));
  const waits = [look(), day(past, name)];
  if (maySeePeople()) {
    place.append(log);
    waits.push(journal(log, { sink: name }, h("h2", null, t("log"))));
  }
  await Promise.all(waits);
}

function draw(lane, status) {
  if (!lane) return card(null, empty(t("sink.none")));
  const measured = status.analytics?.sink === lane.sink && status.analytics;
  return [
    lane.paused && h("p", { class: "notice" }, "◐ ", t("paused.hint")),
    shown(lane, carried(status.routes, lane.sink)),
    measured && h("h2", null, t("sink.analytics")), measured && shown(measured, ""),
  ];
}

/** @param {string} carries */
function shown(lane, carries) {
  const found = {
    type: lane.type, carries, latency: latency(lane),
    breaker: word("breaker", lane.breaker), waiting: number(lane.waiting),
    inFlight: number(lane.inFlight), retrying: number(lane.retrying),
    oldest: utc(lane.oldestWaiting), nextRetry: utc(lane.nextRetry),
    failingSince: utc(lane.failingSince), nextAttempt: utc(lane.nextAttempt),
    lastFailure: lane.lastFailure && `${utc(lane.lastFailure.at)}: ${lane.lastFailure.reason}`,
  };
  return [
    lane.failure && h("p", { class: "notice bad" }, "✕ ", said(lane.failure)),
    card(null, facts(Object.entries(found).map(([key, value]) => [t(`column.${key}`), value])),
      lane.deadLetters > 0 && maySeePeople() && h("p", null, h("a", {
        href: `#/dead/${encodeURIComponent(lane.sink)}`,
      }, t("trouble.dead.title", { count: number(lane.deadLetters) })))),
    card(t("column.lastHour"), spark(lane.lastHour)),
    tiles("column", answers.map(key => [key, lane.answers[key]])),
  ];
}

/** What it has taken and not taken in a day.
 * @param {HTMLElement} place */
const day = (place, name) => live(place, () => get("/v1/activity?minutes=15"), all => {
  const none = all.events.map(() => 0);
  const { delivered, retried, rejected } = all.sinks.find(one => one.sink === name)
    ?? { delivered: none, retried: none, rejected: none };
  return [h("h2", null, t("lastDay")), spark({
    delivered, failed: retried.map((count, part) => count + rejected[part]),
  })];
}, MINUTE);

/** @param {() => void} again */
function pausing(lane, again) {
  const verb = lane.paused ? "resume" : "pause";
  return button(t(verb), async () => {
    try {
      if (await turn(lane.sink, verb)) toast(t(`${verb}.done`, { sink: lane.sink }));
    } finally {
      again();
    }
  });
}
