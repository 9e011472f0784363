// A histogram of how late people had their turn, and what it says in words.

import { h, svg } from "./dom.js";
import { empty } from "./states.js";
import { isRightToLeft, language, number, t } from "./words.js";

const HEIGHT = 120;

/** Counts has one more than bounds, for what is later.
 * @typedef {{bounds: number[], counts: number[]}} Histogram */

/** @param {Histogram} lateness */
export function bars({ bounds, counts }) {
  const most = Math.max(...counts);
  if (!most) return empty(t("late.empty"));
  const within = part => short(quantile({ bounds, counts }, part));
  const width = 100 / counts.length;
  return [
    h("p", null, t("late.words", {
      count: number(sum(counts)), half: within(0.5), most: within(0.99),
    })),
    svg("svg", { class: "bars", height: HEIGHT + 20, "aria-hidden": "true" },
      counts.map((count, index) => {
        const size = count / most * (HEIGHT - 20);
        const place = isRightToLeft() ? counts.length - 1 - index : index;
        const middle = `${(place + 0.5) * width}%`;
        return [
          svg("rect", { x: `${(place + 0.1) * width}%`, width: `${width * 0.8}%`, rx: 2,
            y: HEIGHT - size, height: size }),
          count > 0 && svg("text", { x: middle, y: HEIGHT - size - 4 }, number(count)),
          index % 2 === 0 && svg("text", { x: middle, y: HEIGHT + 16 },
            short(bounds[index] ?? Infinity)),
        ];
      })),
  ];
}

/** @param {number[]} counts */
export const sum = counts => counts.reduce((all, count) => all + count, 0);

/** The bound below which a part of all lies.
 * @param {Histogram} lateness */
export function quantile({ bounds, counts }, part) {
  const wanted = part * sum(counts);
  let below = 0;
  return bounds[counts.findIndex(count => (below += count) >= wanted)] ?? Infinity;
}

export function short(seconds) {
  if (seconds === Infinity) return "…";
  const [unit, value] = seconds < 1 ? ["millisecond", seconds * 1_000]
    : seconds < 60 ? ["second", seconds] : seconds < 3_600 ? ["minute", seconds / 60]
      : ["hour", seconds / 3_600];
  return new Intl.NumberFormat(language(), {
    style: "unit", unit: String(unit), unitDisplay: "narrow", maximumFractionDigits: 1,
  }).format(Number(value));
}
