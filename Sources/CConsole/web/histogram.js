// A histogram of how late notifications were sent, and a text with two quantiles.

import { h, svg } from "./dom.js";
import { empty } from "./states.js";
import { isRightToLeft, language, number, t } from "./words.js";

const HEIGHT = 120;

/** A count for each upper bound (in seconds), and one for values above all bounds.
 * @typedef {{bounds: number[], counts: number[]}} Histogram */

/** @param {Histogram} lateness */
export function histogram({ bounds, counts }) {
  const max = Math.max(...counts);
  if (!max) return empty(t("lateness.empty"));
  const within = share => shortDuration(quantile({ bounds, counts }, share));
  const width = 100 / counts.length;
  return [
    h("p", null, t("lateness.summary", {
      count: sum(counts), half: within(0.5), most: within(0.99),
    })),
    svg("svg", { class: "bars", height: HEIGHT + 20, "aria-hidden": "true" },
      counts.map((count, index) => {
        const size = count / max * (HEIGHT - 20);
        const column = isRightToLeft() ? counts.length - 1 - index : index;
        const middle = `${(column + 0.5) * width}%`;
        return [
          svg("rect", { x: `${(column + 0.1) * width}%`, width: `${width * 0.8}%`, rx: 2,
            y: HEIGHT - size, height: size }),
          count > 0 && svg("text", { x: middle, y: HEIGHT - size - 4 }, number(count)),
          index % 2 === 0 && svg("text", { x: middle, y: HEIGHT + 16 },
            shortDuration(bounds[index] ?? Infinity)),
        ];
      })),
  ];
}

/** @param {number[]} counts */
export const sum = counts => counts.reduce((total, count) => total + count, 0);

/** The smallest bound that is not below the quantile; Infinity if all bounds are below it.
 * @param {Histogram} lateness */
export function quantile({ bounds, counts }, share) {
  const rank = share * sum(counts);
  let below = 0;
  return bounds[counts.findIndex(count => (below += count) >= rank)] ?? Infinity;
}

export function shortDuration(seconds) {
  if (seconds === Infinity) return "…";
  const [unit, value] = seconds < 1 ? ["millisecond", seconds * 1_000]
    : seconds < 60 ? ["second", seconds] : seconds < 3_600 ? ["minute", seconds / 60]
      : ["hour", seconds / 3_600];
  return new Intl.NumberFormat(language(), {
    style: "unit", unit: String(unit), unitDisplay: "narrow", maximumFractionDigits: 1,
  }).format(Number(value));
}
