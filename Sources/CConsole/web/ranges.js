// Formats integers in ascending order; consecutive integers become a range: "0–3, 7".

/** @param {number[]} numbers */
export function ranges(numbers) {
  /** @type {[number, number][]} */
  const found = [];
  for (const next of [...numbers].sort((one, other) => one - other)) {
    const last = found[found.length - 1];
    if (last && next === last[1] + 1) last[1] = next;
    else found.push([next, next]);
  }
  return found.map(([from, to]) => from === to ? `${from}` : `${from}–${to}`).join(", ");
}
