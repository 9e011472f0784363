// Formats ascending integers; consecutive ones become a range: "0–3, 7".

/** @param {number[]} numbers */
export function ranges(numbers) {
  /** @type {[number, number][]} */
  const result = [];
  for (const next of [...numbers].sort((a, b) => a - b)) {
    const last = result[result.length - 1];
    if (last && next === last[1] + 1) last[1] = next;
    else result.push([next, next]);
  }
  return result.map(([from, to]) => from === to ? `${from}` : `${from}–${to}`).join(", ");
}
