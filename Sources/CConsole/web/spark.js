// What a sink has taken and not taken, minute by minute, as small bars; and in words.

import { sum } from "./bars.js";
import { h, svg } from "./dom.js";
import { isRightToLeft, number, t } from "./words.js";

const HEIGHT = 28;
const WIDTH = 2;

/** @param {{delivered: number[], failed: number[]}} hour each with a number for each minute */
export function spark({ delivered, failed }) {
  const most = Math.max(1, ...delivered.map((count, minute) => count + failed[minute]));
  const text = t("spark", { delivered: number(sum(delivered)), failed: number(sum(failed)) });
  const last = delivered.length - 1;
  const bar = (kind, minute, from, count) => count > 0 && svg("rect", {
    class: kind, x: (isRightToLeft() ? last - minute : minute) * WIDTH, width: WIDTH,
    y: HEIGHT - (from + count) / most * HEIGHT, height: count / most * HEIGHT,
  });
  return [svg("svg", { class: "spark", "aria-hidden": "true",
    width: delivered.length * WIDTH, height: HEIGHT },
  svg("rect", { class: "track", y: HEIGHT - 1, width: "100%", height: 1 }),
  delivered.map((count, minute) => [bar("failed", minute, count, failed[minute]),
    bar("goes", minute, 0, count)])), h("small", null, text)];
}
