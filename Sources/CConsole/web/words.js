// What the page says, in the reader's language; of each file a browser loads that of one.

/** @type {Record<string, string>} */
let texts = {};
const KEY = "chimed.language";

/** @type {Record<string, string>} */
export const languages = { en: "English", ar: "العربية", de: "Deutsch" };

let current = "";
/** Which of those for what few open are there. */
let there = new Set();

export const language = () => current || "en";
export const isRightToLeft = () => current === "ar";

const load = async (name, tag) => (await import(`./${name}-${tag}.js`)).default;

/** @param {string} [wanted] */
export async function speak(wanted) {
  if (wanted) localStorage.setItem(KEY, wanted);
  const own = [localStorage.getItem(KEY), ...navigator.languages];
  const next = own.map(tag => (tag ?? "").slice(0, 2)).find(tag => tag in languages) ?? "en";
  if (next === current) return;
  const parts = await Promise.all(["words", "words-service"].map(name => load(name, next)));
  texts = Object.assign({}, ...parts);
  current = next;
  there = new Set();
  document.documentElement.lang = current;
  document.documentElement.dir = isRightToLeft() ? "rtl" : "ltr";
}

/**
 * Loads further words of the language.
 * @param {"desk"|"health"|"why"} part
 */
export async function speakAlso(part) {
  if (there.has(part)) return;
  Object.assign(texts, await load(`words-${part}`, current));
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
  return isSaid(key) ? t(key) : name.replaceAll("_", " ");
}

/** @param {string[]} names */
export const listed = (kind, names) => names.map(name => word(kind, name)).join(", ");

/** Whether there are words for it. */
export const isSaid = key => key in texts;

export const number = value => new Intl.NumberFormat(language()).format(value);
