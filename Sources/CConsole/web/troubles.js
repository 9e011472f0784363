// The problems of the service, each with a hint for its solution.

import { utc } from "./times.js";
import { number, t } from "./words.js";

export function troubles(status) {
  /** @type {{title: string, hint: string, isBad: boolean, link: string, paused?: string}[]} */
  const result = [];
  const add = (key, values = {}, isBad = false, link = links[key] ?? "") =>
    result.push({ title: t(`trouble.${key}.title`, values), hint: t(`trouble.${key}.hint`, values),
      isBad, link });
  if (status.storageFailure) add("storage", { reason: status.storageFailure }, true);
  if (status.loss) add("loss", status.loss, true);
  if (status.clockHold) add("clock", { at: utc(status.clockHold) }, true);
  if (status.clockLeap) add("leap", { at: utc(status.clockLeap) }, true);
  if (status.reloadFailure) add("reload", { reason: status.reloadFailure }, true);
  if (status.outdatedSinks.length) add("outdated", { reason: status.outdatedSinks.join("; ") });
  if (status.erasureOpen) add("erasure", { since: utc(status.erasureOpen) });
  if (status.setAside.length) add("oldStore", { stores: status.setAside.join(", ") });
  if (status.replanning) add("replanning", { count: status.replanning });
  if (status.fleet) fleetTroubles(status.fleet, add);
  for (const part of status.watchdog) {
    if (part.vital && part.age > part.allowance * 2 / 3) add("part", part, true);
    if (!part.vital && part.age > part.allowance) add("slow", part);
  }
  for (const lane of status.lanes) laneTroubles(lane, status.now, add, result);
  if (status.deadLetters) {
    const lanes = status.lanes.filter(lane => lane.deadLetters);
    const laneSum = lanes.reduce((sum, lane) => sum + lane.deadLetters, 0);
    add(laneSum === status.deadLetters ? "deadAt" : "dead", { count: capped(status.deadLetters),
      sinks: lanes.map(lane => lane.sink).join(", ") }, false, "#/dead");
  }
  if (!status.lanes.length) add("sinks");
  if (!status.catalogs.length) add("catalogs");
  if (status.dataWarnings.length) add("data", { warnings: status.dataWarnings.join("; ") });
  for (const token of status.endingTokens) {
    add(token.expired ? "tokenExpired" : "token", { ...token, expires: utc(token.expires) });
  }
  return result;
}

const links = { reload: "#/service", outdated: "#/service", clock: "#/service", leap: "#/service",
  token: "#/access", tokenExpired: "#/access" };

/** @param {any[]} found */
function laneTroubles(lane, now, report, found) {
  const { sink, waiting: count } = lane;
  const reason = lane.lastFailure?.reason;
  const add = (key, values, isBad) =>
    report(key, { sink, ...values }, isBad, `#/sinks/${encodeURIComponent(sink)}`);
  if (lane.paused) {
    add("paused", { count });
    found[found.length - 1].paused = sink;
  } else if (lane.breaker !== "closed" && !lane.unavailable) {
    add("sink", { reason: lane.failure ?? reason, next: utc(lane.nextAttempt) }, true);
  } else if (lane.failure) {
    add("disabled", { reason: lane.failure }, true);
  } else if (isBehind(lane, now)) {
    add("behind", { count });
  } else if (lane.retrying) {
    add("retry", { count: capped(lane.retrying), reason, next: utc(lane.nextRetry) });
  }
}

/** A sink is behind if a delivery has waited longer than this. */
const BEHIND_MS = 60_000;

/** The service does not count beyond 10,000. */
const capped = count => count < 10_000 ? count : `${number(count)}+`;

const isBehind = ({ oldestWaiting }, now) =>
  oldestWaiting && Date.parse(now) - Date.parse(oldestWaiting) > BEHIND_MS;

function fleetTroubles(fleet, report) {
  const add = (key, values, isBad) => report(key, values, isBad, "#/fleet");
  const down = fleet.silent + fleet.gone;
  if (!fleet.trusted) add("trust", {}, true);
  if (fleet.free) add("unowned", { count: fleet.free, ...fleet }, !fleet.takers);
  if (down) add("down", { count: down, ...fleet }, true);
  if (fleet.differences.length) {
    add("differs", { parts: fleet.differences.map(part => t(`differs.${part}`)).join(", ") });
  }
  if (fleet.skewed) add("skew");
  for (const key of ["differingLeases", "skewedNodes", "sharedNames"]) {
    if (fleet[key].length) add(key, { names: fleet[key].join(", ") });
  }
}
