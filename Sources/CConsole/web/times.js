// Formats times. The service sends a person's local times; the browser's time zone is not used.

import { isRightToLeft, language, t } from "./words.js";

/** A Date whose time in UTC is the local time, so that formatting in UTC needs no conversion.
 * @param {string} local such as 2026-03-02 21:00 */
function wall(local) {
  return new Date(`${local.slice(0, 10)}T${local.slice(11) || "00:00"}Z`);
}

/** How many milliseconds the service's clock is ahead of the browser's. */
let lead = 0;

export function setServiceTime(date) {
  const time = Date.parse(date);
  if (!Number.isNaN(time)) lead = time - Date.now();
}

export const now = () => new Date(Date.now() + lead).toISOString();

/** @param {Intl.DateTimeFormatOptions} options */
const format = (local, options) =>
  new Intl.DateTimeFormat(`${language()}-u-ca-gregory`, { timeZone: "UTC", ...options })
    .format(wall(local));

/** @param {Intl.DateTimeFormatOptions} options */
const formatDate = (local, options) => format(local, local.slice(0, 4) === now().slice(0, 4)
  ? options : { ...options, year: "numeric" });

/** Whether the date means "without an end", as for a vacation. */
export const isEndless = local => local >= "9000";

export const clock = local => format(local, { hour: "numeric", minute: "2-digit" });

export const day = local => formatDate(local, { weekday: "long", month: "long", day: "numeric" });

export const shortDay = local => formatDate(local, { month: "short", day: "numeric" });

export const moment = local => isEndless(local) ? t("endless") : formatDate(local, {
  weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit",
});

export function dayName(date, today) {
  const days = Math.round((wall(date).getTime() - wall(today).getTime()) / 86_400_000);
  if (days === 0) return t("today");
  return days === 1 ? t("tomorrow") : format(date, { weekday: "long" });
}

/** The instants that enclose days in every time zone: UTC+14 is the first zone to begin a day, and
 * UTC-12 the last.
 * @param {{from: string, to: string}} days empty strings for no bound */
export const instantRange = ({ from, to }) =>
  ({ from: from && shifted(from, -14), to: to && shifted(to, 24 + 12) });

const shifted = (date, hours) =>
  new Date(wall(date).getTime() + hours * 3_600_000).toISOString();

/** Formats an instant in UTC; returns "" if there is none. In right-to-left text, the result keeps
 * its direction. */
export function utc(instant) {
  if (!instant) return "";
  const text = `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`;
  return isRightToLeft() ? `\u2066${text}\u2069` : text;
}

/** The units, each with the smaller unit that is also shown. */
const units = [{ unit: "day", length: 86_400, rest: ["hour", 3_600] },
  { unit: "hour", length: 3_600, rest: ["minute", 60] }, { unit: "minute", length: 60 }];

/** Formats a duration in at most two units, rounded down, as chimectl does. */
export function span(seconds) {
  const first = units.find(unit => seconds >= unit.length) ?? { unit: "second", length: 1 };
  const [name, size] = first.rest ?? ["", Infinity];
  const rest = Math.floor(seconds % first.length / Number(size));
  return new Intl.ListFormat(language(), { type: "unit", style: "narrow" }).format([
    formatUnit(seconds / first.length, first.unit), ...rest ? [formatUnit(rest, String(name))] : [],
  ]);
}

export function distance(instant) {
  const seconds = (Date.parse(instant) - Date.parse(now())) / 1_000;
  return t(seconds >= 1 ? "in" : "ago", { span: span(Math.abs(seconds)) });
}

const formatUnit = (count, unit) => new Intl.NumberFormat(language(), {
  style: "unit", unit, unitDisplay: "long",
}).format(Math.floor(count));
