// Follows the changes of a person by a stream of the service.

import { get, personPath } from "./api.js";
import { clearStale, isUnreachable, markStale } from "./states.js";
import { read } from "./stream.js";
import { now, utc } from "./times.js";

/** The first and the longest wait for a reconnection, and the interval of checks; milliseconds. */
const FIRST = 2_000;
const LAST = 30_000;
const POLL = 300;

/**
 * Calls `onChange` when the person's state has changed, but not while a details element is open,
 * which a redraw would close. Marks the root as stale while the service is unreachable. Pauses
 * while the page is hidden and ends when the root is removed.
 * @param {HTMLElement} root
 * @param {() => void} onChange
 * @returns {Promise<void>} done when the stream has begun or cannot begin now: data that is loaded
 *   after that is at least as new as the first state
 */
export async function followRecipient(root, person, onChange) {
  root.setAttribute("aria-busy", "true");
  await new Promise(then => { followUntilRemoved(root, person, onChange, then); });
  root.removeAttribute("aria-busy");
}

/** @param {(value?: any) => void} begun */
async function followUntilRemoved(root, person, onChange, begun) {
  let wait = FIRST;
  let known = "";
  let hasChanged = false;
  // Whether the caller went on before the first state was known.
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
    clearStale(root);
    begun();
  };
  setTimeout(beginAnyway, POLL);
  while (root.isConnected) {
    if (document.hidden) {
      beginAnyway();
      await shown();
    }
    const ending = new AbortController();
    const watch = setInterval(() => {
      if (!root.isConnected || document.hidden) return ending.abort();
      if (!hasChanged || root.querySelector("details[open]")) return;
      hasChanged = false;
      root.dataset.news = "";
      onChange();
      delete root.dataset.news;
    }, POLL);
    const path = personPath(person, "/stream?state=true");
    await read(path, ending.signal, onEvent).catch(() => null);
    clearInterval(watch);
    beginAnyway();
    if (!root.isConnected) return;
    if (!document.hidden) await probe(root, person);
    await new Promise(then => { setTimeout(then, document.hidden ? 0 : wait); });
    wait = Math.min(wait * 2, LAST);
  }
}

/** Marks the root as stale if the service, not just the stream, is unreachable; else unmarks it.
 * @param {HTMLElement} root */
async function probe(root, person) {
  const since = utc(now());
  const isLost = await get(personPath(person, "")).then(() => false, isUnreachable);
  if (isLost) markStale(root, since);
  else clearStale(root);
}

const shown = () => new Promise(then => {
  document.addEventListener("visibilitychange", then, { once: true });
});
