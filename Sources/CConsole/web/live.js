// News of a person, as the service tells of it: its event stream, read by `fetch`, as the token
// stands in a header.

import { of } from "./api.js";
import { token } from "./session.js";

const FIRST = 2_000;
const LAST = 30_000;
const LOOK = 300;

/**
 * Calls when something of the person has changed, but not while something is open that who reads it
 * would lose. Ends when the place has gone, and rests while the page is hidden.
 * @param {HTMLElement} place
 * @param {() => void} tell
 */
export async function follow(place, person, tell) {
  let wait = FIRST;
  let known = "";
  let isNews = false;
  const note = state => {
    wait = FIRST;
    isNews ||= known !== "" && known !== state;
    known = state;
  };
  while (place.isConnected) {
    if (document.hidden) await shown();
    const ending = new AbortController();
    const watch = setInterval(() => {
      if (!place.isConnected || document.hidden) return ending.abort();
      if (!isNews || place.querySelector("details[open]")) return;
      isNews = false;
      place.dataset.news = "";
      tell();
      delete place.dataset.news;
    }, LOOK);
    await read(person, ending.signal, note).catch(() => null);
    clearInterval(watch);
    if (!place.isConnected) return;
    await new Promise(then => { setTimeout(then, document.hidden ? 0 : wait); });
    wait = Math.min(wait * 2, LAST);
  }
}

const shown = () => new Promise(then => {
  document.addEventListener("visibilitychange", then, { once: true });
});

/**
 * @param {AbortSignal} signal
 * @param {(state: string) => void} note
 */
async function read(person, signal, note) {
  const answer = await fetch(of(person, "/stream?state=true"), {
    headers: { authorization: `Bearer ${token()}` }, signal, cache: "no-store",
  });
  if (!answer.ok || !answer.body) throw new Error(answer.statusText);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^event: state\ndata: (.*)$/m.exec(block)?.[1];
      if (data) note(data);
    }
  }
}
