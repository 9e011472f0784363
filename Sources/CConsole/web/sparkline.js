// Delivered and failed deliveries as small bars, and the sums as text.

import { h, svg } from "./dom.js";
import { sum } from "./histogram.js";
import { isRightToLeft, t } from "./words.js";

const HEIGHT = 28;
const WIDTH = 2;

/** @param {{delivered: number[], failed: number[]}} counts one number for each time span */
export function sparkline({ delivered, failed }) {
  const most = Math.max(1, ...delivered.map((count, index) => count + failed[index]));
  const text = t("sparkline", { delivered: sum(delivered), failed: sum(failed) });
  const last = delivered.length - 1;
  const bar = (kind, index, from, count) => count > 0 && svg("rect", {
    class: kind, x: (isRightToLeft() ? last - index : index) * WIDTH, width: WIDTH,
    y: HEIGHT - (from + count) / most * HEIGHT, height: count / most * HEIGHT,
  });
  return [svg("svg", { class: "spark", "aria-hidden": "true",
    width: delivered.length * WIDTH, height: HEIGHT },
  svg("rect", { class: "track", y: HEIGHT - 1, width: "100%", height: 1 }),
  delivered.map((count, index) => [bar("failed", index, count, failed[index]),
    bar("goes", index, 0, count)])), h("small", null, text)];
}
