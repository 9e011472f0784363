// What categories are called, as a person's settings have them in the reader's language.

import { get, of, query } from "./api.js";
import { language } from "./words.js";

/** What was answered, by what was asked.
 * @type {Map<string, Promise<Record<string, string>>>} */
const known = new Map();

/** The titles by the names; none where they cannot be had. */
export function titles(person) {
  const path = of(person, `/preferences/schema${query({ language: language() })}`);
  const found = known.get(path) ?? get(path).then(schema => Object.fromEntries(
    Object.entries(schema.properties?.categories?.properties ?? {})
      .map(([name, about]) => [name, about.title ?? name])))
    .catch(() => {
      known.delete(path);
      return {};
    });
  known.set(path, found);
  return found;
}
