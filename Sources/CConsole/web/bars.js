// A histogram of how late people had their turn, and what it says in words.

import { h, svg } from "./dom.js";
import { isRightToLeft, language, number, t } from "./words.js";

const HEIGHT = 120;

/** @param {{bounds: number[], counts: number[]}} lateness counts has one more, for what is later */
export function bars(lateness) {
  const total = lateness.counts.reduce((sum, count) => sum + count, 0);
  if (!total) return h("p", { class: "empty" }, t("late.empty"));
  const most = Math.max(...lateness.counts);
  const width = 100 / lateness.counts.length;
  return [
    h("p", null, t("late.words", {
      count: number(total), half: short(quantile(lateness, 0.5)),
      most: short(quantile(lateness, 0.99)),
    })),
    svg("svg", { class: "bars", height: HEIGHT + 20, "aria-hidden": "true" },
      lateness.counts.map((count, index) => {
        const size = count / most * (HEIGHT - 20);
        const place = isRightToLeft() ? lateness.counts.length - 1 - index : index;
        const middle = `${(place + 0.5) * width}%`;
        return [
          svg("rect", { x: `${(place + 0.1) * width}%`, width: `${width * 0.8}%`, rx: 2,
            y: HEIGHT - size, height: size }),
          count > 0 && svg("text", { x: middle, y: HEIGHT - size - 4 }, number(count)),
          index % 2 === 0 && svg("text", { x: middle, y: HEIGHT + 16 },
            lateness.bounds[index] ? short(lateness.bounds[index]) : "…"),
        ];
      })),
  ];
}

/** The bound below which a part of all lies.
 * @param {{bounds: number[], counts: number[]}} lateness */
export function quantile(lateness, part) {
  const wanted = part * lateness.counts.reduce((sum, count) => sum + count, 0);
  let sum = 0;
  for (const [index, count] of lateness.counts.entries()) {
    sum += count;
    if (sum >= wanted) return lateness.bounds[index] ?? Infinity;
  }
  return Infinity;
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
