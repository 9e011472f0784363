// The titles of the categories in the reader's language, from the schema of a person's settings.

import { get, personPath, query } from "./api.js";
import { language } from "./words.js";

/** Titles by the path that they were loaded from.
 * @type {Map<string, Promise<Record<string, string>>>} */
const cache = new Map();

/** Returns the titles by category name; none if they cannot be loaded. */
export function categoryTitles(person) {
  const path = personPath(person, `/preferences/schema${query({ language: language() })}`);
  const titles = cache.get(path) ?? get(path).then(schema => Object.fromEntries(
    Object.entries(schema.properties?.categories?.properties ?? {})
      .map(([name, category]) => [name, category.title ?? name])))
    .catch(() => {
      cache.delete(path);
      return {};
    });
  cache.set(path, titles);
  return titles;
}
