// What will come in the next days, and why.

import { ask, get, of, query } from "./api.js";
import { button, h, said } from "./dom.js";
import { follow } from "./live.js";
import { merged } from "./merged.js";
import { complain, empty, live, toast } from "./states.js";
import { isPerson } from "./session.js";
import { strip } from "./strip.js";
import { body, isShown, note } from "./texts.js";
import { clock, day, dayName, moment, shortDay } from "./times.js";
import { titles } from "./titles.js";
import { explained } from "./why.js";
import { t, word } from "./words.js";

const DAYS = 7;
/** What is said of the zone, to others and to the person: of their own, and of the service's. */
const zones = [["zone.own", "zone.default"], ["zone.mine", "zone.mine.default"]];
export const marks = { goes: "●", moved: "◐", dropped: "○", failed: "✕" };

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
    h("p", { class: "soft" }, t(zones[Number(isPerson())][Number(ahead.zoneIsDefault)], {
      zone: ahead.zone,
    })),
    ahead.items.length
      ? [strips(ahead), list(ahead.items, item => [
        body(item.body, person), item.members && isShown(person) && h("ul", null,
          item.members.map(title => h("li", null, said(title))))],
      item => actions(item, person, again))]
      : h("section", { class: "card" }, empty(t("days.empty"))),
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
    const isNow = one.date === today;
    return h("div", { class: "day" },
      h("span", null, dayName(one.date, today), " ", h("small", null, shortDay(one.date))),
      strip(one, ahead.quiet, items, isNow ? ahead.now : null));
  });
  return h("section", { class: "card", "aria-hidden": "true" },
    h("h2", null, t("days.title")), rows,
    h("p", { class: "legend" }, ["goes", "moved", "dropped"].map(chip),
      h("span", { class: "chip night" }, t("quiet"))));
}

export const chip = state => h("span", { class: `chip ${state}` },
  h("span", { "aria-hidden": "true" }, marks[/** @type {keyof typeof marks} */ (state)]), " ",
  t(`state.${state}`));

/**
 * The same to be read.
 * @param {any[]} items
 * @param {(item: any) => import("./dom.js").Child} inside what else is said of one
 * @param {(item: any) => import("./dom.js").Child} [acts] what can be done about it
 */
export function list(items, inside, acts) {
  const dates = [...new Set(items.map(item => item.local.slice(0, 10)))];
  return h("section", { class: "card" }, h("h2", null, t("days.list")), dates.map(date => [
    h("h3", null, day(/** @type {string} */ (date))),
    h("ol", { class: "list" }, items
      .filter(item => item.local.startsWith(date))
      .map(item => row(item, inside, acts))),
  ]));
}

/**
 * @param {(item: any) => import("./dom.js").Child} inside
 * @param {(item: any) => import("./dom.js").Child} [acts]
 */
function row(item, inside, acts) {
  const isOtherDay = item.plannedLocal.slice(0, 10) !== item.local.slice(0, 10);
  return h("li", { class: "item" },
    h("div", { class: "time" }, clock(item.local), item.state === "moved" && h("s", null,
      isOtherDay ? moment(item.plannedLocal) : clock(item.plannedLocal))),
    h("div", { class: "what" },
      h("b", null, said(item.title)),
      h("small", null, said(item.category), " · ",
        item.channels.map(name => word("channel", name)).join(", ")),
      item.reasons.length > 0 && h("small", null,
        item.reasons.map(name => word("gate", name)).join(", ")),
      inside(item)),
    chip(item.state), acts?.(item));
}

function actions(item, person, again) {
  if (item.members) return null;
  const path = of(person, `/scheduled/${encodeURIComponent(item.id)}`);
  const act = async (text, deed) => {
    try {
      const { body } = await deed();
      toast(t(text, { until: body.until ?? "" }));
      again();
    } catch (error) {
      complain(error);
    }
  };
  // Who chooses by keys passes by all that are before, and shall not be taken at the first.
  const span = h("select", { "aria-label": t("snooze.what", { title: item.title }) },
    ["30m", "1h", "3h", "1d"].map(value => h("option", { value }, t(`snooze.${value}`))));
  const snooze = button(t("snooze"), () => act("snoozed", () =>
    ask(`${path}/snooze`, { method: "POST", body: { for: span.value } })), "plain");
  const cancel = (text, parameters) => button(t(text),
    () => act("cancelled", () => ask(path + query(parameters), { method: "DELETE" })), "plain");
  return h("div", { class: "actions" },
    explained(t("why"), item.title, of(person, `/explain${query({ scheduled: item.id })}`)),
    item.isKnown && item.state !== "dropped" && [
      span, snooze, cancel("cancel", {}), cancel("cancel.series", { series: true }),
    ]);
}
