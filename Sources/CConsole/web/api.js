// Asks the service, by the interface that every app uses.

import { bearer, forget } from "./session.js";
import { hear } from "./times.js";

/** What went wrong, as the service says it (RFC 9457), or because it could not be reached. */
export class Problem extends Error {
  /**
   * @param {number} status 0 where the service could not be reached
   * @param {string} title
   * @param {string} [detail]
   */
  constructor(status, title, detail = "") {
    super(title);
    this.status = status;
    this.detail = detail;
  }

  get isUnreachable() { return this.status === 0 || this.status === 502 || this.status === 503; }
}

/**
 * @typedef {{method?: string, body?: any, version?: string|null}} Wish
 * @param {Wish} [wish]
 * @returns {Promise<{body: any, version: string|null}>}
 */
export async function ask(path, wish = {}) {
  /** @type {Record<string, string>} */
  const headers = bearer();
  if (wish.body !== undefined) headers["content-type"] = "application/json";
  if (wish.version) headers["if-match"] = wish.version;
  const answer = await fetch(path, {
    method: wish.method, headers, body: JSON.stringify(wish.body), cache: "no-store",
  }).catch(() => { throw new Problem(0, "unreachable"); });
  hear(answer.headers.get("date"));
  const body = parsed(await answer.text());
  if (answer.ok) return { body, version: answer.headers.get("etag") };
  if (answer.status === 401) {
    forget();
    dispatchEvent(new Event("signedout"));
  }
  throw new Problem(answer.status, body?.title ?? answer.statusText, body?.detail);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const get = async path => (await ask(path)).body;

/** @param {any} [body] */
export const post = async (path, body) =>
  (await ask(path, { method: "POST", body })).body;

/** The path of something of a person. */
export const of = (person, rest) => `/v1/recipients/${encodeURIComponent(person)}${rest}`;

/** A query, without what is empty.
 * @param {Record<string, any>} values */
export function query(values) {
  const given = Object.entries(values).filter(([, value]) => value || value === 0);
  const text = String(new URLSearchParams(given.map(([name, value]) => [name, String(value)])));
  // A plus sign is one, where a form would say a space by it.
  return given.length ? `?${text.replaceAll("+", "%20")}` : "";
}
