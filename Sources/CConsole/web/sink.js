// A sink's page: its state, counters, last day, test and log.

import { get } from "./api.js";
import { autoText, h, id, show } from "./dom.js";
import { channelList, latencyText, setPaused } from "./lanes.js";
import { journal } from "./log.js";
import { card, factList, tiles } from "./parts.js";
import { mayAdminister, maySeePeople } from "./session.js";
import { sparkline } from "./sparkline.js";
import { button, empty, liveView, loadModule, statusStream, toast } from "./states.js";
import { utc } from "./times.js";
import { number, t, word } from "./words.js";

const POLL_MS = 5_000;
const MINUTE_MS = 60_000;
const answers = ["delivered", "retried", "rejected", "outages", "orphaned", "setAside"];

/** @param {HTMLElement} root
 * @param {string[]} rest */
export default async function sink(root, [name]) {
  const content = h("div", { class: "page" });
  const log = h("section", { class: "card", "aria-label": t("log") });
  const actions = h("div", { class: "actions" });
  const dayCard = card();
  root.append(h("div", { class: "head" }, h("h1", null, t("sink"), " ", id(name)), actions));
  const testRoot = h("div");
  root.append(testRoot, content, dayCard);
  if (mayAdminister()) loadModule(testRoot, () => import("./sink-test.js"))
    .then(({ sinkTest }) => show(testRoot, sinkTest(name)));
  let isPaused;
  const reload = () => liveView(content, () => get("/v1/status"), status => {
    const lane = status.lanes.find(lane => lane.sink === name);
    // The button is redrawn only after a change, so that it keeps the focus.
    if (lane?.paused !== isPaused) {
      isPaused = lane?.paused;
      show(actions, lane && mayAdminister() && pauseButton(lane, () => reload()));
    }
    return draw(lane, status);
  }, POLL_MS, statusStream);
  const views = [reload(), day(dayCard, name)];
  if (maySeePeople()) {
    root.append(log);
    views.push(journal(log, { sink: name }, h("h2", null, t("log"))));
  }
  await Promise.all(views);
}

function draw(lane, status) {
  if (!lane) return card(null, empty(t("sink.none")));
  const analytics = status.analytics?.sink === lane.sink && status.analytics;
  const outcomes = status.outcomes?.sink === lane.sink && status.outcomes;
  return [
    lane.paused && h("p", { class: "notice" }, "◐ ", t("paused.hint")),
    laneView(lane, channelList(status.routes, lane.sink)),
    analytics && h("h2", null, t("sink.analytics")), analytics && laneView(analytics, ""),
    outcomes && h("h2", null, t("sink.outcomes")), outcomes && laneView(outcomes, ""),
  ];
}

/** @param {string} channels */
function laneView(lane, channels) {
  const facts = {
    type: lane.type, channels, latency: latencyText(lane),
    breaker: word("breaker", lane.breaker), waiting: number(lane.waiting),
    inFlight: number(lane.inFlight), retrying: number(lane.retrying),
    oldest: utc(lane.oldestWaiting), nextRetry: utc(lane.nextRetry),
    failingSince: utc(lane.failingSince), nextAttempt: utc(lane.nextAttempt),
    lastFailure: lane.lastFailure && `${utc(lane.lastFailure.at)}: ${lane.lastFailure.reason}`,
  };
  return [
    lane.failure && h("p", { class: "notice bad" }, "✕ ", autoText(lane.failure)),
    card(null, factList(Object.entries(facts).map(([key, value]) => [t(`column.${key}`), value])),
      lane.deadLetters > 0 && maySeePeople() && h("p", null, h("a", {
        href: `#/dead/${encodeURIComponent(lane.sink)}`,
      }, t("trouble.dead.title", { count: lane.deadLetters })))),
    card(t("column.lastHour"), sparkline(lane.lastHour)),
    tiles("column", answers.map(key => [key, lane.answers[key]])),
  ];
}

/** @param {HTMLElement} root */
const day = (root, name) => liveView(root, () => get("/v1/activity?minutes=15"), activity => {
  const none = activity.events.map(() => 0);
  const { delivered, retried, rejected } = activity.sinks.find(entry => entry.sink === name)
    ?? { delivered: none, retried: none, rejected: none };
  return [h("h2", null, t("lastDay")), sparkline({
    delivered, failed: retried.map((count, part) => count + rejected[part]),
  })];
}, MINUTE_MS);

/** @param {() => void} reload */
function pauseButton(lane, reload) {
  const verb = lane.paused ? "resume" : "pause";
  return button(t(verb), async () => {
    try {
      if (await setPaused(lane.sink, verb)) toast(t(`${verb}.done`, { sink: lane.sink }));
    } finally {
      reload();
    }
  });
}
