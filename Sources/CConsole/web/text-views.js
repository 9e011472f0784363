// The texts of messages are private: to see another person's texts, a user must request them, and
// the service records the request.

import { personPath, post } from "./api.js";
import { autoText, h, show } from "./dom.js";
import { isPerson, token } from "./session.js";
import { button } from "./states.js";
import { t } from "./words.js";

/** The token and the person of each request since the page was loaded. */
const requested = new Set();
const keyOf = person => `${token()} ${person}`;

let container = null;

export const mayShowTexts = person => isPerson() || requested.has(keyOf(person));

export const messageBody = (text, person) =>
  text && mayShowTexts(person) ? h("p", { class: "text" }, autoText(text)) : null;

export function textsButton(person) {
  container = h("div", null, mayShowTexts(person) ? null : showButton(person));
  return container;
}

const showButton = person => button(t("texts.show"), async () => {
  await post(personPath(person, "/text-views"));
  requested.add(keyOf(person));
  dispatchEvent(new HashChangeEvent("hashchange"));
});

/** Shows the button again if all texts of an answer are empty, because a restarted service has
 * forgotten the requests.
 * @param {any[]} texts */
export function checkTexts(texts, person) {
  if (isPerson() || !texts.length || texts.some(Boolean)) return;
  if (requested.delete(keyOf(person))) show(container, showButton(person));
}
