// A day as a strip: quiet hours shaded, a dot for each thing that goes out. For the eye alone; the
// list beside it says the same.

import { svg } from "./dom.js";
import { isRightToLeft } from "./words.js";

const HOUR = 3_600_000;

/**
 * Where an instant stands on a day, in per cent of its length; a day of 23 or 25 hours is as wide
 * as any other.
 * @param {{start: string, end: string}} day
 */
export function position(instant, day) {
  const start = Date.parse(day.start);
  const part = (Date.parse(instant) - start) / (Date.parse(day.end) - start);
  return Math.min(Math.max(part * 100, 0), 100);
}

const x = percent => `${(isRightToLeft() ? 100 - percent : percent).toFixed(2)}%`;

/**
 * @param {{start: string, end: string}} day
 * @param {{start: string, end: string}} span
 */
function band(day, span) {
  const from = position(span.start, day);
  const to = position(span.end, day);
  if (to <= from) return null;
  return svg("rect", {
    class: "night", x: x(isRightToLeft() ? to : from), width: `${(to - from).toFixed(2)}%`,
    y: 10, height: 16,
  });
}

/**
 * @param {{start: string, end: string}} day
 * @param {{start: string, end: string}[]} quiet
 * @param {{at: string, planned: string, state: string}[]} items
 * @param {string|null} now
 */
export function strip(day, quiet, items, now) {
  const hours = (Date.parse(day.end) - Date.parse(day.start)) / HOUR;
  const ticks = [6, 12, 18].filter(hour => hour < hours).map(hour => svg("line", {
    class: "tick", x1: x(hour / hours * 100), x2: x(hour / hours * 100), y1: 10, y2: 26,
  }));
  return svg("svg", { class: "strip", "aria-hidden": "true", height: 36 },
    svg("rect", { class: "track", x: 0, y: 10, width: "100%", height: 16, rx: 4 }),
    quiet.map(span => band(day, span)), ticks,
    items.map(item => moved(item, day)),
    items.map(item => svg("circle", {
      class: `dot ${item.state}`, cx: x(position(item.at, day)), cy: 18, r: 6,
    })),
    now && svg("line", {
      class: "now", x1: x(position(now, day)), x2: x(position(now, day)), y1: 4, y2: 32,
    }));
}

/**
 * The way from where something was planned to where it goes, if both are of this day.
 * @param {{at: string, planned: string, state: string}} item
 * @param {{start: string, end: string}} day
 */
function moved(item, day) {
  if (item.state !== "moved") return null;
  const isHere = item.planned >= day.start && item.planned < day.end;
  const from = x(position(item.planned, day));
  return [
    svg("line", { class: "way", x1: from, x2: x(position(item.at, day)), y1: 18, y2: 18 }),
    isHere && svg("circle", { class: "dot from", cx: from, cy: 18, r: 5 }),
  ];
}
