// What a message says is the person's own: others see it when they ask for it, and that is noted.

import { of, post } from "./api.js";
import { h, said, show } from "./dom.js";
import { isPerson, token } from "./session.js";
import { button } from "./states.js";
import { t } from "./words.js";

/** Of whom the texts have been asked for since the page was loaded, each with who has. */
const asked = new Set();
const mark = person => `${token()} ${person}`;

/** Where the way to see them is. */
let place = null;

export const isShown = person => isPerson() || asked.has(mark(person));

export const body = (text, person) =>
  text && isShown(person) ? h("p", { class: "text" }, said(text)) : null;

/** The way to see them; nothing where they are seen. */
export function texts(person) {
  place = h("div", null, isShown(person) ? null : way(person));
  return place;
}

const way = person => button(t("text.show"), async () => {
  await post(of(person, "/text-views"));
  asked.add(mark(person));
  dispatchEvent(new HashChangeEvent("hashchange"));
});

/**
 * Notes what the service has answered: where all is empty it does not know any more that they were
 * asked for, as after a restart, and the way is there again.
 * @param {any[]} answered
 */
export function note(answered, person) {
  if (isPerson() || !answered.length || answered.some(Boolean)) return;
  if (asked.delete(mark(person))) show(place, way(person));
}
