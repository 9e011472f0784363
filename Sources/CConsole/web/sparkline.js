// Delivered and failed deliveries as small bars, with their sums as text.

import { h, svg } from "./dom.js";
import { sum } from "./histogram.js";
import { isRightToLeft, t } from "./words.js";

const HEIGHT = 28;
const WIDTH = 2;

/** @param {{delivered: number[], failed: number[]}} counts one for each span */
export function sparkline({ delivered, failed }) {
  const most = Math.max(1, ...delivered.map((count, minute) => count + failed[minute]));
  const text = t("sparkline", { delivered: sum(delivered), failed: sum(failed) });
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
