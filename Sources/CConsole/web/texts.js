// What a message says is the person's own: others see it when they ask for it, and that is noted.

import { ask, of } from "./api.js";
import { button, h, said } from "./dom.js";
import { isPerson } from "./session.js";
import { complain } from "./states.js";
import { t } from "./words.js";

/** Of whom the texts have been asked for since the page was loaded. */
const asked = new Set();

export const isShown = person => isPerson() || asked.has(person);

export const body = (text, person) =>
  text && isShown(person) ? h("p", { class: "text" }, said(text)) : null;

/** The way to see them; nothing where they are seen. */
export function texts(person) {
  if (isShown(person)) return null;
  return button(t("text.show"), async () => {
    try {
      await ask(of(person, "/text-views"), { method: "POST" });
      asked.add(person);
      dispatchEvent(new HashChangeEvent("hashchange"));
    } catch (error) {
      complain(error);
    }
  });
}
