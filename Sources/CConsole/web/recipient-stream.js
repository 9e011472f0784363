// Follows the changes of a person by a stream of the service.

import { get, personPath } from "./api.js";
import { clearStale, isUnreachable, markStale } from "./states.js";
import { read } from "./stream.js";
import { now, utc } from "./times.js";

/** The first and the longest wait before a reconnection, and the interval between checks. */
const FIRST_MS = 2_000;
const LONGEST_MS = 30_000;
const CHECK_MS = 300;

/**
 * Calls `onChange` when the person's state has changed, but not while a details element is open,
 * because a redraw would close it. Marks the root as stale while the service is unreachable. The
 * stream is closed while the page is hidden, and ends when the root is removed.
 * @param {HTMLElement} root
 * @param {() => void} onChange
 * @returns {Promise<void>} resolves when the stream has begun or cannot begin now. Data loaded
 *   after that are at least as new as the stream's first state
 */
export async function followRecipient(root, person, onChange) {
  root.setAttribute("aria-busy", "true");
  await new Promise(resolve => { followUntilRemoved(root, person, onChange, resolve); });
  root.removeAttribute("aria-busy");
}

/** @param {(value?: any) => void} resolve */
async function followUntilRemoved(root, person, onChange, resolve) {
  let wait = FIRST_MS;
  let lastState = "";
  let hasChanged = false;
  // Whether the promise was resolved before the first state arrived.
  let isLate = false;
  const beginAnyway = () => {
    isLate ||= !lastState;
    resolve();
  };
  const onEvent = (name, data) => {
    if (name !== "state") return;
    const state = JSON.stringify(data);
    wait = FIRST_MS;
    hasChanged ||= lastState ? lastState !== state : isLate;
    lastState = state;
    clearStale(root);
    resolve();
  };
  setTimeout(beginAnyway, CHECK_MS);
  while (root.isConnected) {
    if (document.hidden) {
      beginAnyway();
      await untilVisible();
    }
    const abortion = new AbortController();
    const checks = setInterval(() => {
      if (!root.isConnected || document.hidden) return abortion.abort();
      if (!hasChanged || root.querySelector("details[open]")) return;
      hasChanged = false;
      root.dataset.news = "";
      onChange();
      delete root.dataset.news;
    }, CHECK_MS);
    const path = personPath(person, "/stream?state=true");
    await read(path, abortion.signal, onEvent).catch(() => null);
    clearInterval(checks);
    beginAnyway();
    if (!root.isConnected) return;
    if (!document.hidden) await probe(root, person);
    await new Promise(end => { setTimeout(end, document.hidden ? 0 : wait); });
    wait = Math.min(wait * 2, LONGEST_MS);
  }
}

/** Marks the root as stale if the service is unreachable, or removes the mark if it is not.
 * @param {HTMLElement} root */
async function probe(root, person) {
  const since = utc(now());
  const isLost = await get(personPath(person, "")).then(() => false, isUnreachable);
  if (isLost) markStale(root, since);
  else clearStale(root);
}

const untilVisible = () => new Promise(resolve => {
  document.addEventListener("visibilitychange", resolve, { once: true });
});
