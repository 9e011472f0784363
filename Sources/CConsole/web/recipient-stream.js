// Follows the changes of a person by a stream of the service.

import { get, recipientPath } from "./api.js";
import { clearStale, isUnreachable, markStale } from "./states.js";
import { read } from "./stream.js";
import { now, utc } from "./times.js";

const FIRST = 2_000;
const LAST = 30_000;
const POLL = 300;

/**
 * Calls `onChange` when the person's state has changed, but not while a details element is open,
 * which a redraw would close. Marks the container as stale while the service is unreachable. Pauses
 * while the page is hidden and ends when the container is removed.
 * @param {HTMLElement} container
 * @param {() => void} onChange
 * @returns {Promise<void>} done when the stream has begun or cannot begin now: what is loaded after
 *   that is at least as new as the first state
 */
export async function followRecipient(container, person, onChange) {
  container.setAttribute("aria-busy", "true");
  await new Promise(then => { followUntilRemoved(container, person, onChange, then); });
  container.removeAttribute("aria-busy");
}

/** @param {(value?: any) => void} begun */
async function followUntilRemoved(container, person, onChange, begun) {
  let wait = FIRST;
  let known = "";
  let hasChanged = false;
  // Whether the caller was let go on before the first state was known.
  let isLate = false;
  const beginAnyway = () => {
    isLate ||= !known;
    begun();
  };
  const onEvent = (name, data) => {
    if (name !== "state") return;
    const state = JSON.stringify(data);
    wait = FIRST;
    hasChanged ||= known ? known !== state : isLate;
    known = state;
    clearStale(container);
    begun();
  };
  setTimeout(beginAnyway, POLL);
  while (container.isConnected) {
    if (document.hidden) {
      beginAnyway();
      await shown();
    }
    const ending = new AbortController();
    const watch = setInterval(() => {
      if (!container.isConnected || document.hidden) return ending.abort();
      if (!hasChanged || container.querySelector("details[open]")) return;
      hasChanged = false;
      container.dataset.news = "";
      onChange();
      delete container.dataset.news;
    }, POLL);
    const path = recipientPath(person, "/stream?state=true");
    await read(path, ending.signal, onEvent).catch(() => null);
    clearInterval(watch);
    beginAnyway();
    if (!container.isConnected) return;
    if (!document.hidden) await probe(container, person);
    await new Promise(then => { setTimeout(then, document.hidden ? 0 : wait); });
    wait = Math.min(wait * 2, LAST);
  }
}

/** Marks the container by whether the service answers; the stream alone may be refused.
 * @param {HTMLElement} container */
async function probe(container, person) {
  const since = utc(now());
  const isLost = await get(recipientPath(person, "")).then(() => false, isUnreachable);
  if (isLost) markStale(container, since);
  else clearStale(container);
}

const shown = () => new Promise(then => {
  document.addEventListener("visibilitychange", then, { once: true });
});
