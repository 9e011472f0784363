// Reads server-sent events by `fetch`, because EventSource cannot send a header with the token.

import { bearer } from "./session.js";

/** A stream without data, not even a heartbeat, counts as broken after this time. */
const SILENCE_MS = 40_000;

/**
 * Reads events until the stream ends.
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => any} onEvent must end before the next event is read
 * @returns {Promise<boolean>} whether the service refused the stream
 */
export async function read(path, signal, onEvent) {
  const ending = new AbortController();
  const end = () => ending.abort();
  /** @type {any} */
  let timer = null;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(end, SILENCE_MS);
  };
  restartTimer();
  signal.addEventListener("abort", end);
  try {
    const answer = await fetch(path, {
      headers: bearer(), cache: "no-store", signal: ending.signal,
    });
    if (!answer.ok || !answer.body) return true;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ;) {
      const { done, value } = await reader.read();
      if (done) return false;
      restartTimer();
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const [name, data] = ["event", "data"].map(field =>
          new RegExp(`^${field}: (.*)$`, "m").exec(block)?.[1]);
        if (name && data) await onEvent(name, JSON.parse(data));
      }
    }
  } finally {
    end();
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}
