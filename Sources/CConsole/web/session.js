// The session of this tab: a token that a ticket gave or a user pasted.

const KEY = "chimed.token";
const ISSUED = "chimed.issued";

export const token = () => sessionStorage.getItem(KEY);
export const bearer = () => ({ authorization: `Bearer ${token()}` });

/** @type {{scope: string, recipient: string|null, version: string, images: string[]}|null} */
let current = null;

export const session = () => current;
export const isPerson = () => current?.recipient != null;
export const mayAdminister = () => current?.scope === "admin";
export const maySeePeople = () => current?.scope === "admin" || current?.scope === "support";

/** Decodes a part of an address; returns it unchanged if it is malformed. */
export function decodePart(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function storeToken(text, issued = false) {
  sessionStorage.setItem(KEY, text);
  if (issued) sessionStorage.setItem(ISSUED, "yes");
}

export function clearSession() {
  current = null;
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(ISSUED);
}

/** Removes the ticket from the address, so that no history keeps it; the page behind it
 * stays.
 * @returns {string|undefined} the ticket, if there is one */
export function takeTicket() {
  const [, ticket, page] = /^#t=([^/]+)(\/.*)?$/.exec(location.hash) ?? [];
  if (!ticket) return undefined;
  history.replaceState(null, "", `${location.pathname}${page ? `#${page}` : ""}`);
  return decodePart(ticket);
}

/** Exchanges a ticket for a token; on failure the current session stays.
 * @param {string} ticket */
export async function exchangeTicket(ticket) {
  const answer = await fetch("/v1/console/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ticket }),
  });
  const document = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(document.detail ?? document.title ?? answer.statusText);
  clearSession();
  storeToken(document.token, true);
}

/** Loads the session of the token; false if the token is not valid. */
export async function identify() {
  // Other characters cannot be sent in a header.
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

/** Keys of session storage that hold data about people. */
const PERSON_KEYS = /^chimed\.(opened$|draft )/;

/** Signs out; revokes the token if a ticket issued it for this tab. */
export async function signOut() {
  if (sessionStorage.getItem(ISSUED)) {
    await fetch("/v1/console/session", { method: "DELETE", headers: bearer() })
      .catch(() => null);
  }
  for (const key of Object.keys(sessionStorage)) {
    if (PERSON_KEYS.test(key)) sessionStorage.removeItem(key);
  }
  clearSession();
}
