// The troubles of the service, each with a hint.

import { utc } from "./times.js";
import { number, t } from "./words.js";

export function troubles(status) {
  /** @type {{title: string, hint: string, isBad: boolean, link: string}[]} */
  const found = [];
  const add = (key, values = {}, isBad = false, link = "") =>
    found.push({ title: t(`trouble.${key}.title`, values), hint: t(`trouble.${key}.hint`, values),
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
  if (status.fleet) fleet(status.fleet, add);
  for (const part of status.watchdog) {
    if (part.vital && part.age > part.allowance * 2 / 3) add("part", part, true);
    if (!part.vital && part.age > part.allowance) add("slow", part);
  }
  for (const lane of status.lanes) {
    const { sink, waiting: count } = lane;
    const reason = lane.lastFailure?.reason;
    if (lane.paused) {
      add("paused", { sink, count });
    } else if (lane.breaker !== "closed" && !lane.unavailable) {
      add("sink", { sink, reason: lane.failure ?? reason, next: utc(lane.nextAttempt) }, true);
    } else if (lane.failure) {
      add("disabled", { sink, reason: lane.failure }, true);
    } else if (isBehind(lane, status.now)) {
      add("behind", { sink, count });
    } else if (lane.retrying) {
      add("retry", { sink, count: limited(lane.retrying), reason, next: utc(lane.nextRetry) });
    }
  }
  if (status.deadLetters) add("dead", { count: limited(status.deadLetters) }, false, "#/dead");
  if (!status.lanes.length) add("sinks");
  if (!status.catalogs.length) add("catalogs");
  if (status.dataWarnings.length) add("data", { warnings: status.dataWarnings.join("; ") });
  for (const token of status.endingTokens) {
    add(token.expired ? "tokenExpired" : "token", { ...token, expires: utc(token.expires) });
  }
  return found;
}

/** Milliseconds that a delivery may wait for a sink before the sink counts as behind. */
const BEHIND_AFTER = 60_000;

const limited = count => count < 10_000 ? count : `${number(count)}+`;

const isBehind = ({ oldestWaiting }, now) =>
  oldestWaiting && Date.parse(now) - Date.parse(oldestWaiting) > BEHIND_AFTER;

function fleet(all, report) {
  const add = (key, values, isBad) => report(key, values, isBad, "#/fleet");
  const down = all.silent + all.gone;
  if (!all.trusted) add("trust", {}, true);
  if (all.free) add("unowned", { count: all.free, ...all }, !all.takers);
  if (down) add("down", { count: down, ...all }, true);
  if (all.differences.length) {
    add("differs", { parts: all.differences.map(part => t(`differs.${part}`)).join(", ") });
  }
  if (all.skewed) add("skew");
  for (const key of ["differingLeases", "skewedNodes", "sharedNames"]) {
    if (all[key].length) add(key, { names: all[key].join(", ") });
  }
}
