// Writes times. The browser's own idea of time zones has no part in it: the service says what the
// person's clock shows, and that is what stands here.

import { isRightToLeft, language, t } from "./words.js";

/** What a wall clock shows, taken for UTC so that nothing converts it.
 * @param {string} local such as 2026-03-02 21:00 */
function wall(local) {
  return new Date(`${local.slice(0, 10)}T${local.slice(11) || "00:00"}Z`);
}

/** @param {Intl.DateTimeFormatOptions} options */
const written = (local, options) =>
  new Intl.DateTimeFormat(`${language()}-u-ca-gregory`, { timeZone: "UTC", ...options })
    .format(wall(local));

export const clock = local => written(local, { hour: "numeric", minute: "2-digit" });

export const day = local => written(local, { weekday: "long", month: "long", day: "numeric" });

export const shortDay = local => written(local, { month: "short", day: "numeric" });

export const moment = local => written(local, {
  weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit",
});

/** The day's name: today and tomorrow by theirs. */
export function dayName(date, today) {
  const days = Math.round((wall(date).getTime() - wall(today).getTime()) / 86_400_000);
  if (days === 0) return t("today");
  return days === 1 ? t("tomorrow") : written(date, { weekday: "long" });
}

/** An instant of the service's own doings, in UTC and saying so; in one piece also between words
 * that go from right to left. */
export function utc(instant) {
  const text = `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
  return isRightToLeft() ? `\u2066${text}\u2069` : text;
}

/** How long something is, in the largest unit that is not 0. */
export function span(seconds) {
  const units = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];
  const [unit, length] = units.find(([, size]) => seconds >= Number(size)) ?? units[3];
  return new Intl.NumberFormat(language(), {
    style: "unit", unit: String(unit), unitDisplay: "long", maximumFractionDigits: 0,
  }).format(seconds / Number(length));
}
