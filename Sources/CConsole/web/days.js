// What will come in the next days, and why.

import { ask, get, of, post, query } from "./api.js";
import { h, said } from "./dom.js";
import { follow } from "./live.js";
import { merged } from "./merged.js";
import { card, chip, select, soft } from "./parts.js";
import { isPerson } from "./session.js";
import { button, empty, live, toast } from "./states.js";
import { strip } from "./strip.js";
import { body, isShown, note } from "./texts.js";
import { clock, day, dayName, moment, shortDay } from "./times.js";
import { titles } from "./titles.js";
import { explained } from "./why.js";
import { listed, t } from "./words.js";

const DAYS = 7;
/** What is said of the zone, to others and to the person: of their own, and of the service's. */
const zones = [["zone.own", "zone.default"], ["zone.mine", "zone.mine.default"]];

/** @param {HTMLElement} place */
export async function days(place, person) {
  const load = async () => {
    const [ahead, scheduled, names] = await Promise.all([
      get(of(person, `/ahead?days=${DAYS}`)), get(of(person, "/scheduled?limit=1000")),
      titles(person),
    ]);
    note(ahead.timeline.map(one => one.body), person);
    const known = new Set(scheduled.scheduled.map(entry => entry.id));
    // It ends at this time of the day after those that are shown.
    const { end } = ahead.days.slice(0, DAYS).pop();
    const shown = ahead.timeline.filter(one => one.at < end)
      .map(one => ({ ...one, category: names[one.category] ?? one.category }));
    return { ...ahead, items: merged(shown, known) };
  };
  const again = () => live(place, load, draw);
  const draw = ahead => [
    soft(t(zones[Number(isPerson())][Number(ahead.zoneIsDefault)], { zone: ahead.zone })),
    ahead.items.length
      ? [strips(ahead), list(ahead.items, item => [
        body(item.body, person), item.members && isShown(person) && h("ul", null,
          item.members.map(title => h("li", null, said(title))))],
      item => actions(item, person, again))]
      : card(null, empty(t("days.empty"))),
  ];
  await follow(place, person, again);
  await again();
}

/**
 * A strip for each of the first days.
 * @param {number} [count]
 */
export function strips(ahead, count = DAYS) {
  const today = ahead.days[0].date;
  const rows = ahead.days.slice(0, count).map(one => {
    const items = ahead.items.filter(item =>
      item.at >= one.start && item.at < one.end);
    return h("div", { class: "day" },
      h("span", null, dayName(one.date, today), " ", h("small", null, shortDay(one.date))),
      strip(one, ahead.quiet, items, one.date === today ? ahead.now : null));
  });
  return h("section", { class: "card", "aria-hidden": "true" },
    h("h2", null, t("days.title")), rows,
    h("p", { class: "legend" }, ["goes", "moved", "dropped"].map(look => chip(look)),
      h("span", { class: "chip night" }, t("quiet"))));
}

/** @typedef {(item: any) => import("./dom.js").Child} Part */

/**
 * The same to be read.
 * @param {any[]} items
 * @param {Part} inside what else is said of one
 * @param {Part} [acts] what can be done about it
 */
export function list(items, inside, acts) {
  const dates = [...new Set(items.map(item => item.local.slice(0, 10)))];
  return card(t("days.list"), dates.map(date => [
    h("h3", null, day(/** @type {string} */ (date))),
    h("ol", { class: "list" }, items
      .filter(item => item.local.startsWith(date))
      .map(item => row(item, inside, acts))),
  ]));
}

/**
 * @param {Part} inside
 * @param {Part} [acts]
 */
function row(item, inside, acts) {
  const isOtherDay = item.plannedLocal.slice(0, 10) !== item.local.slice(0, 10);
  return h("li", { class: "item" },
    h("div", { class: "time" }, clock(item.local), item.state === "moved" && h("s", null,
      isOtherDay ? moment(item.plannedLocal) : clock(item.plannedLocal))),
    h("div", { class: "what" },
      h("b", null, said(item.title)),
      h("small", null, said(item.category), " · ",
        listed("channel", item.channels)),
      item.reasons.length > 0 && h("small", null, listed("gate", item.reasons)),
      inside(item)),
    chip(item.state), acts?.(item));
}

function actions(item, person, again) {
  const path = of(person, `/scheduled/${encodeURIComponent(item.id)}`);
  const act = (label, done, deed) => button(t(label), async () => {
    await deed();
    toast(t(done));
    again();
  }, "plain");
  // Who chooses by keys passes by all that are before, and shall not be taken at the first.
  const span = select({ "aria-label": t("snooze.what", { title: item.title }) },
    ["30m", "1h", "3h", "1d"], value => t(`snooze.${value}`));
  const snooze = act("snooze", "snoozed", () => post(`${path}/snooze`, { for: span.value }));
  const cancel = (label, parameters) => act(label, "cancelled",
    () => ask(path + query(parameters), { method: "DELETE" }));
  return h("div", { class: "actions" },
    explained(t("why"), item.title, of(person,
      `/explain${query({ scheduled: item.id, channel: item.channels[0] })}`)),
    item.isKnown && item.state !== "dropped" && [
      span, snooze, cancel("cancel", {}),
      !item.members && cancel("cancel.series", { series: true }),
    ]);
}
