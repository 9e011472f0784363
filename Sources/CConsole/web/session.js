// The session of this tab. Its token was issued for a ticket, or pasted by the user.

const KEY = "chimed.token";
const FROM_TICKET = "chimed.ticket";

export const token = () => sessionStorage.getItem(KEY);
export const bearer = () => ({ authorization: `Bearer ${token()}` });

/** @type {{scope: string, recipient: string|null, version: string, images: string[]}|null} */
let current = null;

export const session = () => current;
export const isPerson = () => current?.recipient != null;
export const mayAdminister = () => current?.scope === "admin";
export const maySeePeople = () => current?.scope === "admin" || current?.scope === "support";

/** Decodes a part of an address; returns a malformed part unchanged. */
export function decodePart(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function storeToken(text, isFromTicket = false) {
  sessionStorage.setItem(KEY, text);
  if (isFromTicket) sessionStorage.setItem(FROM_TICKET, "yes");
}

export function clearSession() {
  current = null;
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(FROM_TICKET);
}

/** Removes the ticket from the address and the history. The address of a page stays.
 * @returns {string|undefined} the ticket, if there is one */
export function takeTicket() {
  const [, ticket, page] = /^#t=([^/]+)(\/.*)?$/.exec(location.hash) ?? [];
  if (!ticket) return undefined;
  history.replaceState(null, "", `${location.pathname}${page ? `#${page}` : ""}`);
  return decodePart(ticket);
}

/** Exchanges a ticket for a token. On failure the current session stays.
 * @param {string} ticket */
export async function exchangeTicket(ticket) {
  const answer = await fetch("/v1/console/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ticket }),
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.detail ?? body.title ?? answer.statusText);
  clearSession();
  storeToken(body.token, true);
}

/** Loads the session of the stored token; returns false if it is not valid. */
export async function identify() {
  // A token with other characters cannot be sent in a header.
  if (!/^[!-~]+$/.test(token() ?? "")) {
    clearSession();
    return false;
  }
  const answer = await fetch("/v1/console/session", { headers: bearer() });
  if (answer.status === 401) {
    clearSession();
    return false;
  }
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  current = await answer.json();
  return true;
}

const PERSON_KEYS = /^chimed\.(opened$|draft )/;

/** Signs out. Revokes a token that was issued for a ticket, but not a pasted one. */
export async function signOut() {
  if (sessionStorage.getItem(FROM_TICKET)) {
    await fetch("/v1/console/session", { method: "DELETE", headers: bearer() })
      .catch(() => null);
  }
  for (const key of Object.keys(sessionStorage)) {
    if (PERSON_KEYS.test(key)) sessionStorage.removeItem(key);
  }
  clearSession();
}
