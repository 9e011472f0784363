// What the reminders of a catalog say, in every language, and what is not said in one.

import { h, id, said } from "./dom.js";
import { empty } from "./states.js";
import { number, t } from "./words.js";

/** Which are open, over what is drawn anew. */
const opened = new Set();

/** @param {{languages: string[], reminders: any[]}} answer */
export function messages({ languages, reminders }) {
  return h("section", { class: "card" }, h("h2", null, t("messages")),
    h("p", { class: "soft" }, t("messages.about")),
    reminders.length ? reminders.map(one => reminder(one, languages)) : empty(t("days.empty")));
}

function reminder(one, languages) {
  const gaps = one.messages.reduce(
    (sum, texts) => sum + languages.length - texts.length, 0);
  return h("details", {
    open: opened.has(one.reminder),
    ontoggle: event => opened[event.target.open ? "add" : "delete"](one.reminder),
  }, h("summary", null, id(one.reminder), " ", h("small", null, number(one.messages.length)),
    gaps > 0 && h("span", { class: "moved" }, " ◐ ", t("messages.gaps",
      { count: number(gaps) }))),
  one.messages.map(texts => h("ul", { class: "plain list" }, languages.map(language => {
    const text = texts.find(other => other.language === language);
    return h("li", { lang: text && language }, h("small", null, id(language)), " ",
      text ? [h("b", null, said(text.title)), h("p", null, said(text.body))]
        : h("span", { class: "moved" }, "◐ ", t("messages.none")));
  }))));
}
