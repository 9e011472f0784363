// Writes times. The browser's own idea of time zones has no part in it: the service says what the
// person's clock shows, and that is what stands here.

import { isRightToLeft, language, t } from "./words.js";

/** What a wall clock shows, taken for UTC so that nothing converts it.
 * @param {string} local such as 2026-03-02 21:00 */
function wall(local) {
  return new Date(`${local.slice(0, 10)}T${local.slice(11) || "00:00"}Z`);
}

/** How far the service's clock is ahead of the browser's, in milliseconds. */
let ahead = 0;

/** Takes in what the service's clock shows; each of its answers says that. */
export function hear(date) {
  const heard = Date.parse(date);
  if (!Number.isNaN(heard)) ahead = heard - Date.now();
}

/** The service's now, as an instant of its interface. */
export const now = () => new Date(Date.now() + ahead).toISOString();

/** @param {Intl.DateTimeFormatOptions} options */
const written = (local, options) =>
  new Intl.DateTimeFormat(`${language()}-u-ca-gregory`, { timeZone: "UTC", ...options })
    .format(wall(local));

/** The same of a date, with the year if that is another than this one.
 * @param {Intl.DateTimeFormatOptions} options */
const dated = (local, options) => written(local, local.slice(0, 4) === now().slice(0, 4)
  ? options : { ...options, year: "numeric" });

/** Whether it stands for no end at all, such as that of a vacation without one. */
export const isEndless = local => local >= "9000";

export const clock = local => written(local, { hour: "numeric", minute: "2-digit" });

export const day = local => dated(local, { weekday: "long", month: "long", day: "numeric" });

export const shortDay = local => dated(local, { month: "short", day: "numeric" });

export const moment = local => isEndless(local) ? t("endless") : dated(local, {
  weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit",
});

/** The day's name: today and tomorrow by theirs. */
export function dayName(date, today) {
  const days = Math.round((wall(date).getTime() - wall(today).getTime()) / 86_400_000);
  if (days === 0) return t("today");
  return days === 1 ? t("tomorrow") : written(date, { weekday: "long" });
}

/** The instants between which days lie, wherever on earth their clock is: a day begins 14 hours
 * before that of UTC at the earliest, and 12 hours after it at the latest.
 * @param {{from: string, to: string}} days empty where there is no bound */
export const around = ({ from, to }) =>
  ({ from: from && shifted(from, -14), to: to && shifted(to, 24 + 12) });

const shifted = (date, hours) =>
  new Date(wall(date).getTime() + hours * 3_600_000).toISOString();

/** An instant of the service's own doings, if there is one, in UTC and saying so; in one piece also
 * between words that go from right to left. */
export function utc(instant) {
  if (!instant) return "";
  const text = `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
  return isRightToLeft() ? `\u2066${text}\u2069` : text;
}

/** Each unit, with what it is told to: a day to the hour, and an hour to the minute. */
const units = [{ unit: "day", length: 86_400, rest: ["hour", 3_600] },
  { unit: "hour", length: 3_600, rest: ["minute", 60] }, { unit: "minute", length: 60 }];

/** How long something is, rounded down, as chimectl says it. */
export function span(seconds) {
  const found = units.find(one => seconds >= one.length) ?? { unit: "second", length: 1 };
  const [name, size] = found.rest ?? ["", Infinity];
  const rest = Math.floor(seconds % found.length / Number(size));
  return new Intl.ListFormat(language(), { type: "unit", style: "narrow" }).format([
    counted(seconds / found.length, found.unit), ...rest ? [counted(rest, String(name))] : [],
  ]);
}

const counted = (count, unit) => new Intl.NumberFormat(language(), {
  style: "unit", unit, unitDisplay: "long",
}).format(Math.floor(count));
