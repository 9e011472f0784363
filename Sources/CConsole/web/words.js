// What the page says, in the reader's language; of each file a browser loads that of one.

/** @type {Record<string, string>} */
let texts = {};
const KEY = "chimed.language";

/** @type {Record<string, string>} */
export const languages = { en: "English", ar: "العربية", de: "Deutsch" };
const loaders = {
  en: () => [import("./words-en.js"), import("./words-service-en.js")],
  ar: () => [import("./words-ar.js"), import("./words-service-ar.js")],
  de: () => [import("./words-de.js"), import("./words-service-de.js")],
};

/** For what few open. */
const further = {
  desk: {
    en: () => import("./words-desk-en.js"),
    ar: () => import("./words-desk-ar.js"),
    de: () => import("./words-desk-de.js"),
  },
  health: {
    en: () => import("./words-health-en.js"),
    ar: () => import("./words-health-ar.js"),
    de: () => import("./words-health-de.js"),
  },
  why: {
    en: () => import("./words-why-en.js"),
    ar: () => import("./words-why-ar.js"),
    de: () => import("./words-why-de.js"),
  },
};

let current = "";
/** Which of the further ones are there. */
let there = new Set();

export const language = () => current || "en";
export const isRightToLeft = () => current === "ar";

/** @param {string} [wanted] */
export async function speak(wanted) {
  if (wanted) localStorage.setItem(KEY, wanted);
  const own = [localStorage.getItem(KEY), ...navigator.languages];
  const next = own.map(tag => (tag ?? "").slice(0, 2)).find(tag => tag in languages) ?? "en";
  if (next === current) return;
  const parts = await Promise.all(loaders[/** @type {keyof typeof loaders} */ (next)]());
  texts = Object.assign({}, ...parts.map(part => part.default));
  current = next;
  there = new Set();
  document.documentElement.lang = current;
  document.documentElement.dir = isRightToLeft() ? "rtl" : "ltr";
}

/**
 * Loads further words of the language.
 * @param {keyof typeof further} part
 */
export async function speakAlso(part) {
  if (there.has(part)) return;
  const rest = await further[part][/** @type {keyof typeof loaders} */ (current)]();
  Object.assign(texts, rest.default);
  there.add(part);
}

/** @param {Record<string, any>} [values] for the places in braces */
export function t(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** A word of the service's own, such as a gate's name; as it is if there is none for it. */
export function word(kind, name) {
  const key = `${kind}.${name}`;
  return key in texts ? t(key) : name.replaceAll("_", " ");
}

/** Whether there are words for it. */
export const isSaid = key => key in texts;

export const number = value => new Intl.NumberFormat(language()).format(value);
