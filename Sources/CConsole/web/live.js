// News of a person, as the service tells of it.

import { get, of } from "./api.js";
import { freshen, grey, isAway } from "./states.js";
import { read } from "./stream.js";
import { now, utc } from "./times.js";

const FIRST = 2_000;
const LAST = 30_000;
const LOOK = 300;

/**
 * Calls when something of the person has changed, but not while something is open that who reads it
 * would lose. While the service is out of reach the place is greyed. Ends when the place has gone,
 * and rests while the page is hidden.
 * @param {HTMLElement} place
 * @param {() => void} tell
 * @returns {Promise<void>} done when it follows, or cannot for now: what is loaded from then on is
 *   no older than what it tells of
 */
export async function follow(place, person, tell) {
  place.setAttribute("aria-busy", "true");
  await new Promise(then => { attend(place, person, tell, then); });
  place.removeAttribute("aria-busy");
}

/** @param {(value?: any) => void} begun */
async function attend(place, person, tell, begun) {
  let wait = FIRST;
  let known = "";
  let isNews = false;
  // Whether something was loaded before it was known which state that is.
  let isLate = false;
  const beginAnyway = () => {
    isLate ||= !known;
    begun();
  };
  const note = (name, data) => {
    if (name !== "state") return;
    const state = JSON.stringify(data);
    wait = FIRST;
    isNews ||= known ? known !== state : isLate;
    known = state;
    freshen(place);
    begun();
  };
  setTimeout(beginAnyway, LOOK);
  while (place.isConnected) {
    if (document.hidden) {
      beginAnyway();
      await shown();
    }
    const ending = new AbortController();
    const watch = setInterval(() => {
      if (!place.isConnected || document.hidden) return ending.abort();
      if (!isNews || place.querySelector("details[open]")) return;
      isNews = false;
      place.dataset.news = "";
      tell();
      delete place.dataset.news;
    }, LOOK);
    await read(of(person, "/stream?state=true"), ending.signal, note).catch(() => null);
    clearInterval(watch);
    beginAnyway();
    if (!place.isConnected) return;
    if (!document.hidden) await look(place, person);
    await new Promise(then => { setTimeout(then, document.hidden ? 0 : wait); });
    wait = Math.min(wait * 2, LAST);
  }
}

/** Whether the service answers: a stream alone may be refused.
 * @param {HTMLElement} place */
async function look(place, person) {
  const since = utc(now());
  if (await get(of(person, "")).then(() => false, isAway)) grey(place, since);
  else freshen(place);
}

const shown = () => new Promise(then => {
  document.addEventListener("visibilitychange", then, { once: true });
});
