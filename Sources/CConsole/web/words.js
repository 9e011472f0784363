// Translates texts. A browser loads the words files of one language only.

/** @type {Record<string, string>} */
let texts = {};
const KEY = "chimed.language";

/** @type {Record<string, string>} */
export const languages = { en: "English", ar: "العربية", de: "Deutsch" };

let current = "";
/** The parts that were loaded later, such as "why". */
let loadedParts = new Set();

export const language = () => current || "en";
export const isRightToLeft = () => current === "ar";

const load = async (name, tag) => (await import(`./${name}-${tag}.js`)).default;

/**
 * Loads the texts of a language: the wanted language, else the stored one, else the first of the
 * browser's languages that the console has, else English.
 * @param {string} [wanted] stored for later visits
 */
export async function setLanguage(wanted) {
  if (wanted) localStorage.setItem(KEY, wanted);
  const tags = [localStorage.getItem(KEY), ...navigator.languages];
  const next = tags.map(tag => (tag ?? "").slice(0, 2)).find(tag => tag in languages) ?? "en";
  if (next === current) return;
  const parts = await Promise.all(["words", "words-service"].map(name => load(name, next)));
  texts = Object.assign({}, ...parts);
  current = next;
  loadedParts = new Set();
  document.documentElement.lang = current;
  document.documentElement.dir = isRightToLeft() ? "rtl" : "ltr";
}

/**
 * Loads further texts of the current language.
 * @param {"operator"|"health"|"settings"|"why"|"audit"} part
 */
export async function loadTexts(part) {
  if (loadedParts.has(part)) return;
  Object.assign(texts, await load(`words-${part}`, current));
  loadedParts.add(part);
}

/**
 * The text of a key; the key itself if there is none. A placeholder is "{name}" or has plural forms
 * (CLDR), in which # is the number: "{name|one:# day|other:# days}".
 * @param {Record<string, any>} [values] the values of the placeholders; numbers are formatted
 */
export function t(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)((?:\|[^|}]+)*)\}/g, (_, name, forms) => {
    const value = values[name] ?? "";
    const text = typeof value === "number" ? number(value) : String(value);
    return forms ? plural(value, forms).replace("#", text) : text;
  });
}

/** @param {string} forms such as "|one:# day|other:# days" */
function plural(count, forms) {
  const category = new Intl.PluralRules(language()).select(Number(count));
  const form = name => forms.split("|").find(text => text.startsWith(`${name}:`));
  const found = form(category) ?? form("other") ?? "";
  return found.slice(found.indexOf(":") + 1);
}

/** Translates an identifier of the API, such as that of a gate; returns the identifier, with
 * spaces, if there is no text. */
export function word(kind, name) {
  const key = `${kind}.${name}`;
  return hasText(key) ? t(key) : name.replaceAll("_", " ");
}

/** @param {string[]} names */
export const wordList = (kind, names) => names.map(name => word(kind, name)).join(", ");

export const hasText = key => key in texts;

export const number = value => new Intl.NumberFormat(language()).format(value);
