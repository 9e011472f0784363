// Merges a timeline's entries into one item for each occurrence. Each part of an item has the
// channels with the same time and outcome.

/** @param {any[]} timeline
 * @param {Set<string>} known ids of occurrences that can be snoozed and cancelled */
export function timelineItems(timeline, known = new Set()) {
  /** @type {Map<string, any[]>} */
  const occurrences = new Map();
  for (const entry of timeline) {
    const parts = occurrences.get(entry.id) ?? [];
    occurrences.set(entry.id, parts);
    const equal = parts.find(part => part.at === entry.at && part.outcome === entry.outcome);
    if (equal) equal.channels = [...new Set([...equal.channels, ...entry.channels])];
    else parts.push({ ...entry, state: state(entry) });
  }
  return [...occurrences.values()].map(parts => item(parts, known))
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** An item has the time and the state of its first part that will be sent.
 * @param {any[]} parts
 * @param {Set<string>} known */
function item(parts, known) {
  const first = parts.find(part => part.state !== "dropped") ?? parts[0];
  return { ...first, isKnown: known.has(first.id),
    parts: [first, ...parts.filter(part => part !== first)] };
}

export const dots = items => items.flatMap(item =>
  item.parts.filter(part => part.state !== "dropped" || item.state === "dropped"));

function state(entry) {
  if (entry.outcome === "dropped") return "dropped";
  return entry.at === entry.planned ? "goes" : "moved";
}
