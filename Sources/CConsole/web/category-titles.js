// The titles of the categories in the reader's language, from a person's settings schema.

import { get, personPath, query } from "./api.js";
import { language } from "./words.js";

/** Titles by the path that they were loaded from.
 * @type {Map<string, Promise<Record<string, string>>>} */
const known = new Map();

/** Titles by category name; empty if they cannot be loaded. */
export function categoryTitles(person) {
  const path = personPath(person, `/preferences/schema${query({ language: language() })}`);
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
