// What troubles the service, each with what to do about it.

import { utc } from "./times.js";
import { t } from "./words.js";

/**
 * @returns {{title: string, hint: string, isBad: boolean}[]}
 */
export function troubles(status) {
  /** @type {{title: string, hint: string, isBad: boolean}[]} */
  const found = [];
  const add = (key, values, isBad = false) =>
    found.push({ title: t(`${key}.title`, values), hint: t(`${key}.hint`, values), isBad });
  if (status.storageFailure) add("trouble.storage", { reason: status.storageFailure }, true);
  if (status.loss) {
    add("trouble.loss", status.loss, true);
  }
  if (status.clockHold) add("trouble.clock", { until: utc(status.clockHold) }, true);
  if (status.reloadFailure) add("trouble.reload", { reason: status.reloadFailure });
  if (status.erasureOpen) add("trouble.erasure", { since: utc(status.erasureOpen) });
  if (status.replanning) add("trouble.replanning", { count: status.replanning });
  for (const part of status.watchdog) {
    if (part.vital && part.age > part.allowance) add("trouble.part", part, true);
  }
  for (const lane of status.lanes) {
    if (lane.paused) {
      add("trouble.paused", { sink: lane.sink, count: lane.waiting });
    } else if (lane.breaker !== "closed") {
      add("trouble.sink", {
        sink: lane.sink, reason: lane.failure ?? lane.lastFailure?.reason ?? "",
        next: lane.nextAttempt ? utc(lane.nextAttempt) : "",
      }, true);
    } else if (lane.retrying) {
      add("trouble.retry", {
        sink: lane.sink, count: lane.retrying, reason: lane.lastFailure?.reason ?? "",
        next: lane.nextRetry ? utc(lane.nextRetry) : "",
      });
    }
  }
  if (status.deadLetters) add("trouble.dead", { count: status.deadLetters });
  return found;
}
