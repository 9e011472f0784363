// What goes out or is left out, as items for people.

/**
 * One item for what goes out on several ways at once.
 * @param {any[]} timeline
 * @param {Set<string>} known what can be snoozed and cancelled
 */
export function merged(timeline, known = new Set()) {
  /** @type {Map<string, any>} */
  const items = new Map();
  for (const entry of timeline) {
    const key = `${entry.id} ${entry.at} ${entry.outcome}`;
    const twin = items.get(key);
    if (twin) twin.channels = [...new Set([...twin.channels, ...entry.channels])];
    else items.set(key, { ...entry, state: state(entry), isKnown: known.has(entry.id) });
  }
  return [...items.values()];
}

function state(entry) {
  if (entry.outcome === "dropped") return "dropped";
  return entry.at === entry.planned ? "goes" : "moved";
}
