// One sink: how it is, what it could not deliver, and what the journal says of it.

import { get } from "./api.js";
import { h, id, said } from "./dom.js";
import { journal } from "./log.js";
import { maySeePeople } from "./session.js";
import { empty, live } from "./states.js";
import { utc } from "./times.js";
import { number, t, word } from "./words.js";

const EVERY = 5_000;
const answers = ["delivered", "retried", "rejected", "outages", "orphaned", "setAside"];

/**
 * @param {HTMLElement} place
 * @param {string[]} rest
 */
export default async function sink(place, [name]) {
  const how = h("div", { class: "page" });
  const log = h("section", { class: "card", "aria-label": t("log") });
  place.append(h("h1", null, t("sink"), " ", id(name)), how);
  const load = () => get("/v1/status");
  const waits = [live(how, load, status => draw(status, name), EVERY)];
  if (maySeePeople()) {
    place.append(log);
    waits.push(journal(log, { sink: name }, h("h2", null, t("log"))));
  }
  await Promise.all(waits);
}

function draw(status, name) {
  const lane = status.lanes.find(one => one.sink === name);
  if (!lane) return h("section", { class: "card" }, empty(t("sink.none")));
  const facts = {
    breaker: word("breaker", lane.breaker.replace("-", "_")), waiting: number(lane.waiting),
    inFlight: number(lane.inFlight), retrying: number(lane.retrying),
    oldest: lane.oldestWaiting && utc(lane.oldestWaiting),
    nextRetry: lane.nextRetry && utc(lane.nextRetry),
    failingSince: lane.failingSince && utc(lane.failingSince),
    nextAttempt: lane.nextAttempt && utc(lane.nextAttempt),
    lastFailure: lane.lastFailure && `${utc(lane.lastFailure.at)}: ${lane.lastFailure.reason}`,
  };
  return [
    lane.failure && h("p", { class: "notice bad" }, "✕ ", said(lane.failure)),
    h("section", { class: "card" }, h("dl", { class: "facts" },
      Object.entries(facts).filter(([, value]) => value).map(([key, value]) => h("div", null,
        h("dt", null, t(`column.${key}`)), h("dd", { dir: "auto" }, value)))),
    lane.deadLetters > 0 && maySeePeople() && h("p", null, h("a", { href:
      `#/dead/${encodeURIComponent(name)}` }, t("trouble.dead.title",
      { count: number(lane.deadLetters) })))),
    h("div", { class: "tiles" }, answers.map(key => h("div", { class: "tile" },
      h("b", null, number(lane.answers[key])), h("span", null, t(`column.${key}`))))),
  ];
}
