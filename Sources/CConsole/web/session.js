// Who is signed in: a token of this tab, which a ticket was exchanged for or somebody pasted.

const KEY = "chimed.token";
const ISSUED = "chimed.issued";

export const token = () => sessionStorage.getItem(KEY);
export const bearer = () => ({ authorization: `Bearer ${token()}` });

/** @type {{scope: string, recipient: string|null, version: string, images: string[]}|null} */
let known = null;

export const session = () => known;
export const isPerson = () => known?.recipient != null;
export const mayAdminister = () => known?.scope === "admin";
export const maySeePeople = () => known?.scope === "admin" || known?.scope === "support";

/** A part of an address as it was before it was written into one; as it stands where it is none. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function keep(text, issued = false) {
  sessionStorage.setItem(KEY, text);
  if (issued) sessionStorage.setItem(ISSUED, "yes");
}

export function forget() {
  known = null;
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(ISSUED);
}

/** Takes the ticket out of the address, where it must not stay; the page that is named behind it
 * stays there.
 * @returns {string|undefined} nothing where there is no ticket */
export function takeTicket() {
  const [, ticket, place] = /^#t=([^/]+)(\/.*)?$/.exec(location.hash) ?? [];
  if (!ticket) return undefined;
  history.replaceState(null, "", `${location.pathname}${place ? `#${place}` : ""}`);
  return decoded(ticket);
}

/** Exchanges a ticket for a token; who was signed in stays so unless there is one.
 * @param {string} ticket */
export async function exchange(ticket) {
  const answer = await fetch("/v1/console/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ticket }),
  });
  const document = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(document.detail ?? document.title ?? answer.statusText);
  forget();
  keep(document.token, true);
}

/** Asks the service who the token's bearer is; false if it does not hold. */
export async function identify() {
  // What no header can hold is no token either.
  if (!/^[!-~]+$/.test(token() ?? "")) {
    forget();
    return false;
  }
  const answer = await fetch("/v1/console/session", { headers: bearer() });
  if (answer.status === 401) {
    forget();
    return false;
  }
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  known = await answer.json();
  return true;
}

/** What is kept in the tab of the people that were looked at. */
const PEOPLES = /^chimed\.(opened$|draft )/;

/** Ends the token too, if it was made for this tab. */
export async function leave() {
  if (sessionStorage.getItem(ISSUED)) {
    await fetch("/v1/console/session", { method: "DELETE", headers: bearer() })
      .catch(() => null);
  }
  for (const key of Object.keys(sessionStorage)) {
    if (PEOPLES.test(key)) sessionStorage.removeItem(key);
  }
  forget();
}
