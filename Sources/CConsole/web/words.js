// What the page says, in the reader's language.

import days from "./words-days.js";
import frame from "./words-frame.js";
import service from "./words-service.js";
import settings from "./words-settings.js";
import urbannest from "./words-urbannest.js";

/** @type {Record<string, string[]>} */
const texts = { ...frame, ...days, ...settings, ...urbannest, ...service };
const KEY = "chimed.language";

/** In the order in which each text is there in them. */
export const languages = { en: "English", ar: "العربية", de: "Deutsch" };
const tags = Object.keys(languages);

let current = "en";

export const language = () => current;
export const isRightToLeft = () => current === "ar";

/** @param {string} [wanted] */
export function speak(wanted) {
  if (wanted) localStorage.setItem(KEY, wanted);
  const own = [localStorage.getItem(KEY), ...navigator.languages];
  current = own.map(tag => (tag ?? "").slice(0, 2)).find(tag => tags.includes(tag)) ?? "en";
  document.documentElement.lang = current;
  document.documentElement.dir = isRightToLeft() ? "rtl" : "ltr";
}

/** @param {Record<string, any>} [values] for the places in braces */
export function t(key, values = {}) {
  const text = texts[key]?.[tags.indexOf(current)] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** A word of the service's own, such as a gate's name; as it is if there is none for it. */
export function word(kind, name) {
  const key = `${kind}.${name}`;
  return key in texts ? t(key) : name.replaceAll("_", " ");
}

export const number = value => new Intl.NumberFormat(current).format(value);
