// A day as a strip: quiet hours are shaded, notifications are dots. Screen readers skip
// strips, and read the list of occurrences.

import { svg } from "./dom.js";
import { clock } from "./times.js";
import { isRightToLeft } from "./words.js";

const HOUR = 3_600_000;

/** @typedef {{start: string, end: string}} Span */

/** The position of an instant on a day, in percent of the day's length (23 to 25 hours).
 * @param {Span} day */
export function position(instant, day) {
  const start = Date.parse(day.start);
  const fraction = (Date.parse(instant) - start) / (Date.parse(day.end) - start);
  return Math.min(Math.max(fraction * 100, 0), 100);
}

const x = percent => `${(isRightToLeft() ? 100 - percent : percent).toFixed(2)}%`;

/** @param {Record<string, any>} attributes */
const verticalLine = (kind, percent, attributes) =>
  svg("line", { class: kind, x1: percent, x2: percent, ...attributes });

/**
 * @param {Span} day
 * @param {Span[]} quiet
 * @param {{at: string, planned: string, state: string}[]} items
 * @param {string|null} now
 */
export function strip(day, quiet, items, now) {
  const at = instant => x(position(instant, day));
  const hours = (Date.parse(day.end) - Date.parse(day.start)) / HOUR;
  return svg("svg", { class: "strip", "aria-hidden": "true", height: 36 },
    svg("rect", { class: "track", x: 0, y: 10, width: "100%", height: 16, rx: 4 }),
    quiet.map(span => band(day, span)),
    [6, 12, 18].filter(hour => hour < hours).map(hour =>
      verticalLine("tick", x(hour / hours * 100), { y1: 10, y2: 26 })),
    items.filter(item => item.state === "moved").map(({ planned, at: actual }) => [
      svg("line", { class: "shift", x1: at(planned), x2: at(actual), y1: 18, y2: 18 }),
      planned >= day.start && planned < day.end
        && svg("circle", { class: "dot from", cx: at(planned), cy: 18, r: 5 }),
    ]),
    items.map(item =>
      svg("circle", { class: `dot ${item.state}`, cx: at(item.at), cy: 18, r: 6 })),
    now && verticalLine("now", at(now), { y1: 4, y2: 32 }));
}

export const hourAxis = () => svg("svg", { class: "axis", "aria-hidden": "true", height: 16 },
  [6, 12, 18].map(hour => svg("text", { x: x(hour / 24 * 100), y: 12 },
    clock(`2000-01-01 ${String(hour).padStart(2, "0")}:00`))));

/** @param {Span} day
 * @param {Span} span */
function band(day, span) {
  const from = position(span.start, day);
  const to = position(span.end, day);
  return to > from && svg("rect", {
    class: "night", x: x(isRightToLeft() ? to : from), width: `${(to - from).toFixed(2)}%`,
    y: 10, height: 16,
  });
}
