// Requests to the service's HTTP API.

import { bearer, clearSession } from "./session.js";
import { setServiceTime } from "./times.js";

/** An error response (RFC 9457), or an unreachable service. */
export class Problem extends Error {
  /** @param {number} status 0 if the service is unreachable
   * @param {string} title
   * @param {string} [detail] */
  constructor(status, title, detail = "") {
    super(title);
    this.status = status;
    this.detail = detail;
  }

  get isUnreachable() { return this.status === 0 || this.status === 502 || this.status === 503; }
}

/**
 * Sends a request; the answer 401 ends the session.
 * @typedef {{method?: string, body?: any, version?: string|null}} RequestOptions
 * @param {RequestOptions} [options]
 * @returns {Promise<{body: any, version: string|null}>} the version is the header ETag
 * @throws {Problem}
 */
export async function request(path, options = {}) {
  /** @type {Record<string, string>} */
  const headers = bearer();
  if (options.body !== undefined) headers["content-type"] = "application/json";
  if (options.version) headers["if-match"] = options.version;
  const answer = await fetch(path, {
    method: options.method, headers, body: JSON.stringify(options.body), cache: "no-store",
  }).catch(() => { throw new Problem(0, "unreachable"); });
  setServiceTime(answer.headers.get("date"));
  const body = parseBody(await answer.text());
  if (answer.ok) return { body, version: answer.headers.get("etag") };
  if (answer.status === 401) {
    clearSession();
    dispatchEvent(new Event("signedout"));
  }
  throw new Problem(answer.status, body?.title ?? answer.statusText, body?.detail);
}

function parseBody(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const get = async path => (await request(path)).body;

/** @param {any} [body] */
export const post = async (path, body) =>
  (await request(path, { method: "POST", body })).body;

export const personPath = (person, rest) =>
  `/v1/recipients/${encodeURIComponent(person)}${rest}`;

/** Returns the query string of the values that are not empty.
 * @param {Record<string, any>} values */
export function query(values) {
  const entries = Object.entries(values).filter(([, value]) => value || value === 0);
  const text = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
  // The service reads "+" as a plus sign, not as a space.
  return entries.length ? `?${text.replaceAll("+", "%20")}` : "";
}
