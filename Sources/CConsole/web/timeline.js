// Merges the timeline entries of several channels at the same instant into one item.

/**
 * @param {any[]} timeline
 * @param {Set<string>} known ids that can be snoozed and cancelled
 */
export function timelineItems(timeline, known = new Set()) {
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
