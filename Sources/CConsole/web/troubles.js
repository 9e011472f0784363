// The troubles of the service, each with a hint.

import { utc } from "./times.js";
import { t } from "./words.js";

export function troubles(status) {
  /** @type {{title: string, hint: string, isBad: boolean, link: string}[]} */
  const found = [];
  const add = (key, values = {}, isBad = false, link = "") =>
    found.push({ title: t(`${key}.title`, values), hint: t(`${key}.hint`, values), isBad, link });
  if (status.storageFailure) add("trouble.storage", { reason: status.storageFailure }, true);
  if (status.loss) add("trouble.loss", status.loss, true);
  if (status.clockHold) add("trouble.clock", { at: utc(status.clockHold) }, true);
  if (status.clockLeap) add("trouble.leap", { at: utc(status.clockLeap) }, true);
  if (status.reloadFailure) add("trouble.reload", { reason: status.reloadFailure }, true);
  if (status.erasureOpen) add("trouble.erasure", { since: utc(status.erasureOpen) });
  if (status.setAside.length) add("trouble.oldStore", { stores: status.setAside.join(", ") });
  if (status.replanning) add("trouble.replanning", { count: status.replanning });
  if (status.fleet) fleet(status.fleet, add);
  for (const part of status.watchdog) {
    if (part.vital && part.age > part.allowance / 2) add("trouble.part", part, true);
    if (!part.vital && part.age > part.allowance) add("trouble.slow", part);
  }
  for (const lane of status.lanes) {
    const { sink, waiting: count } = lane;
    const reason = lane.lastFailure?.reason;
    if (lane.paused) {
      add("trouble.paused", { sink, count });
    } else if (lane.breaker !== "closed") {
      add("trouble.sink",
        { sink, reason: lane.failure ?? reason, next: utc(lane.nextAttempt) }, true);
    } else if (lane.failure) {
      add("trouble.disabled", { sink, reason: lane.failure }, true);
    } else if (isBehind(lane, status.now)) {
      add("trouble.behind", { sink, count });
    } else if (lane.retrying) {
      add("trouble.retry", { sink, count: lane.retrying, reason, next: utc(lane.nextRetry) });
    }
  }
  if (status.deadLetters) add("trouble.dead", { count: status.deadLetters }, false, "#/dead");
  if (!status.lanes.length) add("trouble.sinks");
  if (!status.catalogs.length) add("trouble.catalogs");
  if (status.dataWarnings.length) {
    add("trouble.data", { warnings: status.dataWarnings.join("; ") });
  }
  return found;
}

/** Milliseconds that a delivery may wait for a sink before the sink counts as behind. */
const BEHIND_AFTER = 60_000;

const isBehind = ({ oldestWaiting }, now) =>
  oldestWaiting && Date.parse(now) - Date.parse(oldestWaiting) > BEHIND_AFTER;

/** @param {(key: string, values: object, isBad: boolean, link: string) => void} add */
function fleet(all, add) {
  const down = all.silent + all.gone;
  if (!all.trusted) add("trouble.trust", {}, true, "#/fleet");
  if (all.free) add("trouble.unowned", { count: all.free, shards: all.shards }, true, "#/fleet");
  if (down) add("trouble.down", { count: down, nodes: all.nodes }, true, "#/fleet");
  if (all.differences.length) {
    const parts = all.differences.map(part => t(`differs.${part}`)).join(", ");
    add("trouble.differs", { parts }, false, "#/fleet");
  }
  if (all.skewed) add("trouble.skew", {}, false, "#/fleet");
}
