// A stream of server-sent events, read by `fetch`, as the token stands in a header.

import { bearer } from "./session.js";

/** After how long without a word, heartbeats included, a stream is taken for broken. */
const SILENT = 40_000;

/**
 * Reads events until the stream ends.
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => any} take waited for, so that nothing piles up
 * @param {() => void} [opened]
 */
export async function read(path, signal, take, opened) {
  const ending = new AbortController();
  const end = () => ending.abort();
  /** @type {any} */
  let timer = null;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(end, SILENT);
  };
  heard();
  signal.addEventListener("abort", end);
  try {
    const answer = await fetch(path, {
      headers: bearer(), cache: "no-store", signal: ending.signal,
    });
    if (!answer.ok || !answer.body) throw new Error(answer.statusText);
    opened?.();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      text += value;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const [name, data] = ["event", "data"].map(field =>
          new RegExp(`^${field}: (.*)$`, "m").exec(block)?.[1]);
        if (name && data) await take(name, JSON.parse(data));
      }
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}
