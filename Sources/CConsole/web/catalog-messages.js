// Previews of a catalog's messages in every language and on every channel, with the missing
// translations.

import { autoText, h, id } from "./dom.js";
import { card, soft } from "./parts.js";
import { empty } from "./states.js";
import { number, t, word } from "./words.js";

/** The reminders whose previews stay open after a redraw. */
const openReminders = new Set();

/** @param {{languages: string[], reminders: any[]}} answer */
export const messages = ({ languages, reminders }) => card(t("messages"),
  soft(t("messages.about")),
  reminders.length ? reminders.map(entry => reminder(entry, languages)) : empty(t("days.empty")));

function reminder(entry, languages) {
  const gaps = entry.messages.reduce((sum, texts) => sum + languages.length - texts.length, 0);
  return h("details", {
    open: openReminders.has(entry.reminder),
    ontoggle: event => openReminders[event.target.open ? "add" : "delete"](entry.reminder),
  }, h("summary", null, id(entry.reminder), " ", h("small", null, number(entry.messages.length)),
    gaps > 0 && h("span", { class: "moved" },
      " ◐ ", t("messages.gaps", { count: gaps }))),
  entry.messages.map(texts => h("ul", { class: "plain list" }, languages.map(language => {
    const text = texts.find(other => other.language === language);
    return h("li", { lang: text && language }, h("small", null, id(language)), " ",
      text ? h("div", { class: "previews" },
        entry.channels.map(channel => preview(channel, text, entry)))
        : h("span", { class: "moved" }, "◐ ", t("messages.none")));
  }))));
}

function preview(channel, { title, body, email }, entry) {
  const contents = {
    push: () => [h("b", null, autoText(title)), h("p", null, autoText(body))],
    sms: () => h("p", null, autoText(title), h("br"), autoText(body)),
    email: () => [h("p", null, h("small", null, t("preview.subject")), " ",
      h("b", null, autoText(email?.subject ?? title))),
    h("p", { class: "letter", dir: "auto" }, email?.text ?? body)],
    inapp: () => h("div", { class: "note unread" },
      h("span", { class: "avatar", "aria-hidden": "true" }, entry.category.slice(0, 1)),
      h("p", { class: "text" }, autoText(body || title))),
  }[channel];
  return h("figure", { class: `preview ${channel}` },
    h("figcaption", { lang: document.documentElement.lang }, word("channel", channel)), contents());
}
